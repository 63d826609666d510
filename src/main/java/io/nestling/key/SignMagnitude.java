/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/**
 * Integers of any length: a header with sign and length, then the magnitude, big endian and without leading zero bytes. The
 * encoding of a negative number is that of its magnitude with every bit inverted, so that a longer one sorts first.
 * <pre>
 *  header   80          zero
 *           81..FD      positive, 1 to 125 bytes of magnitude follow
 *           FE nn nn    positive, 126 to 65,535 bytes of magnitude follow
 *           7E..02      negative, the same inverted
 *           01 nn nn    negative, the same inverted
 * </pre>
 * Examples: 5 is {@code 81 05}, 256 is {@code 82 01 00}, -5 is {@code 7E FA}, -256 is {@code 7D FE FF}.
 */
final class SignMagnitude {
    /** Header of zero; also the smallest header that is not of a negative number. */
    static final int ZERO = 0x80;
    /** Header of a magnitude with a length of its own. */
    static final int LONG_FORM = 0xFE;
    /** Maximum length of a magnitude whose length is in the header. */
    static final int MAX_SHORT_BYTES = LONG_FORM - ZERO - 1;

    private static final int BYTE_MASK = 0xFF;

    private SignMagnitude() {
    }

    /** Returns the encoded length of a number. */
    static int longLength(final long value) {
        return 1 + magnitudeBytes(Math.abs(value));
    }

    /** Appends a number above {@link Long#MIN_VALUE} into reserved room. */
    static void putLong(final long value, final KeyBuffer out) {
        final int start = out.length();
        final long magnitude = Math.abs(value);
        final int bytes = magnitudeBytes(magnitude);
        out.put(ZERO + bytes);
        out.putBigEndian(magnitude, bytes);
        if (value < 0) {
            out.invertFrom(start);
        }
    }

    /** Reads what {@link #putLong} wrote. */
    static long readLong(final KeyInput in, final String what) {
        final int start = in.position();
        final int stored = in.next(what);
        final boolean negative = stored < ZERO;
        final int bytes = (negative ? invert(stored) : stored) - ZERO;
        if (bytes > Long.BYTES || negative && bytes == 0) {
            throw in.unexpected("the header of " + what, stored);
        }
        if (negative) {
            in.invert();
        }
        final long magnitude = in.bigEndian(bytes, what);
        if (magnitude < 0 || magnitudeBytes(magnitude) != bytes) {
            throw new MalformedKeyException(start + 1,
                "expected " + what + " but was a magnitude of " + bytes
                + " bytes that is too large or starts with 0");
        }
        if (negative) {
            in.invert();
        }
        return negative ? -magnitude : magnitude;
    }

    /** Returns the header of the magnitude, given the header of a negative number. */
    static int invert(final int header) {
        return header ^ BYTE_MASK;
    }

    private static int magnitudeBytes(final long magnitude) {
        return (Long.SIZE - Long.numberOfLeadingZeros(magnitude) + Byte.SIZE - 1) / Byte.SIZE;
    }
}
