/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Big decimals. A value other than zero is written as {@code 0.d1d2..dk * 10^exponent} with d1 and dk not 0, which is the same
 * for all scales of a number; the scale follows, so that decoding restores it and 1.0 sorts just before 1.00.
 * <pre>
 *  sign       81 positive, 80 zero (then only the scale follows), 7E negative
 *  exponent   as SignMagnitude                                             inverted when negative
 *  digits     two at a time as 1 + their number (01..64), the last         inverted when negative
 *             one padded with 0; then 00
 *  scale      as SignMagnitude
 * </pre>
 * Example: 1.50 is {@code 81 | 81 01 | 10 00 | 81 02}: exponent 1, the digits 15, scale 2.
 */
final class BigDecimalCodec implements Codec<BigDecimal> {
    /**
     * Maximum number of decimal digits of an unscaled value, trailing zeros included. More digits, unless they are zeros,
     * do not fit into a key.
     */
    static final int MAX_DIGITS = 131_072;

    static final String NAME = "bigDecimal";
    private static final int POSITIVE = 0x81;
    private static final int ZERO = 0x80;
    private static final int NEGATIVE = 0x7E;
    private static final int END = 0;
    private static final int PAIR_BIAS = 1;
    private static final int MAX_PAIR = 99;
    private static final int RADIX = 10;
    /** A number of more bits has more than {@link #MAX_DIGITS} digits: 2^435,412 > 10^131,072. */
    private static final int MAX_BITS = 435_412;
    /** Bound of all exponents: the precision is at most {@link #MAX_DIGITS} and the scale has 32 bits. */
    private static final long EXPONENT_LIMIT = 1L << 32;

    @Override
    public void encode(final BigDecimal value, final KeyBuffer out) {
        final int scaleBytes = SignMagnitude.longLength(value.scale());
        if (value.signum() == 0) {
            out.reserve(1 + scaleBytes, NAME);
            out.put(ZERO);
        } else {
            final String digits = digits(value.unscaledValue().abs());
            final int significant = significant(digits);
            final long exponent = (long) digits.length() - value.scale();
            final int pairs = (significant + 1) / 2;
            out.reserve(1L + SignMagnitude.longLength(exponent) + pairs + 1 + scaleBytes, NAME);
            final int start = out.length();
            out.put(POSITIVE);
            SignMagnitude.putLong(exponent, out);
            putPairs(digits, significant, out);
            out.put(END);
            if (value.signum() < 0) {
                out.invertFrom(start);
            }
        }
        SignMagnitude.putLong(value.scale(), out);
    }

    private static String digits(final BigInteger magnitude) {
        final String digits = magnitude.bitLength() > MAX_BITS ? null : magnitude.toString();
        if (digits == null || digits.length() > MAX_DIGITS) {
            throw new IllegalArgumentException("expected bigDecimal of at most " + MAX_DIGITS
                + " decimal digits but was an unscaled number of " + magnitude.bitLength() + " bits");
        }
        return digits;
    }

    /** Returns the length without trailing zeros. */
    private static int significant(final CharSequence digits) {
        int length = digits.length();
        while (digits.charAt(length - 1) == '0') {
            length--;
        }
        return length;
    }

    private static void putPairs(final String digits, final int significant, final KeyBuffer out) {
        for (int i = 0; i < significant; i += 2) {
            final int high = digits.charAt(i) - '0';
            final int low = i + 1 < significant ? digits.charAt(i + 1) - '0' : 0;
            out.put(high * RADIX + low + PAIR_BIAS);
        }
    }

    @Override
    public BigDecimal decode(final KeyInput in) {
        final int start = in.position();
        final int sign = in.next(NAME);
        if (sign == ZERO) {
            return new BigDecimal(BigInteger.ZERO, readScale(in));
        }
        final boolean negative = sign == NEGATIVE;
        if (!negative && sign != POSITIVE) {
            throw in.unexpected("the sign of bigDecimal (7E, 80 or 81)", sign);
        }
        if (negative) {
            in.invert();
        }
        final long exponent = SignMagnitude.readLong(in, "exponent of bigDecimal");
        final String digits = readDigits(in);
        if (negative) {
            in.invert();
        }
        final int scale = readScale(in);
        final int zeros = trailingZeros(start, exponent, digits.length(), scale);
        final BigInteger significant = new BigInteger(digits);
        final BigInteger unscaled = zeros == 0 ? significant : significant.multiply(BigInteger.TEN.pow(zeros));
        return new BigDecimal(negative ? unscaled.negate() : unscaled, scale);
    }

    /** Reads the significant digits, of which neither the first nor the last is 0. */
    private static String readDigits(final KeyInput in) {
        final int start = in.position();
        final StringBuilder digits = new StringBuilder();
        int stored = in.next("digits of bigDecimal");
        while (stored != END) {
            final int pair = stored - PAIR_BIAS;
            if (pair > MAX_PAIR) {
                throw in.unexpected("two digits of bigDecimal (01 to 64) or their end (00)", stored);
            }
            digits.append((char) ('0' + pair / RADIX)).append((char) ('0' + pair % RADIX));
            stored = in.next("digits of bigDecimal");
        }
        final int length = digits.length();
        if (length == 0 || digits.charAt(0) == '0' || digits.substring(length - 2).equals("00")) {
            throw new MalformedKeyException(start, "expected digits of bigDecimal but was none or zeros around them");
        }
        digits.setLength(significant(digits));
        return digits.toString();
    }

    private static int readScale(final KeyInput in) {
        final int start = in.position();
        final long scale = SignMagnitude.readLong(in, "scale of bigDecimal");
        if (scale != (int) scale) {
            throw new MalformedKeyException(start, "expected a scale of bigDecimal of 32 bits but was " + scale);
        }
        return (int) scale;
    }

    /** Returns the number of zeros between the last significant digit and the end of the unscaled value. */
    private static int trailingZeros(final int start, final long exponent, final int significant, final int scale) {
        final long precision = exponent + scale;
        if (Math.abs(exponent) > EXPONENT_LIMIT || precision < significant || precision > MAX_DIGITS) {
            throw new MalformedKeyException(start, "expected bigDecimal but was exponent " + exponent + ", "
                + significant + " digits and scale " + scale + ", which do not belong together");
        }
        return (int) precision - significant;
    }

    @Override
    public int compare(final BigDecimal left, final BigDecimal right) {
        final int order = left.compareTo(right);
        return order != 0 ? order : Integer.compare(left.scale(), right.scale());
    }
}
