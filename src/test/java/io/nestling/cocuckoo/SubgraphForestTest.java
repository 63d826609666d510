/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Seeds;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SubgraphForestTest {
    private final Slab slab = SlabAllocator.direct().allocate(MemoryBudget.SLAB_BYTES);
    private final SubgraphForest forest = new SubgraphForest(slab);

    @AfterEach
    void close() {
        slab.close();
    }

    @Test
    void shouldHoldTheNodesOfTheExample() {
        forest.union(0, 3, 5, 7);
        assertEquals(256 + 7, slab.getShort(RegionLayout.FOREST_OFFSET + 6));
        assertEquals(4, slab.getShort(RegionLayout.FOREST_OFFSET + 10));
        assertEquals(3, forest.root(0, 5));
        assertEquals(7, forest.vacancies(0, 3));
        assertEquals(1L << 3 | 1L << 5, forest.members(0, 64, 3));
        assertTrue(forest.isEmpty(0, 4));
        assertEquals(4, forest.root(0, 4));
        assertEquals(1, forest.keys(0, 64, 4));
    }

    @Test
    void shouldMarkFullBucketsOfTheCoreOnly() {
        forest.union(0, 0, 5, 7);
        forest.union(0, 6, 7, 7);
        forest.markFull(0, 0);
        forest.markFull(0, 5);
        forest.markFull(0, 6);
        assertEquals(1L | 1L << 5, forest.full(0));
        forest.union(0, 0, 6, 14);
        forest.markFull(0, 6);
        assertEquals(1L | 1L << 5 | 1L << 6, forest.full(0));
        forest.clearFull(0, 0);
        forest.clearFull(0, 0);
        forest.setEmpty(0, 5);
        assertEquals(1L << 6, forest.full(0), "a bucket that leaves the core loses its mark");
    }

    @Test
    void shouldSayOfAGraphWhatABuilderFinds() {
        final Random random = Seeds.random("shouldSayOfAGraphWhatABuilderFinds");
        for (int round = 0; round < 500; round++) {
            final BucketGraph graph = new BucketGraph();
            final ForestBuilder builder = new ForestBuilder();
            builder.begin(4);
            long full = 0;
            final int keys = random.nextInt(160);
            for (int i = 0; i < keys; i++) {
                final int from = random.nextInt(64);
                final int to = (from + 1 + random.nextInt(63)) % 64;
                graph.connect(from, to, 0);
                if (graph.fill(from) < 4) {
                    graph.fill(from, 1);
                    final int other = random.nextInt(4) == 0 ? to : (from + 1) % 64;
                    graph.connect(from, other, 1);
                    builder.add(from, other);
                    full |= graph.fill(from) == 4 ? 1L << from : 0;
                }
            }
            forest.write(0, 64, 4, graph);
            builder.verify(forest, 0, 64, 1);
            long core = 0;
            for (int bucket = 0; bucket < 64; bucket++) {
                core |= forest.root(0, bucket) == 0 ? 1L << bucket : 0;
            }
            assertEquals(full & core, forest.full(0));
        }
    }

    @Test
    void shouldBeMaximalWithoutVacancies() {
        forest.union(0, 9, 2, 0);
        assertTrue(forest.isMaximal(0, 2));
        assertFalse(forest.isMaximal(0, 9));
        assertFalse(forest.isMaximal(0, 11), "an EMPTY bucket is not");
        forest.setRoot(0, 2, 1);
        assertFalse(forest.isMaximal(0, 2));
    }

    @Test
    void shouldEndTheWalkOfAReaderInACircle() {
        forest.setParent(0, 1, 2);
        forest.setParent(0, 2, 1);
        assertTrue(forest.root(0, 1) <= 2);
    }

    @Test
    void shouldSayWhatABuilderFinds() {
        final Random random = Seeds.random("shouldSayWhatABuilderFinds");
        for (int round = 0; round < 500; round++) {
            final ForestBuilder builder = new ForestBuilder();
            builder.begin(4);
            final long[] reached = new long[64];
            final int keys = random.nextInt(80);
            for (int i = 0; i < 64; i++) {
                reached[i] = 1L << i;
            }
            long touched = 0;
            for (int i = 0; i < keys; i++) {
                final int from = random.nextInt(64);
                final int to = (from + 1 + random.nextInt(63)) % 64;
                builder.add(from, to);
                touched |= 1L << from | 1L << to;
                final long both = reached[from] | reached[to];
                for (int bucket = 0; bucket < 64; bucket++) {
                    if ((both >>> bucket & 1) != 0) {
                        reached[bucket] = both;
                    }
                }
            }
            builder.write(forest, 0, -1L);
            builder.verify(forest, 0, 64, 1);
            assertEquals(keys, forest.keys(0, 64, 4));
            for (int bucket = 0; bucket < 64; bucket++) {
                assertEquals((touched >>> bucket & 1) == 0, forest.isEmpty(0, bucket));
                if (!forest.isEmpty(0, bucket)) {
                    assertEquals(reached[bucket], forest.members(0, 64, forest.root(0, bucket)));
                }
            }
            verifyRootsOfTwo(random);
        }
    }

    private void verifyRootsOfTwo(final Random random) {
        for (int bucket = 0; bucket < 64; bucket++) {
            final int other = (bucket + 1 + random.nextInt(63)) % 64;
            final int root0 = forest.root(0, bucket);
            final int root1 = forest.root(0, other);
            assertEquals(1L << root0 | 1L << root1, forest.roots(0, bucket, other));
            assertEquals(forest.isMaximal(0, root0) && forest.isMaximal(0, root1), forest.areMaximal(0, bucket, other));
            assertFalse(root0 == root1 && forest.isEmpty(0, bucket), "an EMPTY bucket has a root of its own");
        }
    }
}
