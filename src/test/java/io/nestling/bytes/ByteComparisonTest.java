/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteComparisonTest {
    @Test
    void shouldCompareUnsignedAndSortPrefixesFirst() {
        assertTrue(ByteComparison.compare(bytes(0x7F), bytes(0x80)) < 0);
        assertTrue(ByteComparison.compare(bytes(0xFF), bytes(0x00)) > 0);
        assertTrue(ByteComparison.compare(bytes(), bytes(0)) < 0);
        assertTrue(ByteComparison.compare(bytes(1, 2), bytes(1)) > 0);
        assertEquals(0, ByteComparison.compare(bytes(1, 2), bytes(1, 2)));
        assertEquals(0, ByteComparison.compare(bytes(), bytes()));
    }

    @Test
    void shouldReturnTheEndOfAPrefix() {
        assertNull(ByteComparison.prefixEnd(new byte[0]));
        assertNull(ByteComparison.prefixEnd(new byte[] {-1, -1}));
        assertArrayEquals(new byte[] {2}, ByteComparison.prefixEnd(new byte[] {1, -1, -1}));
        assertArrayEquals(new byte[] {1, -128}, ByteComparison.prefixEnd(new byte[] {1, 127}));
    }

    @Test
    void shouldCompareRangesLikeANaiveLoop() {
        final Random random = Seeds.random("ByteComparisonTest.shouldCompareRangesLikeANaiveLoop");
        for (int i = 0; i < 20_000; i++) {
            final byte[] left = randomBytes(random);
            final byte[] right = randomBytes(random);
            final int leftOffset = random.nextInt(left.length + 1);
            final int rightOffset = random.nextInt(right.length + 1);
            final int leftLength = random.nextInt(left.length - leftOffset + 1);
            final int rightLength = random.nextInt(right.length - rightOffset + 1);
            int common = 0;
            while (common < leftLength && common < rightLength
                && left[leftOffset + common] == right[rightOffset + common]) {
                common++;
            }
            final int order = common < leftLength && common < rightLength
                ? (left[leftOffset + common] & 0xFF) - (right[rightOffset + common] & 0xFF)
                : leftLength - rightLength;
            assertEquals(common, ByteComparison.commonPrefix(
                left, leftOffset, leftLength, right, rightOffset, rightLength));
            assertEquals(Integer.signum(order), Integer.signum(ByteComparison.compare(
                left, leftOffset, leftLength, right, rightOffset, rightLength)));
        }
    }

    @Test
    void compareThrowsIndexOutOfBoundsWhenTheRangeIsNotInTheArray() {
        final byte[] two = bytes(1, 2);
        assertThrows(IndexOutOfBoundsException.class, () -> ByteComparison.compare(two, 1, 2, two, 0, 2));
        assertThrows(IndexOutOfBoundsException.class,
            () -> ByteComparison.commonPrefix(two, 0, 2, two, 2, 1));
    }

    private static byte[] randomBytes(final Random random) {
        final byte[] bytes = new byte[random.nextInt(24)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (random.nextInt(12) == 0 ? 0x80 : 1);
        }
        return bytes;
    }

    private static byte[] bytes(final int... values) {
        final byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
