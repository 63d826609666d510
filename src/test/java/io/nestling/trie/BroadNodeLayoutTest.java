/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;
import static io.nestling.trie.BroadNodeLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.PointIndex;

import org.junit.jupiter.api.Test;

import java.util.Locale;

class BroadNodeLayoutTest {
    private static String key(final int transition) {
        return String.format(Locale.ROOT, "%02x", transition);
    }

    @Test
    void shouldHaveTheSizesOfTheTable() {
        assertEquals(COUNT_OFFSET, MAX_CHILDREN);
        assertEquals(BROAD_BYTES, CHILDREN_OFFSET + MAX_CHILDREN * Integer.BYTES);
        assertEquals(BROAD_BYTES, 2 * LINE_BYTES);
        assertTrue(SplitNodeLayout.SPARSE_CHILDREN < SparseNodeLayout.MAX_CHILDREN, "no flapping between sparse and broad");
        assertTrue(SplitNodeLayout.BROAD_CHILDREN < MAX_CHILDREN, "no flapping between broad and split");
    }

    @Test
    void shouldLieInMemoryAsTheTableSays() {
        try (TrieBytes trie = new TrieBytes()) {
            for (int i = 0; i < 9; i++) {
                trie.put(key(0xF0 - i), i);
            }
            final int node = trie.nodes().root();
            assertEquals(BROAD, type(node));
            assertEquals(0, offset(node) % LINE_BYTES);
            // The first six came from a sparse node, in order.
            assertEquals("ebecedeeeff0eae9" + "e8" + "00".repeat(15) + "09000000" + "00000000"
                + "0500008004000080030000800200008001000080000000800600008007000080" + "08000080" + "00".repeat(60),
                trie.hex(offset(node), BROAD_BYTES));
        }
    }

    @Test
    void shouldTellTheTransitionZeroFromUnusedBytes() {
        try (TrieBytes trie = new TrieBytes()) {
            for (int i = 1; i <= 12; i++) {
                trie.put(key(i), i);
            }
            assertEquals(PointIndex.NONE, trie.get("00"));
            trie.put("00", 13);
            assertEquals(13, trie.get("00"));
            trie.trie().verify();
        }
    }

    @Test
    void shouldUseThePlaceOfARemovedChildForTheSameTransitionAgain() {
        try (TrieBytes trie = new TrieBytes()) {
            for (int i = 0; i < MAX_CHILDREN; i++) {
                trie.put(key(i), i);
            }
            final int node = trie.nodes().root();
            for (int round = 0; round < 3; round++) {
                assertEquals(7 + 100 * round, trie.remove(key(7)));
                assertEquals(PointIndex.NONE, trie.get(key(7)));
                trie.put(key(7), 107 + 100 * round);
                assertEquals(node, trie.nodes().root());
                trie.trie().verify();
            }
        }
    }

    @Test
    void shouldDropRemovedChildrenWhenItIsFull() {
        try (TrieBytes trie = new TrieBytes()) {
            for (int i = 0; i < MAX_CHILDREN; i++) {
                trie.put(key(i), i);
            }
            for (int i = 0; i < 10; i++) {
                trie.remove(key(i));
            }
            for (int i = 0; i < 10; i++) {
                trie.put(key(100 + i), i);
                trie.trie().verify();
                assertEquals(BROAD, type(trie.nodes().root()));
            }
            assertEquals(MAX_CHILDREN, trie.trie().entryCount());
            trie.put(key(200), 1);
            assertEquals(SPLIT, type(trie.nodes().root()));
            trie.trie().verify();
        }
    }
}
