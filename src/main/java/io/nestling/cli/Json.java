/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Writes JSON. */
final class Json {
    private static final int FIRST_PRINTABLE = 0x20;

    private Json() {
    }

    /**
     * Returns the JSON text of a map with strings as keys, an iterable, a string, a number, a boolean, or null; infinities and
     * NaN become null.
     */
    static String of(final Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream().map(entry -> quoted(String.valueOf(entry.getKey())) + ':' + of(entry.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof Iterable<?> elements) {
            return StreamSupport.stream(elements.spliterator(), false).map(Json::of).collect(Collectors.joining(",", "[", "]"));
        }
        if (value instanceof Number number) {
            return Double.isFinite(number.doubleValue()) ? number.toString() : "null";
        }
        return value == null || value instanceof Boolean ? String.valueOf(value) : quoted(value.toString());
    }

    private static String quoted(final String string) {
        return string.chars().mapToObj(Json::escaped).collect(Collectors.joining("", "\"", "\""));
    }

    private static String escaped(final int c) {
        if (c < FIRST_PRINTABLE || Character.isSurrogate((char) c)) {
            return String.format(Locale.ROOT, "\\u%04x", c);
        }
        return (c == '"' || c == '\\' ? "\\" : "") + (char) c;
    }
}
