/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Writes elements, attributes and text so that the result is both HTML and well-formed XML. Everything that is not ASCII
 * becomes a character reference, so the page reads the same whatever encoding it is stored in.
 */
final class Markup {
    private static final int FIRST_PRINTABLE = 0x20;
    private static final int LAST_ASCII = 0x7e;
    private static final int REPLACEMENT = 0xfffd;

    private final StringBuilder out = new StringBuilder(1 << 16);
    private final Deque<String> open = new ArrayDeque<>();
    private int lastId;

    /**
     * Begins an element.
     *
     * @param tag its name
     * @param attributes names and values in turn; an attribute whose value is null is left out
     */
    Markup open(final String tag, final String... attributes) {
        tag(tag, attributes);
        out.append('>');
        open.push(tag);
        return this;
    }

    /** Ends the innermost open element. */
    Markup close() {
        if (open.isEmpty()) {
            throw new IllegalStateException("no element is open");
        }
        out.append("</").append(open.pop()).append('>');
        return this;
    }

    /** Ends the innermost open element and starts a new line. */
    Markup closeLine() {
        close();
        out.append('\n');
        return this;
    }

    /** An element that has no content, such as {@code br} or {@code rect}. */
    Markup empty(final String tag, final String... attributes) {
        tag(tag, attributes);
        out.append("/>");
        return this;
    }

    /** An element with nothing but text in it. */
    Markup element(final String tag, final String text, final String... attributes) {
        return open(tag, attributes).text(text).close();
    }

    Markup text(final String text) {
        escape(text);
        return this;
    }

    /**
     * Text that is taken as it is, for styles and scripts of this package.
     *
     * @param text ASCII without angle brackets and ampersands, as HTML and XML read these differently
     */
    Markup verbatim(final String text) {
        if (!text.chars().allMatch(c -> c == '\n' || c >= FIRST_PRINTABLE && c <= LAST_ASCII && "<&".indexOf(c) < 0)
                || text.contains("]]>")) {
            throw new IllegalArgumentException("text needs escaping: " + text);
        }
        out.append(text);
        return this;
    }

    /** An identifier that occurs once in the page. */
    String newId(final String prefix) {
        return prefix + ++lastId;
    }

    /** All that was written; every element has to be closed. */
    String page() {
        if (!open.isEmpty()) {
            throw new IllegalStateException("still open: " + open);
        }
        return "<!DOCTYPE html>\n" + out;
    }

    private void tag(final String tag, final String... attributes) {
        out.append('<').append(tag);
        for (int i = 0; i < attributes.length; i += 2) {
            if (attributes[i + 1] != null) {
                out.append(' ').append(attributes[i]).append("=\"");
                escape(attributes[i + 1]);
                out.append('"');
            }
        }
    }

    private void escape(final String text) {
        for (int i = 0; i < text.length();) {
            final int c = text.codePointAt(i);
            i += Character.charCount(c);
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                case '\n', '\t' -> out.append((char) c);
                default -> {
                    if (c >= FIRST_PRINTABLE && c <= LAST_ASCII) {
                        out.append((char) c);
                    } else {
                        out.append("&#").append(isCharacter(c) ? c : REPLACEMENT).append(';');
                    }
                }
            }
        }
    }

    /* What both XML 1.0 and HTML allow a character reference to name. */
    private static boolean isCharacter(final int c) {
        final boolean isControl = c < FIRST_PRINTABLE || c > LAST_ASCII && c < 0xa0;
        final boolean isSurrogate = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
        final boolean isNoncharacter = (c & 0xfffe) == 0xfffe || c >= 0xfdd0 && c <= 0xfdef;
        return !isControl && !isSurrogate && !isNoncharacter;
    }
}
