/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

import java.util.Arrays;

/**
 * Unsigned lexicographic order of byte strings: the order of every key in this library. A string sorts before
 * its extensions.
 */
public final class ByteComparison {
    private ByteComparison() {
    }

    /**
     * Compares two byte strings.
     *
     * @param left the first string
     * @param right the second string
     * @return negative, zero or positive as {@code left} sorts before, with or after {@code right}
     */
    public static int compare(final byte[] left, final byte[] right) {
        return Arrays.compareUnsigned(left, right);
    }

    /**
     * Compares two ranges of bytes.
     *
     * @param left array of the first string
     * @param leftOffset start of the first string
     * @param leftLength bytes of the first string
     * @param right array of the second string
     * @param rightOffset start of the second string
     * @param rightLength bytes of the second string
     * @return negative, zero or positive as the first sorts before, with or after the second
     */
    public static int compare(
        final byte[] left, final int leftOffset, final int leftLength,
        final byte[] right, final int rightOffset, final int rightLength) {
        return Arrays.compareUnsigned(
            left, leftOffset, leftOffset + leftLength, right, rightOffset, rightOffset + rightLength);
    }

    /**
     * Returns the length of the common prefix of two ranges.
     *
     * @param left array of the first string
     * @param leftOffset start of the first string
     * @param leftLength bytes of the first string
     * @param right array of the second string
     * @param rightOffset start of the second string
     * @param rightLength bytes of the second string
     * @return number of leading bytes that both share
     */
    public static int commonPrefix(
        final byte[] left, final int leftOffset, final int leftLength,
        final byte[] right, final int rightOffset, final int rightLength) {
        final int mismatch = Arrays.mismatch(
            left, leftOffset, leftOffset + leftLength, right, rightOffset, rightOffset + rightLength);
        return mismatch < 0 ? leftLength : mismatch;
    }

    /**
     * Returns the end of the keys that begin with a prefix.
     *
     * @param prefix the prefix
     * @return the smallest key above all of them; null if there is none, since the prefix has only bytes of 0xFF
     */
    public static byte[] prefixEnd(final byte[] prefix) {
        int length = prefix.length;
        while (length > 0 && prefix[length - 1] == (byte) 0xFF) {
            length--;
        }
        if (length == 0) {
            return null;
        }
        final byte[] end = Arrays.copyOf(prefix, length);
        end[length - 1]++;
        return end;
    }
}
