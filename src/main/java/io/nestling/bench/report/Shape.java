/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import java.util.Locale;

/** Outline of a mark, as an SVG path around its centre. */
enum Shape {
    /** A disc. */
    CIRCLE("M{0},0 A{0},{0} 0 1 1 -{0},0 A{0},{0} 0 1 1 {0},0 Z", 4.2),
    /** A square on its side. */
    SQUARE("M-{0},-{0} H{0} V{0} H-{0} Z", 3.7),
    /** A triangle, point up. */
    TRIANGLE("M0,-{0} L{0},{1} H-{0} Z", 4.9),
    /** A square on its corner. */
    DIAMOND("M0,-{0} L{0},0 L0,{0} L-{0},0 Z", 5.1),
    /** A triangle, point down. */
    WEDGE("M0,{0} L{0},-{1} H-{0} Z", 4.9),
    /** An upright cross. */
    CROSS("M-{1},-{0} H{1} V-{1} H{0} V{1} H{1} V{0} H-{1} V{1} H-{0} V-{1} H-{1} Z", 4.6),
    /** A lying bar. */
    BAR("M-{0},-{1} H{0} V{1} H-{0} Z", 5.2);

    private static final double THICKNESS = 0.42;
    private static final double HEIGHT = 0.8;

    private final String path;

    Shape(final String template, final double radius) {
        final boolean isTriangle = template.contains("L{0},{1}") || template.contains("L{0},-{1}");
        final double inner = radius * (isTriangle ? HEIGHT : THICKNESS);
        path = template.replace("{0}", number(radius)).replace("{1}", number(inner));
    }

    String path() {
        return path;
    }

    private static String number(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
