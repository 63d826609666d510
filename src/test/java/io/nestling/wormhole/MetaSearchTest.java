/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.bytes.KeyHash;
import io.nestling.index.IndexContext;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

/** Searches by halves, beside one that looks at every length. */
class MetaSearchTest {
    private static final KeyHash HASH = KeyHash.ofSeed(5);
    private static final int KEYS = 20_000;
    private static final int DEEP_SHARE = 10;

    private final Random random = new Random(Seeds.seed("MetaSearch"));
    private final byte[][] keys = new byte[KEYS][];
    private Wormhole index;
    private MetaNodes nodes;
    private PrefixHasher hasher;

    /* Most keys part within their first bytes, each tenth behind one of a few long prefixes. */
    @BeforeEach
    void open() {
        final HeapKeySource source = new HeapKeySource();
        index = new Wormhole(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(64L << 20), new EpochReclaimer(), source, 64L << 20), HASH);
        nodes = new MetaNodes(index.leaves.slab());
        hasher = new PrefixHasher(HASH);
        for (int i = 0; i < KEYS; i++) {
            keys[i] = key(i % DEEP_SHARE == 0 ? 4 + random.nextInt(4) * 6 : 1, 8);
            source.register(i, keys[i]);
            index.put(keys[i], 0, keys[i].length, i);
        }
    }

    @AfterEach
    void close() {
        index.close();
    }

    private byte[] key(final int shared, final int own) {
        final byte[] key = new byte[shared + own];
        Arrays.fill(key, 0, shared, (byte) 'p');
        for (int i = shared; i < key.length; i++) {
            key[i] = (byte) ('a' + random.nextInt(6));
        }
        return key;
    }

    private int expectedDepth(final byte[] key) {
        hasher.reset(key, 0, key.length);
        int depth = key.length;
        while (depth > 0 && index.table.findExact(hasher.hash(depth), key, 0, depth) == 0) {
            depth--;
        }
        return depth;
    }

    @Test
    void shouldEndAtTheLongestPrefix() {
        final MetaSearch search = new MetaSearch(index.table, nodes, HASH);
        for (int round = 0; round < KEYS; round++) {
            byte[] key = keys[random.nextInt(KEYS)];
            if (round % 3 == 0) {
                key = Arrays.copyOf(key, random.nextInt(key.length + 2));
            }
            final long place = search.find(key, 0, key.length);
            assertEquals(expectedDepth(key), MetaSearch.depth(place));
            final int leaf = search.route(place, key, 0, key.length);
            assertEquals(place, search.verified(place, leaf, key, 0, key.length));
        }
    }

    @Test
    void shouldFindTheLongestPrefixFromThatOfAnotherKey() {
        final MetaSearch search = new MetaSearch(index.table, nodes, HASH);
        for (int round = 0; round < KEYS; round++) {
            final byte[] key = keys[random.nextInt(KEYS)];
            final byte[] other = keys[random.nextInt(KEYS)];
            final long misled = search.find(other, 0, other.length);
            final int depth = MetaSearch.depth(misled);
            if (depth > key.length || Arrays.mismatch(key, 0, depth, other, 0, depth) >= 0) {
                final int leaf = search.route(misled, other, 0, other.length);
                final long place = search.verified(misled, leaf, key, 0, key.length);
                assertEquals(expectedDepth(key), MetaSearch.depth(place), "from depth " + depth);
            }
        }
    }
}
