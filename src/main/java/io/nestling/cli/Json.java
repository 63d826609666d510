/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.util.Locale;
import java.util.Map;

/** Writes JSON. */
final class Json {
    private static final int FIRST_PRINTABLE = 0x20;

    private Json() {
    }

    /**
     * Returns the JSON text of a value.
     *
     * @param value a map with strings as keys, an iterable, a string, a number, a boolean, or null; infinities and NaN
     *     become null
     */
    static String of(final Object value) {
        final StringBuilder text = new StringBuilder();
        append(text, value);
        return text.toString();
    }

    private static void append(final StringBuilder text, final Object value) {
        if (value instanceof Map) {
            text.append('{');
            String separator = "";
            for (final Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                text.append(separator);
                quote(text, String.valueOf(entry.getKey()));
                text.append(':');
                append(text, entry.getValue());
                separator = ",";
            }
            text.append('}');
        } else if (value instanceof Iterable) {
            text.append('[');
            String separator = "";
            for (final Object element : (Iterable<?>) value) {
                text.append(separator);
                append(text, element);
                separator = ",";
            }
            text.append(']');
        } else if (value == null || value instanceof Boolean || value instanceof Number) {
            final boolean isNumber = !(value instanceof Number)
                || Double.isFinite(((Number) value).doubleValue());
            text.append(isNumber ? value : null);
        } else {
            quote(text, value.toString());
        }
    }

    private static void quote(final StringBuilder text, final String string) {
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            final char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < FIRST_PRINTABLE || Character.isSurrogate(c)) {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
