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
import java.util.Arrays;
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
        assertEquals(1, forest.keys(0, 64));
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
        forest.setRoot(0, 5, 4);
        assertEquals(1L << 6, forest.full(0), "a bucket that leaves the core loses its mark");
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
    void shouldWriteTheSubgraphsOfAGraph() {
        final Random random = Seeds.random("shouldWriteTheSubgraphsOfAGraph");
        for (int round = 0; round < 500; round++) {
            final BucketGraph graph = new BucketGraph();
            final long[] reached = new long[64];
            Arrays.setAll(reached, i -> 1L << i);
            int placed = 0;
            final int keys = random.nextInt(160);
            for (int i = 0; i < keys; i++) {
                final int from = random.nextInt(64);
                final int to = (from + 1 + (random.nextInt(4) == 0 ? random.nextInt(63) : 0)) % 64;
                graph.connect(from, to, 0);
                if (graph.fill(from) < 4) {
                    graph.fill(from, 1);
                    graph.connect(from, to, 1);
                    placed++;
                    final long both = reached[from] | reached[to];
                    for (long rest = both; rest != 0; rest &= rest - 1) {
                        reached[Long.numberOfTrailingZeros(rest)] = both;
                    }
                }
            }
            forest.write(0, -1L, graph);
            verifyNodes(graph, reached);
            assertEquals(placed, forest.keys(0, 64));
            final int root = Long.numberOfTrailingZeros(reached[random.nextInt(64)]);
            forest.write(0, reached[root], graph);
            verifyNodes(graph, reached); // that changed nothing
            verifyRootsOfTwo(random);
        }
    }

    private void verifyNodes(final BucketGraph graph, final long[] reached) {
        long full = 0;
        for (int bucket = 0; bucket < 64; bucket++) {
            final int root = Long.numberOfTrailingZeros(reached[bucket]);
            full |= root == 0 && graph.fill(bucket) == 4 ? 1L << bucket : 0;
            assertEquals(root, forest.root(0, bucket));
            assertEquals(root, forest.walkToRoot(0, bucket));
            assertEquals(reached[bucket], forest.members(0, 64, root));
            assertEquals(Long.bitCount(reached[bucket]) == 1, forest.isEmpty(0, bucket));
            int vacancies = 0;
            for (long rest = reached[bucket]; rest != 0; rest &= rest - 1) {
                vacancies += 4 - graph.fill(Long.numberOfTrailingZeros(rest));
            }
            assertTrue(forest.isEmpty(0, bucket) || forest.vacancies(0, root) == vacancies);
        }
        assertEquals(full, forest.full(0));
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
