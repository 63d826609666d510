/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses sizes: {@code 512m}, {@code 1.5g}, {@code 64KiB}, {@code 4194304}. Units are powers of 1024. */
final class ByteSize implements ITypeConverter<Long> {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,99}(?:\\.\\d{1,9})?) ?(?:([kmgt])(i?b)?|b)?");
    private static final Map<String, Integer> SHIFTS = Map.of("k", 10, "m", 20, "g", 30, "t", 40);
    private static final BigInteger LARGEST = BigInteger.valueOf(Long.MAX_VALUE);

    @Override
    public Long convert(final String text) {
        final Matcher matcher = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new TypeConversionException("expected a size such as 512m, 1.5g or 65536 but was '" + text + "'");
        }
        final int shift = matcher.group(2) == null ? 0 : SHIFTS.get(matcher.group(2));
        final BigInteger bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(1L << shift)).toBigInteger();
        if (bytes.compareTo(LARGEST) > 0) {
            throw new TypeConversionException("expected at most " + LARGEST + " bytes but was '" + text + "'");
        }
        return bytes.longValue();
    }
}
