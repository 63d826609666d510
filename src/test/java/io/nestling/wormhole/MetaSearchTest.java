/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.KeyHash;
import io.nestling.index.IndexContext;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

/** Searches that begin where others have ended, beside one that looks at every length. */
class MetaSearchTest {
    private static final KeyHash HASH = KeyHash.ofSeed(5);
    private static final int KEYS = 20_000;
    private static final int DEEP_SHARE = 10;
    private static final int ROUNDS_OF_A_RIGHT_GUESS = 3;

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
        nodes = new MetaNodes(index.leaves().slab());
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

    private MetaSearch search(final int probes, final UsualDepth usual) {
        return new MetaSearch(index.table(), nodes, HASH, probes, usual);
    }

    private int expectedDepth(final byte[] key) {
        hasher.reset(key, 0, key.length);
        int depth = key.length;
        while (depth > 0 && index.table().findExact(hasher.hash(depth), key, 0, depth) == 0) {
            depth--;
        }
        return depth;
    }

    private static int step(final MetaSearch search, final byte[] key, final PrefetchVector lines) {
        int rounds = 0;
        search.begin(key, 0, key.length);
        while (search.probe(lines)) {
            lines.request();
            search.narrowStep();
            rounds++;
        }
        return rounds;
    }

    @Test
    void shouldEndAtTheLongestPrefixWhereverItBegins() {
        final PrefetchVector lines = new PrefetchVector();
        final MetaSearch single = new MetaSearch(index.table(), nodes, HASH);
        final UsualDepth usual = new UsualDepth();
        final MetaSearch steps = search(1, usual);
        for (int round = 0; round < KEYS; round++) {
            byte[] key = keys[random.nextInt(KEYS)];
            if (round % 3 == 0) {
                key = Arrays.copyOf(key, random.nextInt(key.length + 2));
            }
            if (round % 500 == 0) {
                for (int i = random.nextInt(200); i > 0; i--) {
                    usual.learn(round / 500); // any depth may be thought the usual one
                }
            }
            final int expected = expectedDepth(key);
            final int leaf = single.search(key, 0, key.length);
            assertEquals(leaf, single.searchVerified(key, 0, key.length));
            assertEquals(expected, single.depth());
            step(steps, key, lines);
            assertEquals(expected, steps.depth());
            assertEquals(leaf, steps.route());
        }
    }

    @Test
    void shouldProbeFewLengthsWhereSearchesUsuallyEnd() {
        final PrefetchVector lines = new PrefetchVector();
        final UsualDepth usual = new UsualDepth();
        final MetaSearch steps = search(1, usual);
        int beside = 0;
        for (final byte[] key : keys) {
            final boolean trusted = usual.isTrusted();
            final int guess = usual.depth();
            final int rounds = step(steps, key, lines);
            if (trusted && Math.abs(steps.depth() - guess) <= 1) {
                beside++;
                assertTrue(rounds <= ROUNDS_OF_A_RIGHT_GUESS, rounds + " rounds to depth " + steps.depth() + " from " + guess);
            }
        }
        assertTrue(beside > KEYS / 2, beside + " searches ended beside the usual depth");
    }
}
