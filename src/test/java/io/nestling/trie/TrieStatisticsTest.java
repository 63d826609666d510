/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieNodeType.LEAF;
import static io.nestling.trie.TrieNodeType.PREFIX_CHAIN;
import static io.nestling.trie.TrieNodeType.SHORT_CHAIN;
import static io.nestling.trie.TrieNodeType.SPARSE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Random;

class TrieStatisticsTest {
    @Test
    void shouldCountNothingInAnEmptyTrie() {
        try (TrieBytes trie = new TrieBytes()) {
            final TrieStatistics statistics = trie.trie().statistics();
            assertEquals(0, statistics.entryCount());
            assertEquals(Map.of(), statistics.nodesByType());
            assertEquals(trie.trie().bytesUsed(), statistics.bytesUsed());
            assertEquals(0, statistics.averagePathNodes());
            assertEquals(0, statistics.averageKeyLength());
        }
    }

    @Test
    void shouldCountASmallTrie() {
        try (TrieBytes trie = new TrieBytes()) {
            trie.put("61", 1);
            trie.put("6263", 1L << 40);
            trie.put("6263646566", 3);
            trie.put("70", 4);
            // sparse: 61 leaf, 62 short chain: prefix chain: leaf, 70 leaf
            final TrieStatistics statistics = trie.trie().statistics();
            assertEquals(4, statistics.entryCount());
            assertEquals(9, statistics.keyBytes());
            assertEquals(Map.of(LEAF, 3L, SPARSE, 1L, SHORT_CHAIN, 1L, PREFIX_CHAIN, 1L),
                statistics.nodesByType());
            assertEquals(32, statistics.bytesByType().get(SPARSE));
            assertEquals(16, statistics.bytesByType().get(SHORT_CHAIN));
            assertEquals(48, statistics.bytesByType().get(PREFIX_CHAIN)); // with the slot of its content
            assertEquals(0, statistics.bytesByType().get(LEAF));
            assertArrayEquals(new long[] {0, 2, 0, 2}, statistics.keysByPathNodes());
            assertEquals(2.0, statistics.averagePathNodes());
            assertEquals(9 / 4.0, statistics.averageKeyLength());
            assertEquals(64 + 32 + 16 + 48, statistics.bytesUsed());
        }
    }

    @Test
    void shouldAddUpToWhatTheTrieUses() {
        final Random random = Seeds.random("TrieStatisticsTest.shouldAddUpToWhatTheTrieUses");
        for (final KeyCorpus corpus : KeyCorpus.all()) {
            try (TrieBytes bytes = new TrieBytes()) {
                final InMemoryTrie trie = bytes.trie();
                long keyBytes = 0;
                for (final byte[] key : corpus.keys()) {
                    trie.put(key, 0, key.length, TrieMaps.payload(random));
                    keyBytes += key.length;
                }
                final TrieStatistics statistics = trie.statistics();
                assertEquals(corpus.size(), statistics.entryCount(), corpus.name());
                assertEquals(keyBytes, statistics.keyBytes());
                assertEquals(trie.bytesUsed(), statistics.bytesUsed());
                final long byType = statistics.bytesByType().values().stream().mapToLong(n -> n).sum();
                assertEquals(trie.bytesUsed() - 64, byType);
                final long keys = java.util.Arrays.stream(statistics.keysByPathNodes()).sum();
                assertEquals(corpus.size(), keys);
            }
        }
    }
}
