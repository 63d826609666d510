/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Contrast of the colours, by the formula of the Web Content Accessibility Guidelines 2.1. */
class PaletteTest {
    private static final double TEXT = 4.5;
    private static final double GRAPHICS = 3;
    private static final int COLOURS = 10;

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldBeReadableOnItsBackground(final int theme) {
        final double background = luminance(colour("bg", theme));
        for (final String text : List.of("ink", "soft", "link")) {
            final double contrast = contrast(background, luminance(colour(text, theme)));
            assertTrue(contrast >= TEXT, text + " " + contrast);
        }
        for (int i = 0; i < COLOURS; i++) {
            final double contrast = contrast(background, luminance(colour("c" + i, theme)));
            assertTrue(contrast >= GRAPHICS, "c" + i + " " + contrast);
        }
    }

    /** The value of a variable in the light theme, which comes first, or in the dark one. */
    private static String colour(final String name, final int theme) {
        final String css = BenchPage.of(new ReportFixture().report());
        final Matcher matcher = Pattern.compile("--" + name + ": #([0-9a-f]{6});").matcher(css);
        final List<String> values = new ArrayList<>();
        while (matcher.find()) {
            values.add(matcher.group(1));
        }
        assertEquals(2, values.size(), name);
        return values.get(theme);
    }

    private static double contrast(final double a, final double b) {
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }

    private static double luminance(final String colour) {
        final double[] weights = {0.2126, 0.7152, 0.0722};
        double luminance = 0;
        for (int i = 0; i < weights.length; i++) {
            final double part = Integer.parseInt(colour.substring(2 * i, 2 * i + 2), 16) / 255.0;
            luminance += weights[i] * (part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4));
        }
        return luminance;
    }
}
