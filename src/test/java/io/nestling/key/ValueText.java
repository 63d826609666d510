/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Types and values as docs/formats/keys.md writes them. */
final class ValueText {
    private static final Pattern ESCAPE = Pattern.compile("\\\\u([0-9a-f]{4})");

    private static final Map<Class<?>, Function<String, Object>> PARSERS = Map.ofEntries(
        Map.entry(Byte.class, Byte::valueOf),
        Map.entry(Short.class, Short::valueOf),
        Map.entry(Integer.class, Integer::valueOf),
        Map.entry(Long.class, text -> new BigInteger(text).longValue()),
        Map.entry(Float.class, Float::valueOf),
        Map.entry(Double.class, Double::valueOf),
        Map.entry(Boolean.class, Boolean::valueOf),
        Map.entry(String.class, text -> unescape(unwrap(text, "\"", "\""))),
        Map.entry(byte[].class, text -> HexFormat.ofDelimiter(" ").parseHex(unwrap(text, "[", "]"))),
        Map.entry(UUID.class, UUID::fromString),
        Map.entry(Instant.class, Instant::parse),
        Map.entry(BigInteger.class, BigInteger::new),
        Map.entry(BigDecimal.class, BigDecimal::new));

    private ValueText() {
    }

    /** The type of a name such as {@code string descending nulls first}. */
    static KeyType<?> type(final String name) {
        for (final TypeSample<?> sample : TypeSamples.all()) {
            for (final TypeSample<?> variant : sample.variants()) {
                if (variant.toString().equals(name)) {
                    return variant.type();
                }
            }
        }
        throw new IllegalArgumentException("no type " + name);
    }

    static Object parse(final KeyType<?> type, final String text) {
        return text.equals("null") ? null : PARSERS.get(type.javaType()).apply(text);
    }

    private static String unwrap(final String text, final String opening, final String closing) {
        if (!text.startsWith(opening) || !text.endsWith(closing)) {
            throw new IllegalArgumentException(text + " has to stand in " + opening + closing);
        }
        return text.substring(1, text.length() - 1);
    }

    private static String unescape(final String text) {
        return ESCAPE.matcher(text).replaceAll(
            match -> Matcher.quoteReplacement(
                String.valueOf((char) Integer.parseInt(match.group(1), 16))));
    }
}
