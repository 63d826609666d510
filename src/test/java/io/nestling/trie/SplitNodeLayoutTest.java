/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;
import static io.nestling.trie.SplitNodeLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

class SplitNodeLayoutTest {
    @Test
    void shouldHaveTheSizesOfTheTable() {
        assertEquals(BLOCK_BYTES, MIDS_OFFSET + MIDS * Integer.BYTES);
        assertEquals(BLOCK_BYTES, TAILS * Integer.BYTES);
        assertEquals(BLOCK_BYTES, CHILDREN * Integer.BYTES);
        assertEquals(TRANSITIONS, MIDS * TAILS * CHILDREN);
        assertEquals(FLAT_BYTES, MIDS * TAILS * BLOCK_BYTES);
        assertTrue(SPLIT_TAILS < FLAT_TAILS, "no flapping between split and flat");
        assertTrue(SPARSE_CHILDREN < SparseNodeLayout.MAX_CHILDREN, "no flapping between sparse and split");
    }

    @Test
    void shouldPlaceTheExample() {
        assertEquals(MIDS_OFFSET + Integer.BYTES, midSlot(0x61));
        assertEquals(4 * Integer.BYTES, tailSlot(0x61));
        assertEquals(Integer.BYTES, childSlot(0x61));
        assertEquals(388, flatSlot(0x61));
    }

    @Test
    void shouldHaveOnePlaceForEachTransition() {
        final Set<String> places = new HashSet<>();
        for (int transition = 0; transition < TRANSITIONS; transition++) {
            assertTrue(midSlot(transition) >= MIDS_OFFSET && midSlot(transition) < BLOCK_BYTES);
            assertTrue(tailSlot(transition) < BLOCK_BYTES && childSlot(transition) < BLOCK_BYTES);
            places.add(midSlot(transition) + " " + tailSlot(transition) + " " + childSlot(transition));
            assertEquals(transition * Integer.BYTES, flatSlot(transition));
        }
        assertEquals(TRANSITIONS, places.size());
    }

    @Test
    void shouldPointToBlocksAllOverTheLargestSlab() {
        for (long block = BLOCK_BYTES; block < MAX_BYTES; block = block * 3 & -BLOCK_BYTES) {
            assertEquals(block, blockOffset(blockPointer(block)));
        }
        assertEquals(MAX_BYTES - BLOCK_BYTES, blockOffset(blockPointer(MAX_BYTES - BLOCK_BYTES)));
    }

    @Test
    void shouldLieInMemoryAsTheTableSays() {
        try (TrieBytes trie = new TrieBytes()) {
            for (int i = 0; i < 7; i++) {
                trie.put(String.format(Locale.ROOT, "%02x", 0x60 + i), i);
            }
            for (int i = 8; i < 32; i++) {
                trie.put(String.format(Locale.ROOT, "%02x", 0x60 + i), i);
            }
            final int node = trie.nodes().root();
            assertEquals(SPLIT, type(node));
            final long mid = blockOffset(trie.nodes().pointerAt(offset(node) + midSlot(0x61)));
            final long tail = blockOffset(trie.nodes().pointerAt(mid + tailSlot(0x61)));
            assertEquals(inlineLeaf(1), trie.nodes().pointerAt(tail + childSlot(0x61)));
            assertEquals("00".repeat(20) + trie.pointerHex(blockPointer(mid)) + "00".repeat(8),
                trie.hex(offset(node), BLOCK_BYTES));
            assertEquals("00".repeat(16) + trie.pointerHex(blockPointer(tail)), trie.hex(mid, 20));
            assertEquals("0000008001000080020000800300008004000080050000800600008000000000",
                trie.hex(tail, BLOCK_BYTES));
        }
    }

    @Test
    void shouldLieInMemoryInOnePieceWhenItIsFlat() {
        try (TrieBytes trie = new TrieBytes()) {
            for (int i = 0; i < TRANSITIONS; i++) {
                trie.put(String.format(Locale.ROOT, "%02x", i), i);
            }
            final int node = trie.nodes().root();
            assertEquals(FLAT, type(node));
            assertEquals(0, offset(node) % 64, "begins on a line");
            for (int i = 0; i < TRANSITIONS; i++) {
                assertEquals(inlineLeaf(i), trie.nodes().pointerAt(offset(node) + flatSlot(i)));
            }
            assertEquals("61000080", trie.hex(offset(node) + 388, Integer.BYTES));
        }
    }
}
