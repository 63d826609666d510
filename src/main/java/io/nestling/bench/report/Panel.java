/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

/**
 * One drawing of fixed width. Panels are as wide as a phone and are laid side by side on wider screens, so that their
 * text keeps its size.
 */
final class Panel implements AutoCloseable {
    /** Width of every panel in its own units. */
    static final double WIDTH = 360;
    /** Room for one line of text. */
    static final double LINE = 14;

    private static final double GLYPH = 7.1;
    private static final double SLACK = 4;
    private static final double NARROW_GLYPH = 4.2;
    private static final String NARROW = "iljtfr.,:;|!' ()/-I";
    private static final double BASELINE = 3.8;
    private static final int TEN = 10;

    private final Markup out;

    /**
     * Begins a drawing.
     *
     * @param out where to
     * @param height height in units
     * @param title what it shows
     * @param description its content in words
     */
    Panel(final Markup out, final double height, final String title, final String description) {
        this.out = out;
        final String id = out.newId("c");
        out.open("svg", "xmlns", "http://www.w3.org/2000/svg", "viewBox", "0 0 " + number(WIDTH) + " " + number(height),
            "role", "img", "aria-labelledby", id + "t " + id + "d");
        out.element("title", title, "id", id + "t").element("desc", description, "id", id + "d");
    }

    /** Ends the drawing. */
    @Override
    public void close() {
        out.closeLine();
    }

    Panel line(final double x1, final double y1, final double x2, final double y2, final String classes) {
        out.empty("line", "x1", number(x1), "y1", number(y1), "x2", number(x2), "y2", number(y2), "class", classes);
        return this;
    }

    Panel rectangle(final double x, final double y, final double width, final double height, final String classes) {
        out.empty("rect", "x", number(x), "y", number(y), "width", number(width), "height", number(height), "class", classes);
        return this;
    }

    /** Text whose middle line is at {@code y}; the classes {@code end} and {@code mid} set where {@code x} is. */
    Panel text(final double x, final double y, final String text, final String classes) {
        out.element("text", text, "x", number(x), "y", number(y + BASELINE), "class", classes);
        return this;
    }

    /** A line through points. */
    Panel path(final String path, final String classes, final String dashes) {
        out.empty("path", "d", path, "class", classes, "stroke-dasharray", dashes);
        return this;
    }

    /** A mark; the class {@code hollow} leaves it empty. */
    Panel mark(final Shape shape, final String classes, final double x, final double y) {
        out.empty("path", "d", shape.path(), "transform", "translate(" + number(x) + " " + number(y) + ")",
            "class", classes + " mark");
        return this;
    }

    /** Begins a group with a note that appears under the pointer. */
    Panel group(final String classes, final String note) {
        out.open("g", "class", classes).element("title", note);
        return this;
    }

    Panel endGroup() {
        out.close();
        return this;
    }

    /** Labels below ticks: at each of them, or only at every second, third and so on if there is no room for more. */
    Panel tickLabels(final double[] xs, final double y, final String[] texts) {
        int stride = 1;
        while (stride < xs.length && overlaps(xs, texts, stride)) {
            stride++;
        }
        for (int i = 0; i < xs.length; i += stride) {
            text(xs[i], y, texts[i], "tick mid");
        }
        return this;
    }

    private static boolean overlaps(final double[] xs, final String[] texts, final int stride) {
        for (int i = stride; i < xs.length; i += stride) {
            if (xs[i] - xs[i - stride] < (textWidth(texts[i]) + textWidth(texts[i - stride])) / 2 + GLYPH / 2) {
                return true;
            }
        }
        return false;
    }

    /** About how wide a text is at the size of labels; rather too wide than too narrow. */
    static double textWidth(final String text) {
        return text.isEmpty() ? 0 : SLACK + text.chars().mapToDouble(c -> NARROW.indexOf(c) >= 0 ? NARROW_GLYPH : GLYPH).sum();
    }

    /** The text, or as much of its beginning and end as has room. */
    static String fit(final String text, final double width) {
        if (textWidth(text) <= width) {
            return text;
        }
        for (int kept = text.length() - 1; kept > 1; kept--) {
            final int head = (kept + 1) / 2;
            final String shortened = text.substring(0, head) + "\u2026" + text.substring(text.length() - (kept - head));
            if (textWidth(shortened) <= width) {
                return shortened;
            }
        }
        return "\u2026";
    }

    /** A coordinate with at most one digit behind the point. */
    static String number(final double value) {
        final long tenths = Math.round(value * TEN);
        final String whole = (tenths < 0 ? "-" : "") + Math.abs(tenths / TEN);
        return tenths % TEN == 0 ? whole : whole + "." + Math.abs(tenths % TEN);
    }
}
