/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.EntryCursor;
import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Keys chosen, with the seed known, so that the names of many leaves have the same hash. */
class AdversarialKeysTest {
    private static final long MAX_BYTES = 8L << 20;
    private static final int PREFIX_SYMBOLS = 6;
    private static final int KEY_BYTES = 10;
    private static final int TWICE_THE_CELLS = 16;

    /** Pairs of keys: the leaf of the first of each has a name of eight symbols with one and the same hash. */
    private static List<byte[]> collidingKeys(final NameHash names, final int pairs) {
        final Map<Long, int[]> above = new HashMap<>();
        final long target = names.append(names.root(), 7);
        for (int last = 0; last < 32; last++) {
            for (int before = 0; before < 32; before++) {
                final long hash = names.peel(names.peel(target, last + 2), before + 2);
                above.put(hash, new int[] {before, last});
            }
        }
        final Random random = new Random(6);
        final List<byte[]> keys = new ArrayList<>();
        while (keys.size() < 2 * pairs) {
            final int[] symbols = random.ints(PREFIX_SYMBOLS + 2, 0, 32).toArray();
            long hash = names.root();
            for (int i = 0; i < PREFIX_SYMBOLS; i++) {
                hash = names.append(hash, symbols[i] + 2);
            }
            final int[] end = above.get(hash);
            if (end != null) {
                symbols[PREFIX_SYMBOLS] = end[0];
                symbols[PREFIX_SYMBOLS + 1] = end[1];
                keys.add(keyOf(symbols));
                symbols[PREFIX_SYMBOLS + 1] = end[1] ^ 1;
                keys.add(keyOf(symbols));
            }
        }
        return keys;
    }

    private static byte[] keyOf(final int[] symbols) {
        final byte[] key = new byte[KEY_BYTES];
        for (int i = 0; i < symbols.length; i++) {
            for (int bit = 0; bit < 5; bit++) {
                if ((symbols[i] >>> 4 - bit & 1) != 0) {
                    final int at = i * 5 + bit;
                    key[at >>> 3] |= (byte) (0x80 >>> (at & 7));
                }
            }
        }
        return key;
    }

    @Test
    void shouldTakeAnotherSeedWhenTwoBucketsCannotHoldAllNamesOfOneHash() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final long seed = test.trie().tableOpen().hash().seed();
            final List<byte[]> keys = collidingKeys(test.trie().tableOpen().hash(), TWICE_THE_CELLS);
            int done = 0;
            for (final byte[] key : keys) {
                test.put(key);
                test.check(keys.subList(0, ++done));
            }
            assertNotEquals(seed, test.trie().tableOpen().hash().seed());
            for (int i = 0; i < keys.size(); i++) {
                test.remove(i);
                test.trie().verify();
            }
            test.check(List.of());
        }
    }

    @Test
    void shouldGiveTheOldTableBackWithoutAnotherPut() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = collidingKeys(test.trie().tableOpen().hash(), TWICE_THE_CELLS);
            final NodeTable first = test.trie().tableOpen();
            final int guard = test.context().epochs().enter();
            for (int next = 0; test.trie().tableOpen() == first; next++) {
                test.put(keys.get(next));
            }
            final long both = test.context().budget().used();
            test.context().epochs().exit(guard);
            test.trie().reserve(0, 0);
            final long one = test.context().budget().used();
            assertTrue(one < both, one + " bytes in use, and " + both + " before");
        }
    }

    /** Nobody reads when another table takes the place of the first. */
    @Test
    void shouldGiveTheOldTableBackAtOnceIfNobodyReads() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = collidingKeys(test.trie().tableOpen().hash(), TWICE_THE_CELLS);
            final NodeTable first = test.trie().tableOpen();
            final long used = test.context().budget().used();
            for (int next = 0; test.trie().tableOpen() == first; next++) {
                test.put(keys.get(next));
            }
            assertEquals(used, test.context().budget().used(), "bytes in use");
        }
    }

    @Test
    void shouldKeepTheOldTableForItsReaders() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final NodeTable old = test.trie().tableOpen();
            final List<byte[]> keys = collidingKeys(old.hash(), TWICE_THE_CELLS);
            test.put(keys.get(0));
            final int guard = test.context().epochs().enter();
            keys.subList(1, keys.size()).forEach(test::put);
            assertNotEquals(old.hash().seed(), test.trie().tableOpen().hash().seed());
            // A reader that still has the old table finds what was there.
            final Descent descent = new Descent();
            assertEquals(Descent.AT_LEAF, descent.run(old, keys.get(0), 0, KEY_BYTES, Descent.FROM_ROOT));
            assertEquals(0, descent.compareLeaf(test.context().keys()));
            test.context().epochs().exit(guard);
            test.check(keys);
        }
    }

    @Test
    void shouldKnowInWhichBucketEachChildStandsUnderAnotherSeed() {
        final Random random = new Random(Seeds.seed("shouldKnowInWhichBucketEachChildStandsUnderAnotherSeed"));
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final NodeTable old = test.trie().tableOpen();
            for (int i = 0; i < 5_000; i++) {
                final byte[] key = new byte[Long.BYTES];
                random.nextBytes(key);
                test.put(key);
            }
            for (final byte[] key : collidingKeys(old.hash(), TWICE_THE_CELLS)) {
                test.put(key);
            }
            assertNotEquals(old.hash().seed(), test.trie().tableOpen().hash().seed());
            final int wrong = CuckooTrieResizeTest.wrongHints(test.trie().tableOpen());
            assertTrue(wrong <= 1, wrong + " children");
        }
    }

    @Test
    void shouldGoOnInTheNewTableWithACursor() {
        try (TestTrie test = new TestTrie(MAX_BYTES); EntryCursor cursor = test.trie().cursor()) {
            final int keys = 1_000;
            for (int i = 0; i < keys; i++) {
                test.put(String.format(Locale.ROOT, "%08d", i));
            }
            assertTrue(cursor.first());
            final NodeTable old = test.trie().tableOpen();
            collidingKeys(old.hash(), TWICE_THE_CELLS).forEach(test::put);
            assertNotEquals(old.hash().seed(), test.trie().tableOpen().hash().seed());
            for (int i = 0; i < keys - 1; i++) {
                test.remove(i);
            }
            int shown = 0;
            boolean last = false;
            while (cursor.next()) {
                shown++;
                last |= cursor.payload() == keys - 1;
            }
            assertTrue(last);
            assertTrue(shown < 200, shown + " keys, nearly all of which were removed before");
        }
    }

    /** Keys that stay are found, and shown in order, while the table gives way to others again and again. */
    @Test
    void shouldServeReadersWhileTheSeedChanges() throws Exception {
        final Random random = new Random(Seeds.seed("shouldServeReadersWhileTheSeedChanges"));
        try (TestTrie test = new TestTrie(4 * MAX_BYTES)) {
            final TreeMap<byte[], Integer> kept = new TreeMap<>(Arrays::compareUnsigned);
            for (int i = 0; i < 3_000; i++) {
                final byte[] key = new byte[KEY_BYTES + 1];
                random.nextBytes(key);
                kept.put(key, test.put(key));
            }
            final AtomicBoolean stop = new AtomicBoolean();
            final AtomicLong rounds = new AtomicLong();
            final ExecutorService readers = Executors.newFixedThreadPool(2);
            try {
                final Future<?> gets = readers.submit(() -> {
                    while (!stop.get()) {
                        kept.forEach((key, number) -> {
                            final int guard = test.context().epochs().enter();
                            try {
                                assertEquals((long) number, test.get(key));
                            } finally {
                                test.context().epochs().exit(guard);
                            }
                        });
                        rounds.incrementAndGet();
                    }
                });
                final Future<?> cursors = readers.submit(() -> {
                    while (!stop.get()) {
                        assertShown(kept, test);
                        rounds.incrementAndGet();
                    }
                });
                long seed = test.trie().tableOpen().hash().seed();
                for (int change = 0; change < 12; change++) {
                    final long before = rounds.get();
                    for (final byte[] key : collidingKeys(test.trie().tableOpen().hash(), TWICE_THE_CELLS)) {
                        if (test.get(key) == PointIndex.NONE) {
                            test.put(key);
                        }
                    }
                    assertNotEquals(seed, test.trie().tableOpen().hash().seed());
                    seed = test.trie().tableOpen().hash().seed();
                    while (rounds.get() < before + 2 && !gets.isDone() && !cursors.isDone()) {
                        Thread.onSpinWait();
                    }
                }
                stop.set(true);
                gets.get();
                cursors.get();
            } finally {
                stop.set(true);
                readers.shutdown();
                assertTrue(readers.awaitTermination(1, TimeUnit.MINUTES));
            }
            test.trie().verify();
        }
    }

    private static void assertShown(final TreeMap<byte[], Integer> kept, final TestTrie test) {
        final int guard = test.context().epochs().enter();
        try (EntryCursor cursor = test.trie().cursor()) {
            int shown = 0;
            byte[] last = null;
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                final byte[] key = cursor.key();
                assertTrue(last == null || Arrays.compareUnsigned(last, key) < 0, "order");
                last = key;
                final Integer number = kept.get(key);
                if (number != null) {
                    assertEquals((long) number, cursor.payload());
                    shown++;
                }
            }
            assertEquals(kept.size(), shown);
        } finally {
            test.context().epochs().exit(guard);
        }
    }

    @Test
    void putThrowsSpaceExhaustedExceptionWhenASecondTableDoesNotFit() {
        try (TestTrie test = new TestTrie(MAX_BYTES, 56 << 10, 1)) {
            final List<byte[]> keys = collidingKeys(test.trie().tableOpen().hash(), TWICE_THE_CELLS);
            final List<byte[]> there = new ArrayList<>();
            SpaceExhaustedException thrown = null;
            for (final byte[] key : keys) {
                try {
                    test.put(key);
                    there.add(key);
                } catch (final SpaceExhaustedException e) {
                    thrown = e;
                    assertEquals(PointIndex.NONE, test.get(key));
                }
                test.check(there);
            }
            assertTrue(thrown != null && thrown.getMessage().matches(".*\\d.*"));
            assertTrue(there.size() >= 8);
            final byte[] another = {1, 2, 3};
            test.put(another);
            there.add(another);
            test.check(there);
        }
    }

    @Test
    void putThrowsNothingForLongKeysThatShareAlmostAll() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                final byte[] key = new byte[PointIndex.MAX_KEY_BYTES - i];
                key[key.length - 1] = (byte) i;
                keys.add(key);
                test.put(key);
            }
            test.check(keys);
            for (int i = 11; i >= 0; i--) {
                test.remove(i);
                test.check(keys.subList(0, i));
            }
        }
    }

    @Test
    void createThrowsSpaceExhaustedExceptionWhenTheSmallestTableDoesNotFit() {
        final SpaceExhaustedException e =
            assertThrows(SpaceExhaustedException.class, () -> new TestTrie(MAX_BYTES, 1024, 1));
        assertTrue(e.getMessage().contains("1024"), e.getMessage());
    }
}
