/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Formats numbers for people. */
final class Figures {
    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    private static final int UNIT_SHIFT = 10;
    private static final String INDENT = "  ";
    private static final String LABEL = "%-16s %s";

    private Figures() {
    }

    /** Formats a count with separators between thousands. */
    static String count(final long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** Formats a size in the largest unit in which it is at least one. */
    static String bytes(final long bytes) {
        double value = bytes;
        int unit = -1;
        while (value >= 1 << UNIT_SHIFT && unit < UNITS.length - 1) {
            value /= 1 << UNIT_SHIFT;
            unit++;
        }
        if (unit < 0) {
            return bytes + " bytes";
        }
        final String number = value == Math.rint(value) ? "%.0f" : "%.1f";
        return String.format(Locale.ROOT, number + " %s", value, UNITS[unit]);
    }

    /** Formats a number with one decimal digit. */
    static String ratio(final double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** Rounds a number to a number of decimal digits. */
    static double rounded(final double value, final int digits) {
        final double scale = Math.pow(10, digits);
        return Math.rint(value * scale) / scale;
    }

    /** Returns a quotient, or 0 if the divisor is 0. */
    static double per(final double dividend, final double divisor) {
        return divisor == 0 ? 0 : dividend / divisor;
    }

    /** Formats a count with its noun: "1 table", "2 tables". */
    static String countOf(final long number, final String singular, final String plural) {
        return count(number) + " " + (number == 1 ? singular : plural);
    }

    /** Formats one line of a report. */
    static String line(final String label, final String text) {
        return String.format(Locale.ROOT, LABEL, label, text);
    }

    /**
     * Returns the lines of a report: label and text, with the figures of an inner map below its name. A map in an inner map takes
     * one line. Names are words or in camel case.
     */
    static List<String> report(final Map<String, ?> figures) {
        final List<String[]> lines = new ArrayList<>();
        add("", figures, lines);
        final int width = lines.stream().mapToInt(line -> line[0].length()).max().orElse(0);
        return lines.stream()
            .map(line -> String.format(Locale.ROOT, "%-" + width + "s  %s", line[0], line[1]).stripTrailing())
            .toList();
    }

    private static void add(final String indent, final Map<?, ?> figures, final List<String[]> lines) {
        figures.forEach((name, value) -> {
            final String label = indent + words(name);
            if (value instanceof Map && indent.isEmpty()) {
                lines.add(new String[] {label, ""});
                add(INDENT, (Map<?, ?>) value, lines);
            } else {
                lines.add(new String[] {label, text(value)});
            }
        });
    }

    private static String words(final Object name) {
        return name.toString().replaceAll("(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Za-z])", " ").toLowerCase(Locale.ROOT);
    }

    private static String text(final Object value) {
        if (value instanceof Map) {
            return ((Map<?, ?>) value).entrySet().stream()
                .map(entry -> words(entry.getKey()) + " " + text(entry.getValue()))
                .collect(Collectors.joining(", "));
        }
        if (value instanceof Double || value instanceof Float) {
            return String.format(Locale.ROOT, "%,.2f", ((Number) value).doubleValue());
        }
        return value instanceof Number ? count(((Number) value).longValue()) : String.valueOf(value);
    }
}
