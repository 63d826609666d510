/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

/** Anchors whose ends stand in blocks of their own, beside arrays. */
class AnchorTest {
    private static final long LEAF = 4096;
    private static final long BLOCK = 1 << 17;

    private static byte[] changed(final byte[] anchor, final int at, final int by) {
        final byte[] copy = anchor.clone();
        copy[at] += (byte) by;
        return copy;
    }

    @Test
    void shouldBeReadAsItWasWritten() {
        final Random random = new Random(Seeds.seed("Anchor.shouldBeReadAsItWasWritten"));
        try (Slab slab = SlabAllocator.direct().allocate(MemoryBudget.SLAB_BYTES)) {
            slab.putInt(LEAF + LeafLayout.ANCHOR_BLOCK_OFFSET, LeafLayout.reference(BLOCK));
            for (int length = 0; length <= 100; length++) {
                final byte[] anchor = new byte[length];
                for (int i = 0; i < length; i++) {
                    anchor[i] = (byte) (1 + random.nextInt(200));
                }
                Anchor.put(slab, LEAF, anchor, length);
                final byte[] copy = new byte[length];
                assertEquals(length, Anchor.copy(slab, LEAF, copy));
                assertArrayEquals(anchor, copy);
                final byte[] longer = Arrays.copyOf(anchor, length + 1);
                assertEquals(length, Anchor.commonPrefix(slab, LEAF, longer, 0, length + 1));
                assertTrue(Anchor.admits(slab, LEAF, longer, 0, length + 1));
                for (int at = 0; at < length; at++) {
                    assertEquals(anchor[at] & 0xFF, Anchor.byteAt(slab, LEAF, at));
                    assertEquals(at, Anchor.commonPrefix(slab, LEAF, changed(anchor, at, 1), 0, length));
                    assertTrue(Anchor.admits(slab, LEAF, changed(anchor, at, 1), 0, length));
                    assertFalse(Anchor.admits(slab, LEAF, changed(anchor, at, -1), 0, length));
                    assertFalse(Anchor.admits(slab, LEAF, anchor, 0, at));
                    assertTrue(Anchor.startsWith(slab, LEAF, anchor, 0, at));
                }
            }
        }
    }

    @Test
    void shouldTakeABlockForWhatTheLeafHasNoRoomFor() {
        assertFalse(Anchor.needsBlock(LeafLayout.ANCHOR_BYTES));
        assertTrue(Anchor.needsBlock(LeafLayout.ANCHOR_BYTES + 1));
        assertEquals(16, WormholeBlockClasses.bytes(Anchor.blockClass(36)));
        assertEquals(32, WormholeBlockClasses.bytes(Anchor.blockClass(37)));
        assertEquals(1 << 16, WormholeBlockClasses.bytes(Anchor.blockClass(65_535)));
    }
}
