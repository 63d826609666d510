/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;
import static io.nestling.trie.ChainNodeLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.Locale;

class ChainNodeLayoutTest {
    @Test
    void shouldHaveTheSizesOfTheTable() {
        assertEquals(BLOCK_BYTES, CHILD_OFFSET + Integer.BYTES);
        assertEquals(HALF_BYTES, SHORT_CHILD_OFFSET + Integer.BYTES);
        assertEquals(MAX_TRANSITIONS, CHILD_OFFSET - START_OFFSET - 1);
        assertEquals(MAX_SHORT_TRANSITIONS, SHORT_CHILD_OFFSET - START_OFFSET - 1);
        assertEquals(0, CHILD_OFFSET % Integer.BYTES);
        assertEquals(0, SHORT_CHILD_OFFSET % Integer.BYTES);
    }

    @Test
    void shouldLieInMemoryAsTheExampleSays() {
        try (TrieBytes trie = new TrieBytes()) {
            trie.put("616263", 5);
            final int node = trie.nodes().root();
            assertTrue(type(node) == SHORT_CHAIN_LOW || type(node) == SHORT_CHAIN_HIGH);
            assertEquals("09000000000000000061626305000080", trie.hex(base(node), HALF_BYTES));
        }
    }

    @Test
    void shouldPickTheSmallestLayoutForEachLength() {
        for (int length = 1; length <= MAX_TRANSITIONS; length++) {
            final int type = typeFor(length);
            assertEquals(length <= 11 ? SHORT_CHAIN_LOW : CHAIN, type);
            assertTrue(isChain(type));
        }
        assertFalse(isChain(BROAD));
        assertFalse(isChain(SPARSE));
        assertFalse(isChain(SPLIT));
        assertFalse(isChain(FLAT));
        assertFalse(isChain(PREFIX));
    }

    @Test
    void shouldSpellChainsOfEveryLength() {
        for (int length = 1; length <= MAX_TRANSITIONS; length++) {
            try (TrieBytes trie = new TrieBytes()) {
                final StringBuilder key = new StringBuilder();
                for (int i = 0; i < length; i++) {
                    key.append(String.format(Locale.ROOT, "%02x", 0xF0 - i));
                }
                trie.put(key.toString(), length);
                final int node = trie.nodes().root();
                final long base = base(node);
                final int bytes = length <= MAX_SHORT_TRANSITIONS ? HALF_BYTES : BLOCK_BYTES;
                final int start = bytes - Integer.BYTES - length;
                assertEquals(0, base % bytes, "aligned to its size");
                assertEquals(length, trie.nodes().chainLength(node));
                assertEquals(base + start, trie.nodes().chainStart(node));
                assertEquals(base + bytes - Integer.BYTES, trie.nodes().chainChildSlot(node));
                assertEquals(key.toString(), trie.hex(base + start, length));
                assertEquals(start, Integer.parseInt(trie.hex(base + START_OFFSET, 1), 16));
                assertEquals(inlineLeaf(length), trie.nodes().pointerAt(trie.nodes().chainChildSlot(node)));
            }
        }
    }

    @Test
    void shouldTakeHalfABlockForAShortChain() {
        try (TrieBytes trie = new TrieBytes()) {
            final long empty = trie.trie().bytesUsed();
            trie.put("616161", 1);
            assertEquals(HALF_BYTES, trie.trie().bytesUsed() - empty);
            trie.put("716161", 2);
            assertEquals(BLOCK_BYTES + 2 * HALF_BYTES, trie.trie().bytesUsed() - empty);
            final int first = trie.nodes().child(trie.nodes().root(), 0x61);
            final int second = trie.nodes().child(trie.nodes().root(), 0x71);
            for (final int chain : new int[] {first, second}) {
                final boolean low = base(chain) % BLOCK_BYTES == 0;
                assertEquals(low ? SHORT_CHAIN_LOW : SHORT_CHAIN_HIGH, type(chain));
                assertEquals(offset(chain) + (low ? 0 : HALF_BYTES), base(chain));
            }
        }
    }
}
