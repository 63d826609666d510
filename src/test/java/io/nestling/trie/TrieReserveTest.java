/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Seeds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keys that take the most blocks, each of them, put after one reservation of all, while nothing is used again and no memory is
 * left beside the reservation.
 */
class TrieReserveTest {
    private static final int CAPACITY_BYTES = 8 << 20;
    /* So many that the slab grows by small steps: what it has beyond the reservation is little. */
    private static final int SLABS = 64;
    /* A payload that needs a slot of its own. */
    private static final long LARGE = 1L << 40;

    /** Children of each node before, and new ones: on either side of where a node changes its form. */
    @ParameterizedTest
    @ValueSource(strings = {
        "0 1", "0 7", "0 8", "0 25", "0 40", "1 1", "2 5", "6 1", "6 2", "6 19", "24 1", "24 2", "20 5", "25 8", "40 3"})
    void shouldKeepWhatItPromisesToKeysThatChangeTheFormsOfNodes(final String counts) {
        final int before = Integer.parseInt(counts.split(" ")[0]);
        final int added = Integer.parseInt(counts.split(" ")[1]);
        final List<byte[]> present = new ArrayList<>();
        final List<byte[]> coming = new ArrayList<>();
        for (int node = 0; node < 300; node++) {
            for (int child = 0; child < before + added; child++) {
                // Children that are far apart, so that each is in a tail block of its own as long as there are some.
                final byte[] key = {(byte) (node >>> 4), (byte) (node << 4), 7, (byte) (child * 8 + child / 32), 1, 2, 3};
                (child < before ? present : coming).add(key);
            }
        }
        check(present, coming);
    }

    /** Keys that part within the chains of others, end within them, or go on behind them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 12, 13, 26, 27, 28, 60})
    void shouldKeepWhatItPromisesToKeysThatDivideChains(final int length) {
        final Random random = Seeds.random("TrieReserveTest");
        final List<byte[]> present = new ArrayList<>();
        final List<byte[]> coming = new ArrayList<>();
        for (int i = 0; i < 1_500; i++) {
            final byte[] key = new byte[length + 3];
            random.nextBytes(key);
            key[0] = (byte) i;
            key[1] = (byte) (i >>> 8);
            present.add(key);
            final byte[] other = Arrays.copyOf(key, random.nextInt(4) == 0
                ? 3 + random.nextInt(length) : key.length + random.nextInt(30));
            if (random.nextInt(3) > 0) {
                other[Math.min(other.length, 3 + length / 2) - 1] ^= 1;
            }
            if (!Arrays.equals(key, other)) {
                coming.add(other);
            }
        }
        check(present, coming);
        check(List.of(), coming);
    }

    private static void check(final List<byte[]> present, final List<byte[]> coming) {
        final MemoryBudget budget = MemoryBudget.ofBytes(CAPACITY_BYTES, SLABS);
        final EpochReclaimer epochs = new EpochReclaimer();
        try (InMemoryTrie trie = new InMemoryTrie(
            new IndexContext(SlabAllocator.direct(), budget, epochs, KeySource.NONE, CAPACITY_BYTES))) {
            epochs.guard(); // held to the end: no block is used again
            present.forEach(key -> trie.put(key, 0, key.length, LARGE));
            int from = 0;
            for (int part = coming.size(); from < coming.size();) {
                final List<byte[]> keys = coming.subList(from, Math.min(coming.size(), from + part));
                try {
                    trie.reserve(keys.size(), keys.stream().mapToLong(key -> key.length).sum());
                } catch (final SpaceExhaustedException e) {
                    assertTrue(part > 1, e.getMessage());
                    part /= 2;
                    continue;
                }
                final long left = budget.remaining();
                assertTrue(budget.tryAcquire(left));
                keys.forEach(key -> trie.put(key, 0, key.length, LARGE));
                budget.release(left);
                from += keys.size();
            }
            trie.verify();
            final byte[] last = coming.get(coming.size() - 1);
            assertEquals(LARGE, trie.get(last, 0, last.length));
        }
    }
}
