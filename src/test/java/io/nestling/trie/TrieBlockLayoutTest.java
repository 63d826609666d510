/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;

class TrieBlockLayoutTest {
    @Test
    void shouldHaveTheSizesOfTheTable() {
        assertEquals(BLOCK_BYTES, 1 << BLOCK_SHIFT);
        assertEquals(HALF_BYTES, 1 << HALF_SHIFT);
        assertEquals(HALF_BYTES, BLOCK_BYTES / 2);
        assertEquals(FLAT_BYTES, 256 * Integer.BYTES);
        assertEquals(Integer.BYTES, 1 << POINTER_SHIFT);
        assertEquals(TYPE_MASK, (1 << TYPE_BITS) - 1);
        assertEquals(8L << 30, MAX_BYTES);
        assertEquals(1 << 30, INLINE_LIMIT);
    }

    @Test
    void shouldEncodeTheExamples() {
        assertEquals(28, pointer(96, SPARSE));
        assertEquals(0x80000005, inlineLeaf(5));
    }

    @Test
    void shouldGiveBackOffsetAndTypeOfEveryBlock() {
        final Random random = Seeds.random("TrieBlockLayoutTest.shouldGiveBackOffsetAndTypeOfEveryBlock");
        for (int i = 0; i < 10_000; i++) {
            final long block = i == 0 ? MAX_BYTES - BLOCK_BYTES
                : i == 1 ? BLOCK_BYTES : random.nextLong() & MAX_BYTES - 1 & -BLOCK_BYTES | BLOCK_BYTES;
            for (int type = CHAIN; type <= PREFIX; type++) {
                final int node = pointer(block, type);
                assertEquals(block, offset(node));
                assertEquals(type, type(node));
                assertFalse(isLeaf(node));
                assertNotEquals(NONE, node);
                assertTrue(node > NONE);
            }
        }
    }

    @Test
    void shouldKeepPayloadsAndSlotsInLeaves() {
        final Random random = Seeds.random("TrieBlockLayoutTest.shouldKeepPayloadsAndSlotsInLeaves");
        for (int i = 0; i < 10_000; i++) {
            final long payload = i < 2 ? i * (INLINE_LIMIT - 1) : random.nextLong() & INLINE_LIMIT - 1;
            final int inline = inlineLeaf(payload);
            assertTrue(isLeaf(inline) && isInline(inline));
            assertEquals(payload, inline & INLINE_MASK);
            final long place = i == 0 ? MAX_BYTES - HALF_BYTES
                : random.nextLong() & MAX_BYTES - 1 & -HALF_BYTES | HALF_BYTES;
            final int slot = slotLeaf(place);
            assertTrue(isLeaf(slot));
            assertFalse(isInline(slot));
            assertEquals(place, slotOffset(slot));
        }
    }

    @Test
    void shouldHaveOneNumberForEachType() {
        final Set<Integer> types = new HashSet<>(Set.of(
            CHAIN, SHORT_CHAIN_LOW, SHORT_CHAIN_HIGH, BROAD, SPARSE, SPLIT, FLAT, PREFIX));
        assertEquals(TYPE_MASK + 1, types.size());
        types.forEach(type -> assertTrue(type >= 0 && type <= TYPE_MASK));
    }
}
