/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;
import static io.nestling.trie.SparseNodeLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

class SparseNodeLayoutTest {
    @Test
    void shouldHaveTheSizesOfTheTable() {
        assertEquals(META_OFFSET, CHILDREN_OFFSET + MAX_CHILDREN * Integer.BYTES);
        assertEquals(BLOCK_BYTES, META_OFFSET + Long.BYTES);
        assertEquals(ORDER_SHIFT, MAX_CHILDREN * TRANSITION_BITS);
        assertEquals(0, META_OFFSET % Long.BYTES);
        assertEquals(ORDER_BASE, MAX_CHILDREN);
        // The greatest order word, 5 in the last of six digits, fits its two bytes.
        assertTrue(Math.pow(ORDER_BASE, MAX_CHILDREN) <= 1 << Short.SIZE);
    }

    @Test
    void shouldOrderChildrenAsTheExampleSays() {
        long meta = withChild(firstChild('b'), 1, 'd');
        assertEquals(6, order(meta));
        meta = withChild(meta, 2, 'a');
        assertEquals(38, order(meta));
        assertEquals(List.of(2, 0, 1), indexes(meta));
    }

    private static List<Integer> indexes(final long meta) {
        final List<Integer> indexes = new ArrayList<>();
        for (int order = order(meta); order != 0; order /= ORDER_BASE) {
            indexes.add(order % ORDER_BASE);
        }
        assertEquals(indexes.size(), count(meta));
        return indexes;
    }

    @Test
    void shouldKeepEveryOrderOfSixChildren() {
        final int[] transitions = {0x00, 0x01, 0x61, 0x7F, 0x80, 0xFF};
        int orders = 0;
        for (final List<Integer> permutation : permutations(transitions)) {
            orders += addInOrder(permutation);
        }
        assertEquals(720, orders);
    }

    /** Adds children one after the other, as a writer does, and checks each state on the way. */
    private static int addInOrder(final List<Integer> added) {
        final int low = Math.min(added.get(0), added.get(1));
        final int high = Math.max(added.get(0), added.get(1));
        long meta = withChild(firstChild(low), 1, high);
        final TreeSet<Integer> present = new TreeSet<>(List.of(low, high));
        check(meta, present, low);
        for (int count = 2; count < MAX_CHILDREN; count++) {
            meta = withChild(meta, count, added.get(count));
            assertEquals(count, indexOf(meta, added.get(count)), "a child keeps the index it was added at");
            present.add(added.get(count));
            check(meta, present, low);
        }
        return 1;
    }

    private static void check(final long meta, final TreeSet<Integer> present, final int first) {
        final List<Integer> listed = new ArrayList<>();
        for (final int index : indexes(meta)) {
            listed.add(transition(meta, index));
        }
        assertEquals(new ArrayList<>(present), listed);
        for (int transition = 0; transition < 256; transition++) {
            final int index = indexOf(meta, transition);
            assertEquals(present.contains(transition), index >= 0, "transition " + transition);
            if (index >= 0) {
                assertEquals(transition, transition(meta, index));
                assertTrue(index < present.size());
            }
        }
        for (int index = present.size(); index < MAX_CHILDREN; index++) {
            assertEquals(first, transition(meta, index), "unused transitions repeat the first");
        }
        assertNotEquals(0, indexes(meta).get(present.size() - 1), "child 0 is never the last");
        assertTrue(order(meta) < 1 << Short.SIZE);
    }

    private static List<List<Integer>> permutations(final int[] items) {
        List<List<Integer>> permutations = List.of(List.of());
        for (final int item : items) {
            final List<List<Integer>> longer = new ArrayList<>();
            for (final List<Integer> permutation : permutations) {
                for (int at = 0; at <= permutation.size(); at++) {
                    final List<Integer> with = new ArrayList<>(permutation);
                    with.add(at, item);
                    longer.add(with);
                }
            }
            permutations = longer;
        }
        return permutations;
    }

    @Test
    void shouldFindRandomTransitions() {
        final Random random = Seeds.random("SparseNodeLayoutTest.shouldFindRandomTransitions");
        for (int round = 0; round < 5_000; round++) {
            final TreeSet<Integer> drawn = new TreeSet<>();
            final int count = 2 + random.nextInt(MAX_CHILDREN - 1);
            while (drawn.size() < count) {
                // Neighbours in value are what a search in parallel could confuse.
                drawn.add(random.nextBoolean() || drawn.isEmpty()
                    ? random.nextInt(256) : drawn.first() + 1 & 0xFF);
            }
            long meta = firstChild(drawn.first());
            int size = 1;
            for (final int transition : drawn.tailSet(drawn.first(), false)) {
                meta = withChild(meta, size++, transition);
            }
            check(meta, drawn, drawn.first());
        }
    }

    @Test
    void shouldLieInMemoryAsTheTableSays() {
        try (TrieBytes trie = new TrieBytes()) {
            trie.put("62", 1);
            trie.put("64", 2);
            trie.put("61", 3);
            final int node = trie.nodes().root();
            assertEquals(SPARSE, type(node));
            assertEquals(0, offset(node) % BLOCK_BYTES);
            assertEquals("010000800200008003000080" + "00".repeat(12) + "626461626262" + "2600",
                trie.hex(offset(node), BLOCK_BYTES));
            assertEquals(trie.nodes().sparseChildSlot(node, 2), trie.nodes().childSlot(node, 0x61));
            assertEquals(0, trie.nodes().childSlot(node, 0x63));
        }
    }
}
