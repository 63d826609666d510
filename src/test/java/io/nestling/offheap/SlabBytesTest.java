/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

import java.util.Arrays;

/** Ranges of every length are copied whole, and nothing beside them is written. */
class SlabBytesTest {
    private static final int LONGEST = 200;
    private static final int PLACES = 9;
    private static final byte UNTOUCHED = -1;

    @Test
    void shouldCopyOutTheRangeAndNoMore() {
        try (Slab slab = SlabAllocator.direct().allocate(1 << 12)) {
            final byte[] content = new byte[LONGEST + 2 * PLACES];
            for (int i = 0; i < content.length; i++) {
                content[i] = (byte) (i % 97 + 1);
                slab.putByte(i, content[i]);
            }
            for (int length = 0; length <= LONGEST; length++) {
                for (int place = 0; place < PLACES; place++) {
                    final byte[] copy = new byte[length + 2 * PLACES];
                    Arrays.fill(copy, UNTOUCHED);
                    final byte[] expected = copy.clone();
                    System.arraycopy(content, place, expected, PLACES - place, length);
                    SlabBytes.copyOut(slab, place, copy, PLACES - place, length);
                    assertArrayEquals(expected, copy, length + " bytes from " + place);
                }
            }
        }
    }

    @Test
    void shouldCopyOutUpToTheEndsOfSlabAndArray() {
        try (Slab slab = SlabAllocator.direct().allocate(1 << 12)) {
            for (int length = 0; length <= LONGEST; length++) {
                final byte[] expected = new byte[length];
                Arrays.fill(expected, (byte) length);
                slab.putBytes(slab.size() - length, expected, 0, length);
                final byte[] copy = new byte[length];
                SlabBytes.copyOut(slab, slab.size() - length, copy, 0, length);
                assertArrayEquals(expected, copy, length + " bytes");
            }
        }
    }
}
