/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;

/** One {@link TypeSample} for each type. */
final class TypeSamples {
    private static final long NANOS = 1_000_000_000L;
    private static final int[] CODE_POINTS = {
        0, 1, 'a', 'b', 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF};

    private static final int[] BIG_INTEGER_BITS =
        {0, 1, 7, 8, 9, 15, 16, 63, 64, 999, 1000, 1001, 1007, 1008, 1009, 2040};

    private TypeSamples() {
    }

    static List<TypeSample<?>> all() {
        return List.of(
            new TypeSample<>(KeyType.INT8, Comparator.<Byte>naturalOrder(),
                List.of(Byte.MIN_VALUE, (byte) -1, (byte) 0, (byte) 1, Byte.MAX_VALUE),
                r -> (byte) r.nextInt()),
            new TypeSample<>(KeyType.INT16, Comparator.<Short>naturalOrder(),
                List.of(Short.MIN_VALUE, (short) -257, (short) -1, (short) 0, (short) 255, (short) 256,
                    Short.MAX_VALUE), r -> (short) r.nextInt()),
            new TypeSample<>(KeyType.INT32, Comparator.<Integer>naturalOrder(),
                List.of(Integer.MIN_VALUE, -65_536, -256, -1, 0, 1, 255, 256, Integer.MAX_VALUE),
                r -> r.nextInt() >> r.nextInt(Integer.SIZE)),
            new TypeSample<>(KeyType.INT64, Comparator.<Long>naturalOrder(),
                List.of(Long.MIN_VALUE, -1L << 32, -1L, 0L, 1L, 1L << 32, Long.MAX_VALUE),
                r -> r.nextLong() >> r.nextInt(Long.SIZE)),
            new TypeSample<>(KeyType.UINT8, Comparator.<Integer>naturalOrder(),
                List.of(0, 1, 127, 128, 255), r -> r.nextInt(256)),
            new TypeSample<>(KeyType.UINT16, Comparator.<Integer>naturalOrder(),
                List.of(0, 1, 255, 256, 32_767, 32_768, 65_535), r -> r.nextInt(65_536)),
            new TypeSample<>(KeyType.UINT32, Comparator.<Long>naturalOrder(),
                List.of(0L, 1L, 65_535L, 65_536L, (1L << 31) - 1, 1L << 31, (1L << 32) - 1),
                r -> r.nextLong() >>> 32),
            new TypeSample<>(KeyType.UINT64, Comparator.comparing(TypeSamples::unsigned),
                List.of(0L, 1L, Long.MAX_VALUE, Long.MIN_VALUE, -1L),
                r -> r.nextLong() >>> r.nextInt(Long.SIZE)),
            float32(), float64(),
            new TypeSample<>(KeyType.STRING,
                Comparator.comparing(s -> s.codePoints().toArray(), Arrays::compare),
                strings(), TypeSamples::randomString),
            new TypeSample<>(KeyType.BYTES, Comparator.comparing(b -> HexFormat.of().formatHex(b)),
                List.of(new byte[0], new byte[1], new byte[2], new byte[] {0, 1}, new byte[] {1},
                    new byte[] {-1}, new byte[] {-1, -1}, new byte[] {0, -1},
                    new byte[] {-1, 0}, new byte[] {1, 0, 1}),
                TypeSamples::randomBytes),
            new TypeSample<>(KeyType.UUID, Comparator.comparing(UUID::toString),
                List.of(new UUID(0, 0), new UUID(0, -1), new UUID(-1, 0), new UUID(-1, -1),
                    new UUID(Long.MAX_VALUE, Long.MIN_VALUE), new UUID(Long.MIN_VALUE, Long.MAX_VALUE)),
                r -> new UUID(r.nextLong() >> r.nextInt(Long.SIZE), r.nextLong() >> r.nextInt(Long.SIZE))),
            new TypeSample<>(KeyType.BIG_INTEGER, Comparator.<BigInteger>naturalOrder(), bigIntegers(),
                r -> new BigInteger(r.nextInt(2_500), r).multiply(BigInteger.valueOf(r.nextInt(3) - 1))),
            new TypeSample<>(KeyType.BIG_DECIMAL,
                Comparator.<BigDecimal>naturalOrder().thenComparing(BigDecimal::scale),
                bigDecimals(), TypeSamples::randomDecimal),
            new TypeSample<>(KeyType.BOOLEAN, Comparator.<Boolean>naturalOrder(), List.of(false, true),
                Random::nextBoolean),
            new TypeSample<>(KeyType.INSTANT, Comparator.<Instant>naturalOrder(),
                List.of(Instant.MIN, Instant.MIN.plusNanos(1), Instant.EPOCH.minusNanos(1), Instant.EPOCH,
                    Instant.EPOCH.plusNanos(1), Instant.EPOCH.plusSeconds(1), Instant.MAX.minusNanos(1),
                    Instant.MAX),
                r -> Instant.ofEpochSecond(r.nextLong() >> 10 + r.nextInt(50), r.nextLong() % NANOS)));
    }

    /** Values are equal as the round trip needs it: bit by bit, with the scale, arrays by content. */
    static boolean same(final Object left, final Object right) {
        return left instanceof byte[] bytes
            ? right instanceof byte[] others && Arrays.equals(bytes, others) : Objects.equals(left, right);
    }

    private static BigInteger unsigned(final long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }

    private static TypeSample<Float> float32() {
        return new TypeSample<>(KeyType.FLOAT32, Comparator.<Float>naturalOrder(),
            List.of(Float.NEGATIVE_INFINITY, -Float.MAX_VALUE, -1f, -Float.MIN_NORMAL, -Float.MIN_VALUE,
                -0f, 0f, Float.MIN_VALUE, Float.MIN_NORMAL, 1f, Float.MAX_VALUE,
                Float.POSITIVE_INFINITY, Float.NaN),
            r -> Float.intBitsToFloat(r.nextInt()));
    }

    private static TypeSample<Double> float64() {
        return new TypeSample<>(KeyType.FLOAT64, Comparator.<Double>naturalOrder(),
            List.of(Double.NEGATIVE_INFINITY, -Double.MAX_VALUE, -1d, -Double.MIN_NORMAL, -Double.MIN_VALUE,
                -0d, 0d, Double.MIN_VALUE, Double.MIN_NORMAL, 1d, Double.MAX_VALUE,
                Double.POSITIVE_INFINITY, Double.NaN),
            r -> Double.longBitsToDouble(r.nextLong()));
    }

    private static List<String> strings() {
        return List.of("", "\0", "\0\0", "\0\1", "\1", "a", "a\0", "a\0b", "aa", "ab", "\uffff", "\ue000",
            "\ud800\udc00", "\udbff\udfff", "\ud800\udc00\0", "\u0000\uffff", "\u007f", "\u0080");
    }

    private static String randomString(final Random random) {
        final StringBuilder string = new StringBuilder();
        final int length = random.nextInt(6);
        for (int i = 0; i < length; i++) {
            int codePoint = random.nextInt(2) == 0
                ? CODE_POINTS[random.nextInt(CODE_POINTS.length)]
                : random.nextInt(Character.MAX_CODE_POINT + 1);
            if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
                codePoint = 0;
            }
            string.appendCodePoint(codePoint);
        }
        return string.toString();
    }

    private static byte[] randomBytes(final Random random) {
        final byte[] bytes = new byte[random.nextInt(6)];
        random.nextBytes(bytes);
        for (int i = 0; i < bytes.length; i++) {
            final int kind = random.nextInt(6);
            bytes[i] = kind < 2 ? 0 : kind == 2 ? 1 : kind == 3 ? -1 : bytes[i];
        }
        return bytes;
    }

    private static List<BigInteger> bigIntegers() {
        final List<BigInteger> values = new ArrayList<>(List.of(BigInteger.ZERO));
        for (final int bits : BIG_INTEGER_BITS) {
            final BigInteger power = BigInteger.ONE.shiftLeft(bits);
            for (final BigInteger near : List.of(power, power.subtract(BigInteger.ONE),
                power.add(BigInteger.ONE))) {
                values.add(near);
                values.add(near.negate());
            }
        }
        return values;
    }

    private static List<BigDecimal> bigDecimals() {
        final List<BigDecimal> values = new ArrayList<>();
        for (final String text : List.of("0", "1", "9", "10", "11", "99", "100", "101", "1.0", "1.00",
            "1.5", "1.50", "0.1", "0.10", "0.01", "0.09", "0.99", "0.999", "1.01", "123456789.987654321",
            "1E+10", "10E+9", "1E-10", "12", "1200", "12E+2", "120E+1", "9.99E+300", "1E+301")) {
            values.add(new BigDecimal(text));
            values.add(new BigDecimal(text).negate());
        }
        for (final int scale : new int[] {Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -256, -1, 1, 255, 256,
            Integer.MAX_VALUE - 1, Integer.MAX_VALUE}) {
            for (final long unscaled : new long[] {0, 1, -1, 10, -10, 100, 123, -123, Long.MAX_VALUE,
                Long.MIN_VALUE}) {
                values.add(new BigDecimal(BigInteger.valueOf(unscaled), scale));
            }
        }
        return values;
    }

    private static BigDecimal randomDecimal(final Random random) {
        final BigInteger digits = new BigInteger(random.nextInt(4) == 0 ? 400 : 12, random);
        final BigInteger zeros = BigInteger.TEN.pow(random.nextInt(4));
        final int scale = random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(9) - 4;
        return new BigDecimal(digits.multiply(zeros).multiply(BigInteger.valueOf(random.nextInt(3) - 1)),
            scale);
    }
}
