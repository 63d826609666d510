/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Effort;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Cursors that read leaves in batches, also where most leaves do not stand at the depth that these are made for. */
class LeafBatchesTest {
    private static final int[] DEPTHS = {1, 2, 3, 4, 5, 8, 12};
    private static final int KEYS = 3_000;
    private static final long MIB = 1L << 20;

    /** Keys in order with their payloads. */
    private static TreeMap<byte[], Integer> sorted(final TestTrie test, final List<byte[]> keys) {
        final TreeMap<byte[], Integer> expected = new TreeMap<>(Arrays::compareUnsigned);
        for (final byte[] key : keys) {
            if (!expected.containsKey(key)) {
                expected.put(key, test.put(key));
            }
        }
        return expected;
    }

    private static EntryCursor cursor(final TestTrie test, final int depth) {
        return new CuckooTrieCursor(test.trie(), test.context().keys(), depth);
    }

    private static void assertWalks(final TestTrie test, final TreeMap<byte[], Integer> expected, final int depth) {
        for (final boolean forward : new boolean[] {true, false}) {
            final List<Integer> wanted = new ArrayList<>((forward ? expected : expected.descendingMap()).values());
            try (EntryCursor cursor = cursor(test, depth)) {
                assertWalk(cursor, begin(cursor, forward), wanted, forward, "depth " + depth);
            }
        }
    }

    private static void assertWalk(
        final EntryCursor cursor, final boolean first, final List<Integer> wanted, final boolean forward, final String what) {
        boolean found = first;
        for (int i = 0; i < wanted.size(); i++) {
            assertTrue(found, what);
            assertEquals((long) wanted.get(i), cursor.payload(), what + ", entry " + i + (forward ? "" : " from above"));
            found = step(cursor, forward);
        }
        assertFalse(found, what);
    }

    private static boolean begin(final EntryCursor cursor, final boolean forward) {
        return forward ? cursor.first() : cursor.last();
    }

    private static boolean step(final EntryCursor cursor, final boolean forward) {
        return forward ? cursor.next() : cursor.previous();
    }

    @Test
    void shouldShowAllKeysInOrder() {
        for (final KeyCorpus corpus : KeyCorpus.all()) {
            try (TestTrie test = new TestTrie(64 * MIB)) {
                final TreeMap<byte[], Integer> expected = sorted(test, corpus.keys());
                for (final int depth : DEPTHS) {
                    assertWalks(test, expected, depth);
                }
            }
        }
    }

    @Test
    void shouldGoOnFromAnyKeyInBothDirections() {
        final Random random = new Random(Seeds.seed("LeafBatchesTest.seek"));
        for (final KeyCorpus corpus : KeyCorpus.all()) {
            try (TestTrie test = new TestTrie(64 * MIB)) {
                final TreeMap<byte[], Integer> expected = sorted(test, corpus.keys());
                final List<byte[]> keys = new ArrayList<>(expected.keySet());
                for (final int depth : DEPTHS) {
                    try (EntryCursor cursor = cursor(test, depth)) {
                        for (int i = 0; i < 20 && !keys.isEmpty(); i++) {
                            assertGoesOn(cursor, expected, keys.get(random.nextInt(keys.size())), 1 + random.nextInt(80));
                        }
                    }
                }
            }
        }
    }

    private static void assertGoesOn(
        final EntryCursor cursor, final TreeMap<byte[], Integer> expected, final byte[] key, final int most) {
        assertGoesOn(cursor, cursor.seek(key, 0, key.length), expected.tailMap(key, true), most, true);
        assertGoesOn(
            cursor, cursor.seekLowerThan(key, 0, key.length), expected.headMap(key, false).descendingMap(), most, false);
    }

    private static void assertGoesOn(
        final EntryCursor cursor, final boolean first, final Map<byte[], Integer> wanted, final int most, final boolean forward) {
        boolean found = first;
        int left = most;
        for (final int payload : wanted.values()) {
            assertTrue(found);
            assertEquals(payload, cursor.payload());
            if (--left == 0) {
                return;
            }
            found = step(cursor, forward);
        }
        assertFalse(found);
    }

    /** Most leaves stand at two depths, and all below one node much deeper: the cursor goes on without batches there. */
    @Test
    void shouldShowWhatIsDenseElsewhere() {
        final Random random = new Random(Seeds.seed("LeafBatchesTest.dense"));
        try (TestTrie test = new TestTrie(64 * MIB)) {
            final List<byte[]> keys = KeyCorpus.fixedLength(random, 4 * KEYS, 8);
            for (int i = 0; i < KEYS; i++) {
                final byte[] key = {0x55, 0x55, 0x55, 0x55, (byte) (i >> 8), (byte) i};
                keys.add(key);
            }
            final TreeMap<byte[], Integer> expected = sorted(test, keys);
            assertTrue(test.trie().tableOpen().guessedDepth() > 0, "batches are in use");
            try (CuckooTrieCursor cursor = new CuckooTrieCursor(test.trie(), test.context().keys())) {
                assertWalk(cursor, cursor.first(), new ArrayList<>(expected.values()), true, "up");
                assertWalk(cursor, cursor.last(), new ArrayList<>(expected.descendingMap().values()), false, "down");
                int changes = 0;
                boolean batches = true;
                assertTrue(cursor.first());
                while (cursor.next()) {
                    changes += cursor.readsBatches() == batches ? 0 : 1;
                    batches = cursor.readsBatches();
                }
                assertEquals(2, changes, "to the stream where it is dense, and back to batches");
                assertTrue(batches);
            }
        }
    }

    /** What comes next is not known after an error; the cursor looks for it again. */
    @Test
    void shouldGoOnAfterAnError() {
        final Random random = new Random(Seeds.seed("LeafBatchesTest.error"));
        final List<byte[]> keys = KeyCorpus.fixedLength(random, KEYS, 8);
        final boolean[] fails = new boolean[1];
        final HeapKeySource source = new HeapKeySource(payload -> keys.get((int) payload));
        final KeySource failing = new KeySource() {
            @Override
            public int keyLength(final long payload) {
                return source.keyLength(payload);
            }

            @Override
            public int copyKey(final long payload, final byte[] destination, final int offset) {
                return source.copyKey(payload, destination, offset);
            }

            @Override
            public int compareKey(final long payload, final byte[] key, final int offset, final int length) {
                return source.compareKey(payload, key, offset, length);
            }

            @Override
            public long address(final long payload) {
                if (fails[0] && random.nextInt(20) == 0) {
                    throw new OutOfMemoryError("as if");
                }
                return 0;
            }
        };
        final IndexContext context = new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(8 * MIB), new EpochReclaimer(), failing, 8 * MIB);
        try (CuckooTrie trie = new CuckooTrie(context, 1)) {
            final TreeMap<byte[], Integer> expected = new TreeMap<>(Arrays::compareUnsigned);
            for (int i = 0; i < KEYS; i++) {
                trie.put(keys.get(i), 0, 8, i);
                expected.put(keys.get(i), i);
            }
            for (final int depth : new int[] {0, 3, 4}) {
                int errors = 0;
                int shown = 0;
                try (EntryCursor cursor = new CuckooTrieCursor(trie, failing, depth)) {
                    final Iterator<Integer> wanted = expected.values().iterator();
                    boolean found = cursor.first();
                    fails[0] = true;
                    while (found) {
                        assertEquals((long) wanted.next(), cursor.payload(), "entry " + shown + ", depth " + depth);
                        shown++;
                        boolean again = true;
                        while (again) {
                            try {
                                found = cursor.next();
                                again = false;
                            } catch (final OutOfMemoryError e) {
                                errors++;
                            }
                        }
                    }
                }
                fails[0] = false;
                assertEquals(KEYS, shown);
                assertTrue(errors > 10, errors + " errors");
            }
        }
    }

    /** Names are more than hashes here, so that nodes that are no relatives share buckets, tags, and symbols. */
    @Test
    void shouldTellNodesOfOneHashApart() {
        final long seed = Seeds.seed("LeafBatchesTest.colors");
        for (int round = 0; round < Effort.count(2, 6, 6); round++) {
            try (TestTrie test = new TestTrie(8 * MIB, 8 * MIB, seed + round)) {
                final Random random = new Random(seed + round);
                final List<byte[]> keys = KeyCorpus.fixedLength(random, 60_000, 6);
                for (int i = 0; i < 20_000; i++) {
                    final byte[] near = keys.get(i).clone();
                    near[3] ^= (byte) (1 << random.nextInt(6));
                    keys.add(near);
                }
                final TreeMap<byte[], Integer> expected = sorted(test, keys);
                assertWalks(test, expected, 4);
                assertWalks(test, expected, 5);
            }
        }
    }

    @Test
    void shouldTurnAnywhere() {
        final Random random = new Random(Seeds.seed("LeafBatchesTest.turn"));
        try (TestTrie test = new TestTrie(16 * MIB)) {
            final TreeMap<byte[], Integer> expected = sorted(test, KeyCorpus.fixedLength(random, KEYS, 4));
            final List<byte[]> keys = new ArrayList<>(expected.keySet());
            for (final int depth : DEPTHS) {
                try (EntryCursor cursor = cursor(test, depth)) {
                    int at = 0;
                    assertTrue(cursor.first());
                    for (int round = 0; round < 200; round++) {
                        final boolean forward = random.nextBoolean();
                        for (int left = random.nextInt(60); left > 0 && (forward ? at + 1 < keys.size() : at > 0); left--) {
                            assertTrue(forward ? cursor.next() : cursor.previous());
                            at += forward ? 1 : -1;
                            assertEquals((long) expected.get(keys.get(at)), cursor.payload());
                        }
                        assertArrayEquals(keys.get(at), Arrays.copyOf(cursor.keyBuffer(), cursor.keyLength()));
                    }
                }
            }
        }
    }

    /** Keys come and go between the steps; those that stay are shown once each, in order. */
    @Test
    void shouldShowWhatIsThereThroughout() {
        final Random random = new Random(Seeds.seed("LeafBatchesTest.change"));
        try (TestTrie test = new TestTrie(16 * MIB)) {
            final TreeMap<byte[], Integer> stable = sorted(test, KeyCorpus.fixedLength(random, KEYS, 4));
            final List<byte[]> keys = new ArrayList<>(stable.keySet());
            for (int round = 0; round < 14; round++) {
                final boolean forward = (round & 1) == 0;
                final List<Integer> changing = new ArrayList<>();
                int shown = 0;
                byte[] before = null;
                try (EntryCursor cursor = cursor(test, DEPTHS[round / 2])) {
                    for (boolean found = begin(cursor, forward); found; found = step(cursor, forward)) {
                        final byte[] key = Arrays.copyOf(cursor.keyBuffer(), cursor.keyLength());
                        assertTrue(before == null || Arrays.compareUnsigned(key, before) > 0 == forward);
                        before = key;
                        shown += stable.containsKey(key) ? 1 : 0;
                        if (shown % 3 == 0) {
                            change(test, random, keys, changing);
                        }
                    }
                }
                assertEquals(stable.size(), shown);
                changing.forEach(test::remove);
            }
            test.check(keys);
        }
    }

    private static void change(
        final TestTrie test, final Random random, final List<byte[]> keys, final List<Integer> changing) {
        if (changing.size() > 200) {
            test.remove(changing.remove(random.nextInt(changing.size())));
            return;
        }
        final byte[] near = keys.get(random.nextInt(keys.size())).clone();
        near[random.nextInt(near.length)] ^= (byte) (1 << random.nextInt(8));
        if (test.get(near) < 0) {
            changing.add(test.put(near));
        }
    }

    /** A writer puts keys and removes them, beside others that stay, while cursors walk. */
    @Test
    void shouldShowWhatStaysBesideAWriter() throws Exception {
        final Random random = new Random(Seeds.seed("LeafBatchesTest.writer"));
        try (TestTrie test = new TestTrie(32 * MIB)) {
            final TreeMap<byte[], Integer> stable = sorted(test, KeyCorpus.fixedLength(random, KEYS, 4));
            final List<byte[]> keys = new ArrayList<>(stable.keySet());
            final Map<Integer, byte[]> others = new HashMap<>();
            while (others.size() < KEYS) {
                final byte[] near = keys.get(random.nextInt(keys.size())).clone();
                near[random.nextInt(near.length)] ^= (byte) (1 << random.nextInt(8));
                if (test.get(near) < 0) {
                    others.put(test.put(near), near);
                }
            }
            final int[] depths = {0, 2, 3, 4};
            final long end = System.nanoTime() + Effort.count(700, 2_000, 2_000) * 1_000_000L;
            final Integer[] numbers = others.keySet().toArray(new Integer[0]);
            Threads.runTogether(depths.length, thread -> {
                for (int i = 0; System.nanoTime() < end; i++) {
                    if (thread > 0) {
                        assertStable(test, stable, depths[thread], (i & 1) == 0);
                    } else {
                        final int number = numbers[random.nextInt(numbers.length)];
                        final byte[] key = others.get(number);
                        assertEquals(number, test.trie().remove(key, 0, key.length));
                        assertEquals(-1, test.trie().put(key, 0, key.length, number));
                    }
                }
            });
            test.check(concatenated(keys, others));
        }
    }

    /** Payloads that stand in both words of an entry change all the time; those that are shown are whole. */
    @Test
    void shouldShowWholePayloadsBesideAWriter() throws Exception {
        final Random random = new Random(Seeds.seed("LeafBatchesTest.payloads"));
        final List<byte[]> keys = KeyCorpus.fixedLength(random, KEYS, 8);
        final EpochReclaimer epochs = new EpochReclaimer();
        final KeySource source = new HeapKeySource(payload -> keys.get((int) (payload >> 6) & 0xFFFF));
        final MemoryBudget budget = MemoryBudget.ofBytes(8 * MIB);
        try (CuckooTrie trie = new CuckooTrie(new IndexContext(SlabAllocator.direct(), budget, epochs, source, 8 * MIB), 1)) {
            for (int i = 0; i < KEYS; i++) {
                trie.put(keys.get(i), 0, 8, payload(i, 0));
            }
            final int[] depths = {0, 0, 3, 4};
            final long end = System.nanoTime() + Effort.count(600, 1_500, 1_500) * 1_000_000L;
            Threads.runTogether(depths.length, thread -> {
                final int guard = epochs.enter();
                try (EntryCursor cursor = new CuckooTrieCursor(trie, source, depths[thread])) {
                    for (int round = 1; System.nanoTime() < end; round++) {
                        if (thread == 0) {
                            for (int i = 0; i < KEYS; i++) {
                                trie.put(keys.get(i), 0, 8, payload(i, round));
                            }
                        } else {
                            assertWholePayloads(cursor);
                        }
                    }
                } finally {
                    epochs.exit(guard);
                }
            });
        }
        assertEquals(0, budget.used());
    }

    /** The number of a key, and a number that stands in the low bits, which are in the first word, and in the high ones. */
    private static long payload(final int key, final int number) {
        return key << 6 | number & 63 | (number & 63L) << 40;
    }

    private static void assertWholePayloads(final EntryCursor cursor) {
        int shown = 0;
        for (boolean found = cursor.first(); found; found = cursor.next()) {
            assertEquals(cursor.payload() & 63, cursor.payload() >>> 40, "a torn payload");
            shown++;
        }
        assertEquals(KEYS, shown);
    }

    private static List<byte[]> concatenated(final List<byte[]> keys, final Map<Integer, byte[]> others) {
        final List<byte[]> all = new ArrayList<>(keys);
        all.addAll(others.values());
        return all;
    }

    private static void assertStable(
        final TestTrie test, final TreeMap<byte[], Integer> stable, final int depth, final boolean forward) {
        int shown = 0;
        byte[] before = null;
        final int guard = test.context().epochs().enter();
        try (EntryCursor cursor = cursor(test, depth)) {
            for (boolean found = begin(cursor, forward); found; found = step(cursor, forward)) {
                final byte[] key = Arrays.copyOf(cursor.keyBuffer(), cursor.keyLength());
                assertTrue(before == null || Arrays.compareUnsigned(key, before) > 0 == forward, "out of order");
                before = key;
                final Integer payload = stable.get(key);
                if (payload != null) {
                    assertEquals((long) payload, cursor.payload());
                    shown++;
                }
            }
        } finally {
            test.context().epochs().exit(guard);
        }
        assertEquals(stable.size(), shown, "depth " + depth + (forward ? "" : ", from above"));
    }
}
