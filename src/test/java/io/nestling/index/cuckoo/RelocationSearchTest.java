/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.cuckoo;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RelocationSearchTest {
    private static final int CELLS = 4;

    /** Nodes of one to three cells in heap arrays: a node is its number, in each of its cells. */
    private static final class Buckets implements CuckooBuckets {
        private final int[][] cells;
        private final long[] first;
        private final long[] second;
        private final int[] size;
        private final boolean knowsRoom;
        private int nodes;
        /* Buckets named since the search began. */
        private final Set<Long> named = new HashSet<>();
        private int requests;

        Buckets(final int buckets, final int mostNodes, final boolean knowsRoom) {
            this.knowsRoom = knowsRoom;
            cells = new int[buckets][CELLS];
            first = new long[mostNodes];
            second = new long[mostNodes];
            size = new int[mostNodes];
        }

        int newNode(final long primary, final long secondary, final int nodeCells) {
            nodes++;
            first[nodes] = primary;
            second[nodes] = secondary;
            size[nodes] = nodeCells;
            return nodes;
        }

        private int startFor(final long bucket, final int nodeCells, final int leaving) {
            final int[] row = cells[(int) bucket].clone();
            if (leaving != NO_CELL) {
                final int node = row[leaving];
                Arrays.setAll(row, i -> row[i] == node ? 0 : row[i]);
            }
            for (int start = 0; start + nodeCells <= CELLS; start++) {
                if (Arrays.stream(row, start, start + nodeCells).allMatch(node -> node == 0)) {
                    return start;
                }
            }
            return NO_CELL;
        }

        void put(final int node, final long bucket) {
            final int start = startFor(bucket, size[node], NO_CELL);
            Arrays.fill(cells[(int) bucket], start, start + size[node], node);
        }

        void move(final long from, final int cell, final long to) {
            final int node = cells[(int) from][cell];
            assertTrue(startFor(to, size[node], NO_CELL) != NO_CELL, "a move goes to a place that is free by then");
            put(node, to);
            Arrays.setAll(cells[(int) from], i -> cells[(int) from][i] == node ? 0 : cells[(int) from][i]);
        }

        @Override
        public int cellsPerBucket() {
            return CELLS;
        }

        @Override
        public int nodeCells(final long bucket, final int cell) {
            assertTrue(named.contains(bucket), "a bucket is asked for before it is read");
            final int node = cells[(int) bucket][cell];
            return node == 0 || cell > 0 && cells[(int) bucket][cell - 1] == node ? 0 : size[node];
        }

        @Override
        public long alternateBucket(final long bucket, final int cell) {
            final int node = cells[(int) bucket][cell];
            return first[node] + second[node] - bucket;
        }

        @Override
        public boolean fits(final long bucket, final int nodeCells, final int leaving) {
            return startFor(bucket, nodeCells, leaving) != NO_CELL;
        }

        @Override
        public void prefetch(final long bucket) {
            assertTrue(bucket >= 0 && bucket < cells.length);
            named.add(bucket);
        }

        @Override
        public void request() {
            requests++;
        }

        @Override
        public boolean knowsRoom() {
            return knowsRoom;
        }

        boolean find(final RelocationSearch search, final long primary, final long secondary, final int nodeCells) {
            named.clear();
            named.add(primary);
            named.add(secondary);
            requests = 0;
            return search.find(this, primary, secondary, nodeCells);
        }
    }

    private static boolean insert(final Buckets table, final RelocationSearch search, final int node) {
        if (!table.find(search, table.first[node], table.second[node], table.size[node])) {
            return false;
        }
        for (int move = search.firstMove(); move >= 0; move = search.nextMove(move)) {
            table.move(search.fromBucket(move), search.fromCell(move), search.toBucket(move));
        }
        table.put(node, search.freedBucket());
        return true;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNeedNoMoveWhereThereIsRoom(final boolean knowsRoom) {
        final Buckets table = new Buckets(4, 10, knowsRoom);
        final RelocationSearch search = new RelocationSearch(16);
        assertTrue(table.find(search, 2, 3, 1));
        assertTrue(search.firstMove() < 0);
        assertEquals(2, search.freedBucket());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFindTheShortestChain(final boolean knowsRoom) {
        final Buckets table = new Buckets(8, 40, knowsRoom);
        for (int i = 0; i < CELLS; i++) {
            table.put(table.newNode(0, 2, 1), 0); // both go on to bucket 2, which is full
            table.put(table.newNode(1, i == 3 ? 3 : 2, 1), 1); // but for this one
            table.put(table.newNode(2, 4, 1), 2);
        }
        final RelocationSearch search = new RelocationSearch(64);
        assertTrue(table.find(search, 0, 1, 1));
        assertEquals(1, search.freedBucket());
        assertEquals(3, search.fromCell(search.firstMove()));
        assertEquals(3, search.toBucket(search.firstMove()));
        assertTrue(search.nextMove(search.firstMove()) < 0);
        assertEquals(knowsRoom ? 0 : 2, table.requests);
    }

    @Test
    void shouldAskForBucketsTogetherThatItLooksBehind() {
        final Buckets table = new Buckets(8, 40, true);
        for (int i = 0; i < CELLS; i++) {
            table.put(table.newNode(0, 2, 1), 0);
            table.put(table.newNode(1, 3, 1), 1);
            table.put(table.newNode(2, 0, 1), 2);
            table.put(table.newNode(3, 4, 1), 3);
        }
        final RelocationSearch search = new RelocationSearch(64);
        assertTrue(table.find(search, 0, 1, 1));
        assertEquals(4, search.toBucket(search.firstMove()));
        assertEquals(3, search.fromBucket(search.firstMove()));
        assertEquals(1, search.freedBucket());
        assertEquals(1, table.requests);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGiveUpWhereNodesOnlyChangePlaces(final boolean knowsRoom) {
        final Buckets table = new Buckets(4, 10, knowsRoom);
        for (int i = 0; i < CELLS; i++) {
            table.put(table.newNode(0, 1, 1), 0);
            table.put(table.newNode(0, 1, 1), 1);
        }
        final RelocationSearch search = new RelocationSearch(64);
        assertFalse(table.find(search, 0, 1, 1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFillMostOfATableWithNodesOfOneCell(final boolean knowsRoom) {
        assertTrue(fill(1, 1, knowsRoom) > 0.93);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFillMostOfATableWithNodesOfSeveralSizes(final boolean knowsRoom) {
        // one node leaves a bucket at a time: three small ones do not make room for a large one
        assertTrue(fill(1, 3, knowsRoom) > 0.1);
    }

    private static double fill(final int least, final int most, final boolean knowsRoom) {
        final long seed = Seeds.seed("RelocationSearchTest.fill" + least + most);
        final Random random = new Random(seed);
        final int buckets = 512;
        final Buckets table = new Buckets(buckets, buckets * CELLS + 1, knowsRoom);
        final RelocationSearch search = new RelocationSearch(500);
        while (true) {
            final int primary = random.nextInt(buckets);
            final int secondary = (primary + 1 + random.nextInt(buckets - 1)) % buckets;
            final int node = table.newNode(primary, secondary, least + random.nextInt(most - least + 1));
            if (!insert(table, search, node)) {
                break;
            }
        }
        // Every node stands whole in one of its buckets.
        final int[] seen = new int[table.nodes + 1];
        int used = 0;
        for (int bucket = 0; bucket < buckets; bucket++) {
            for (final int node : table.cells[bucket]) {
                used += node == 0 ? 0 : 1;
                seen[node]++;
                assertTrue(node == 0 || table.first[node] == bucket || table.second[node] == bucket);
            }
        }
        for (int node = 1; node < table.nodes; node++) {
            assertEquals(table.size[node], seen[node]);
        }
        return (double) used / (buckets * CELLS);
    }
}
