/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;
import static io.nestling.trie.PrefixNodeLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.Locale;

class PrefixNodeLayoutTest {
    @Test
    void shouldHaveTheSizesOfTheTable() {
        assertEquals(BLOCK_BYTES, CHILD_OFFSET + Integer.BYTES);
        assertEquals(FORM_OFFSET, CONTENT_OFFSET + Integer.BYTES);
        assertEquals(MIN_CHAIN_START, FORM_OFFSET + 1);
        assertEquals(23, MAX_CHAIN_TRANSITIONS);
        assertEquals(ChainNodeLayout.CHILD_OFFSET, CHILD_OFFSET);
        assertTrue(SplitNodeLayout.MIDS_OFFSET > FORM_OFFSET, "the head of a split node leaves room for it");
        assertTrue(FORM_SPLIT > CHILD_OFFSET && FORM_STANDALONE > CHILD_OFFSET, "no start of a chain");
    }

    @Test
    void shouldLieInMemoryAsTheExampleSays() {
        try (TrieBytes trie = new TrieBytes()) {
            trie.put("6162", 5);
            trie.put("", 7);
            final int node = trie.nodes().root();
            assertEquals(PREFIX, type(node));
            assertEquals("07000080" + "1a" + "00".repeat(21) + "6162" + "05000080",
                trie.hex(offset(node), BLOCK_BYTES));
            assertTrue(trie.nodes().isChainLike(node));
            assertFalse(trie.nodes().isStandalonePrefix(node));
        }
    }

    @Test
    void shouldEmbedChainsOfUpToTheMostTransitions() {
        for (int length = 1; length <= 40; length++) {
            for (final boolean contentFirst : new boolean[] {true, false}) {
                try (TrieBytes trie = new TrieBytes()) {
                    final String key = "61".repeat(length);
                    trie.put(contentFirst ? "" : key, 1);
                    trie.put(contentFirst ? key : "", 2);
                    final int node = trie.nodes().root();
                    assertEquals(PREFIX, type(node));
                    // A longer path is cut so that what does not fill a block comes last.
                    final int first = Math.min(length, ChainNodeLayout.MAX_TRANSITIONS);
                    final boolean embeds = trie.nodes().isChainLike(node);
                    if (length <= ChainNodeLayout.MAX_TRANSITIONS) {
                        assertEquals(first <= MAX_CHAIN_TRANSITIONS, embeds, "length " + length);
                    }
                    if (embeds) {
                        final int start = trie.nodes().prefixForm(node);
                        assertEquals(CHILD_OFFSET - start, trie.nodes().chainLength(node));
                        assertTrue(start >= MIN_CHAIN_START);
                    } else {
                        assertTrue(trie.nodes().isStandalonePrefix(node));
                    }
                }
            }
        }
    }

    @Test
    void shouldShareTheHeadOfASplitNode() {
        try (TrieBytes trie = new TrieBytes()) {
            for (int i = 0; i <= BroadNodeLayout.MAX_CHILDREN; i++) {
                trie.put(String.format(Locale.ROOT, "%02x", i + (i & 3) * 64), i);
            }
            final int split = trie.nodes().root();
            final String mids = trie.hex(offset(split) + SplitNodeLayout.MIDS_OFFSET, 16);
            trie.put("", 7);
            final int node = trie.nodes().root();
            assertEquals(PREFIX, type(node));
            assertEquals("07000080" + "fe" + "00".repeat(11) + mids, trie.hex(offset(node), BLOCK_BYTES));
            assertFalse(trie.nodes().isChainLike(node));
            assertFalse(trie.nodes().isStandalonePrefix(node));
        }
    }

    @Test
    void shouldStandBeforeASparseNode() {
        try (TrieBytes trie = new TrieBytes()) {
            trie.put("61", 1);
            trie.put("62", 2);
            final int sparse = trie.nodes().root();
            trie.put("", 7);
            final int node = trie.nodes().root();
            assertEquals("07000080" + "ff" + "00".repeat(23) + trie.pointerHex(sparse),
                trie.hex(offset(node), BLOCK_BYTES));
            assertTrue(trie.nodes().isStandalonePrefix(node));
        }
    }
}
