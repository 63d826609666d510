/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A strict reader of JSON: objects become maps, arrays lists, numbers doubles. */
final class JsonReader {
    private final String text;
    private int at;

    private JsonReader(final String text) {
        this.text = text;
    }

    /** Reads an object that is the whole text but for white space around it. */
    static Map<?, ?> object(final String text) {
        final JsonReader reader = new JsonReader(text);
        final Object value = reader.value();
        reader.skipSpace();
        if (reader.at != text.length()) {
            throw reader.error("text after the value");
        }
        return (Map<?, ?>) value;
    }

    private Object value() {
        skipSpace();
        switch (peek()) {
            case '{':
                return members();
            case '[':
                return elements();
            case '"':
                return string();
            case 't':
                return word("true", true);
            case 'f':
                return word("false", false);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> members() {
        final Map<String, Object> map = new LinkedHashMap<>();
        expect('{');
        skipSpace();
        while (peek() != '}') {
            final String name = string();
            skipSpace();
            expect(':');
            if (map.containsKey(name)) {
                throw error("name twice: " + name);
            }
            map.put(name, value());
            separate('}');
        }
        expect('}');
        return map;
    }

    private List<Object> elements() {
        final List<Object> list = new ArrayList<>();
        expect('[');
        skipSpace();
        while (peek() != ']') {
            list.add(value());
            separate(']');
        }
        expect(']');
        return list;
    }

    private void separate(final char end) {
        skipSpace();
        if (peek() != end) {
            expect(',');
            skipSpace();
            if (peek() == end) {
                throw error("nothing after a comma");
            }
        }
    }

    private String string() {
        expect('"');
        final StringBuilder result = new StringBuilder();
        while (peek() != '"') {
            final char c = text.charAt(at++);
            if (c < ' ') {
                throw error("control character in a string");
            }
            result.append(c == '\\' ? escaped() : c);
        }
        at++;
        return result.toString();
    }

    private char escaped() {
        final char c = peek();
        at++;
        if (c == 'u') {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        final int which = "\"\\/bfnrt".indexOf(c);
        if (which < 0) {
            throw error("unknown escape " + c);
        }
        return "\"\\/\b\f\n\r\t".charAt(which);
    }

    private Object word(final String word, final Object value) {
        if (!text.startsWith(word, at)) {
            throw error("no value");
        }
        at += word.length();
        return value;
    }

    private Double number() {
        final var matcher = java.util.regex.Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?")
            .matcher(text).region(at, text.length());
        if (!matcher.lookingAt()) {
            throw error("no value");
        }
        at = matcher.end();
        return Double.valueOf(matcher.group());
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at == text.length()) {
            throw error("the text ends early");
        }
        return text.charAt(at);
    }

    private void expect(final char wanted) {
        if (peek() != wanted) {
            throw error("no '" + wanted + "'");
        }
        at++;
    }

    private IllegalArgumentException error(final String problem) {
        return new IllegalArgumentException(problem + " at " + at + " of: " + text);
    }
}
