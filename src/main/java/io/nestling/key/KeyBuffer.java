/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.util.Arrays;

/**
 * The growing bytes of a key under construction. Writers call {@link #reserve} first, which is the only place
 * that checks the key limit.
 */
final class KeyBuffer {
    /** Maximum length of a key in bytes. */
    static final int MAX_KEY_BYTES = 65_535;

    private static final int INITIAL_BYTES = 64;

    private byte[] bytes = new byte[INITIAL_BYTES];
    private int length;

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    /** Removes all bytes behind a position. */
    void truncate(final int newLength) {
        length = newLength;
    }

    /**
     * Reserves room for more bytes; throws, with the name of their type, if the key would become longer than {@link
     * #MAX_KEY_BYTES}.
     */
    void reserve(final long more, final String what) {
        if (more > MAX_KEY_BYTES - length) {
            throw new IllegalArgumentException(what + " of " + more + " encoded bytes at position " + length
                + " makes the key " + (length + more) + " bytes long; the limit is " + MAX_KEY_BYTES
                + " bytes");
        }
        final int needed = length + (int) more;
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(MAX_KEY_BYTES, Math.max(needed, 2 * bytes.length)));
        }
    }

    /** Appends one byte into reserved room. */
    void put(final int value) {
        bytes[length++] = (byte) value;
    }

    /** Appends bytes into reserved room. */
    void put(final byte[] source, final int offset, final int count) {
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
    }

    /** Appends the low {@code count} bytes of a number, highest first, into reserved room. */
    void putBigEndian(final long value, final int count) {
        for (int shift = (count - 1) * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            bytes[length++] = (byte) (value >>> shift);
        }
    }

    /** Inverts all bits from a position to the end, which reverses their order. */
    void invertFrom(final int position) {
        for (int i = position; i < length; i++) {
            bytes[i] = (byte) ~bytes[i];
        }
    }
}
