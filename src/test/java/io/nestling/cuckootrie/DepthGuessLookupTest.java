/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Leaves that are looked for by the hashes of their names: at which depths, which are found, and which must not be. */
class DepthGuessLookupTest {
    private static final long MAX_BYTES = 8L << 20;
    private static final int KEY_BYTES = 8;
    private static final int KEYS = 40_000;

    /** Random keys that begin with a zero byte: 4,096 names of four symbols, 131,072 of five. */
    private static List<byte[]> put(final TestTrie test, final Random random, final int count, final int bytes) {
        final List<byte[]> keys = new ArrayList<>();
        while (keys.size() < count) {
            final byte[] key = new byte[bytes];
            random.nextBytes(key);
            key[0] = 0;
            if (test.get(key) == PointIndex.NONE) {
                test.put(key);
                keys.add(key);
            }
        }
        return keys;
    }

    private static NodeTable table(final TestTrie test) {
        return test.trie().tableOpen();
    }

    private static boolean expectsToFind() {
        final LookupScratch scratch = LookupScratch.POOL.take();
        try {
            return scratch.guess.expectsToFind();
        } finally {
            scratch.release();
        }
    }

    private static long lookUp(final TestTrie test, final byte[] key) {
        return new DepthGuessLookup().get(
            table(test), table(test).guessedDepth(), test.context().keys(), key, 0, key.length);
    }

    @Test
    void shouldFindLeavesWhereMostStand() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = put(test, new Random(1), KEYS, KEY_BYTES);
            assertEquals(5, table(test).guessedDepth(), "three quarters of the keys have a name of five symbols of their own");
            int found = 0;
            for (int i = 0; i < KEYS; i++) {
                final long payload = lookUp(test, keys.get(i));
                assertTrue(payload == i || payload == PointIndex.NONE, "key " + i + ": " + payload);
                found += payload == i ? 1 : 0;
                final byte[] absent = keys.get(i).clone();
                absent[KEY_BYTES - 1] ^= 1;
                assertEquals(PointIndex.NONE, lookUp(test, absent));
                assertEquals(PointIndex.NONE, test.get(absent));
            }
            final long there = table(test).leavesAt(5) + table(test).leavesAt(6);
            assertTrue(there > KEYS * 9L / 10, there + " leaves at depths 5 and 6");
            assertTrue(found >= there * 99 / 100 && found < KEYS, found + " of " + there + " leaves found");
            test.check(keys);
        }
    }

    @Test
    void shouldLookHigherWhereFewerKeysAre() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = put(test, new Random(2), KEYS / 10, KEY_BYTES);
            assertEquals(4, table(test).guessedDepth(), "more than a third has a name of four symbols of its own");
            for (int i = keys.size() - 1; i >= 800; i--) {
                test.remove(i);
                assertEquals(PointIndex.NONE, lookUp(test, keys.get(i)));
            }
            test.check(keys.subList(0, 800));
            assertEquals(0, table(test).guessedDepth(), "too few leaves");
        }
    }

    @Test
    void shouldNotLookWhereLeavesAreDeep() {
        final Random random = new Random(3);
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = put(test, random, 3_000, 30);
            assertTrue(table(test).guessedDepth() > 0);
            for (int i = 0; i < 3_000; i++) {
                final byte[] second = keys.get(i).clone();
                second[29] ^= (byte) (1 + random.nextInt(255));
                test.put(second);
                keys.add(second);
            }
            assertEquals(0, table(test).guessedDepth(), "all leaves have names of more than 40 symbols");
            test.check(keys);
        }
    }

    @Test
    void shouldLeaveShortKeysToTheWalkThatNeedsNoRecord() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = put(test, new Random(4), KEYS, 5);
            assertEquals(5, table(test).guessedDepth());
            for (final byte[] key : keys) {
                assertEquals(PointIndex.NONE, lookUp(test, key));
            }
            test.check(keys);
        }
    }

    @Test
    void shouldNotFindALeafThatNothingLeadsToYet() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = put(test, new Random(5), KEYS, KEY_BYTES);
            final Relocator relocator = new Relocator(table(test));
            final NodeWalk walk = new NodeWalk(table(test));
            int tried = 0;
            for (int node = 0; walk.next(); node++) {
                if (node % 100 == 0 && isLeaf(walk.head()) && isCheckpointDepth(walk.depth())) {
                    final int i = (int) payload(walk.head(), walk.tail());
                    tried += lookUp(test, keys.get(i)) == i ? 1 : 0;
                    relocator.unmarkCheckpoint(walk.hash(), walk.head(), walk.depth());
                    assertEquals(PointIndex.NONE, lookUp(test, keys.get(i)));
                    assertEquals(i, test.get(keys.get(i)));
                    relocator.markCheckpoint(walk.hash(), walk.head(), walk.depth());
                }
            }
            assertTrue(tried > 200, tried + " leaves tried");
            test.check(keys);
        }
    }

    @Test
    void shouldNotTakeALeafOfTheSameHashForTheKeys() {
        final Random random = new Random(6);
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = put(test, random, KEYS, KEY_BYTES);
            final NameHash names = table(test).hash();
            final Set<Long> leaves = new HashSet<>();
            final NodeWalk walk = new NodeWalk(table(test));
            while (walk.next()) {
                if (walk.depth() == 5 && isLeaf(walk.head())) {
                    leaves.add(walk.hash() << 6 | code(walk.head()));
                }
            }
            int found = 0;
            while (found < 20) {
                final byte[] key = new byte[KEY_BYTES];
                random.nextBytes(key);
                long hash = names.root();
                int code = 0;
                for (int i = 0; i < 5; i++) {
                    code = Symbols.codeAt(key, 0, KEY_BYTES, i, Symbols.count(KEY_BYTES));
                    hash = names.append(hash, code);
                }
                if (key[0] != 0 && leaves.contains(hash << 6 | code)) {
                    found++;
                    assertEquals(PointIndex.NONE, lookUp(test, key));
                    assertEquals(PointIndex.NONE, test.get(key));
                    test.put(key);
                    keys.add(key);
                }
            }
            test.check(keys);
        }
    }

    @Test
    void shouldLeaveThreadsThatMissMostKeysToWalks() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = put(test, new Random(8), KEYS, KEY_BYTES);
            final byte[] absent = {1, 2, 3, 4, 5, 6, 7, 8};
            final KeyBatch batch = new KeyBatch();
            final long[] payloads = new long[100];
            for (int i = 0; i < 100; i++) {
                assertEquals(i, test.get(keys.get(i)));
                batch.add(i % 4 == 0 ? keys.get(i) : absent, 0, KEY_BYTES);
            }
            assertTrue(expectsToFind());
            test.trie().getAll(batch, payloads);
            assertFalse(expectsToFind(), "three of four keys were absent");
            test.trie().getAll(batch, payloads);
            for (int i = 0; i < 100; i++) {
                assertEquals(i % 4 == 0 ? i : PointIndex.NONE, payloads[i]);
            }
            for (int i = 0; i < 100; i++) {
                assertEquals(i, test.get(keys.get(i)));
            }
            assertTrue(expectsToFind());
            for (int i = 0; i < 100; i++) {
                assertEquals(PointIndex.NONE, test.get(absent));
            }
            assertFalse(expectsToFind());
        }
    }

    @Test
    void shouldLookUpBatchesAsSingleKeys() {
        final Random random = new Random(7);
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = put(test, random, KEYS, KEY_BYTES);
            final KeyBatch batch = new KeyBatch();
            final long[] payloads = new long[200];
            for (int size = 0; size < payloads.length; size += 1 + size / 20) {
                for (int absentOf = 1; absentOf < 5; absentOf++) {
                    batch.clear();
                    final long[] expected = new long[size];
                    for (int i = 0; i < size; i++) {
                        final int number = random.nextInt(KEYS);
                        final byte[] key = keys.get(number).clone();
                        final boolean absent = i % absentOf == 1;
                        key[KEY_BYTES - 1 - random.nextInt(KEY_BYTES - 1)] ^= (byte) (absent ? 1 << random.nextInt(8) : 0);
                        batch.add(key, 0, random.nextInt(10) == 0 ? random.nextInt(KEY_BYTES) : KEY_BYTES);
                        expected[i] = test.trie().get(batch.array(i), batch.offset(i), batch.length(i));
                        assertTrue(absent || batch.length(i) < KEY_BYTES || expected[i] == number);
                    }
                    test.trie().getAll(batch, payloads);
                    for (int i = 0; i < size; i++) {
                        assertEquals(expected[i], payloads[i], "key " + i + " of " + size);
                    }
                }
            }
        }
    }
}
