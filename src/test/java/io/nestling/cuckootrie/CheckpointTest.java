/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.PointIndex;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** Walks that begin at checkpoints: which are found, which must not be, and names that look like one. */
class CheckpointTest {
    private static final long MAX_BYTES = 8L << 20;
    private static final int KEYS = 1_000;
    private static final int PREFIX = 30;
    /* So few buckets that hashes have the least number of bits. */
    private static final long RUN_BYTES = 1L << 20;
    private static final int RUN = 300;
    /* Seeds with which checkpoints have one hash in runs of zeroes, at distances of 60, 105 and 240 symbols. */
    private static final long[] SEEDS_FOR_ZEROES = {6339, 123090, 8579};
    /* The same for runs of 0x70, at distances of 120 symbols. */
    private static final long[] SEEDS_FOR_70 = {163170, 668968};

    /** Keys that share the first bytes in groups of two. */
    private static List<byte[]> keys(final Random random) {
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < KEYS; i += 2) {
            final byte[] key = new byte[PREFIX + 4];
            random.nextBytes(key);
            key[0] = (byte) (i >>> 3);
            final byte[] second = key.clone();
            second[PREFIX + random.nextInt(4)] ^= 1;
            keys.add(key);
            keys.add(second);
        }
        return keys;
    }

    private static int walk(final TestTrie test, final Descent walk, final byte[] key) {
        final NodeTable table = test.trie().tableOpen();
        walk.begin(table, key, 0, key.length, Descent.FROM_CHECKPOINT);
        int stop = walk.advance(table);
        while (stop == Descent.SUSPENDED) {
            stop = walk.advance(table);
        }
        return stop;
    }

    @Test
    void shouldBeginAtTheDeepestCheckpoint() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = keys(new Random(3));
            keys.forEach(test::put);
            test.check(keys);
            final Descent walk = new Descent();
            for (final byte[] key : keys) {
                assertEquals(Descent.AT_LEAF, walk(test, walk, key));
                assertEquals(PREFIX * 8 / 5 / CHECKPOINT_STEP * CHECKPOINT_STEP, walk.checkpoint());
                assertEquals(0, walk.compareLeaf(test.context().keys()));
            }
        }
    }

    @Test
    void shouldProveThatKeysAreAbsentWithoutAnotherWalk() {
        final Random random = new Random(4);
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = keys(random);
            keys.forEach(test::put);
            final Descent walk = new Descent();
            int besideALeaf = 0;
            for (final byte[] key : keys) {
                final byte[] absent = key.clone();
                absent[PREFIX - 4 + random.nextInt(8)] ^= (byte) (2 << random.nextInt(7));
                if (test.get(absent) == PointIndex.NONE) {
                    final int stop = walk(test, walk, absent);
                    assertTrue(walk.checkpoint() > 0);
                    assertTrue(stop != Descent.AT_LEAF || walk.compareLeaf(test.context().keys()) != 0);
                    assertTrue(walk.provesAbsence(test.trie().tableOpen(), test.context().keys()));
                    besideALeaf += stop == Descent.AT_LEAF ? 1 : 0;
                }
            }
            assertTrue(besideALeaf > 10 && besideALeaf < KEYS - 100, besideALeaf + " walks ended at leaves");
        }
    }

    @Test
    void shouldNotTakeACheckpointOfTheSameHashForTheKeys() {
        final Random random = new Random(5);
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = keys(random);
            keys.forEach(test::put);
            final NodeTable table = test.trie().tableOpen();
            final NameHash names = table.hash();
            final Set<Long> checkpoints = new HashSet<>();
            final NodeWalk nodes = new NodeWalk(table);
            while (nodes.next()) {
                if (nodes.depth() == 3 * CHECKPOINT_STEP && type(nodes.head()) != LEAF) {
                    checkpoints.add(nodes.hash() << 6 | code(nodes.head()));
                }
            }
            assertTrue(checkpoints.size() > KEYS / 4);
            final Descent walk = new Descent();
            int found = 0;
            while (found < 20) {
                final byte[] key = new byte[PREFIX + 4];
                random.nextBytes(key);
                long hash = names.root();
                int code = 0;
                for (int i = 0; i < 3 * CHECKPOINT_STEP; i++) {
                    code = Symbols.codeAt(key, 0, key.length, i, Symbols.count(key.length));
                    hash = names.append(hash, code);
                }
                if (checkpoints.contains(hash << 6 | code)) {
                    found++;
                    walk(test, walk, key);
                    assertEquals(3 * CHECKPOINT_STEP, walk.checkpoint());
                    assertTrue(!walk.provesAbsence(table, test.context().keys()), "a name of the same hash");
                    assertEquals(PointIndex.NONE, test.get(key));
                    test.put(key);
                    keys.add(key);
                }
            }
            assertEquals(table, test.trie().tableOpen());
            test.check(keys);
        }
    }

    @Test
    void shouldNotBeginAtANodeThatNothingLeadsToYet() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = keys(new Random(6));
            keys.forEach(test::put);
            final NodeTable table = test.trie().tableOpen();
            final Descent walk = new Descent();
            walk(test, walk, keys.get(0));
            final int depth = walk.checkpoint();
            final NodeWalk nodes = new NodeWalk(table);
            while (nodes.next() && (nodes.depth() != depth || type(nodes.head()) == LEAF)) {
                assertTrue(nodes.depth() <= depth + CHECKPOINT_STEP);
            }
            new Relocator(table).unmarkCheckpoint(nodes.hash(), nodes.head(), depth);
            int other = 0;
            for (final byte[] key : keys) {
                assertEquals(Descent.AT_LEAF, walk(test, walk, key));
                other += walk.checkpoint() == depth - CHECKPOINT_STEP ? 1 : 0;
            }
            assertEquals(2, other, "keys below the node");
            new Relocator(table).markCheckpoint(nodes.hash(), nodes.head(), depth);
            test.check(keys);
        }
    }

    @Test
    void shouldCloseCheckpointsThatGo() {
        final Random random = new Random(7);
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = keys(random);
            keys.forEach(test::put);
            final Descent walk = new Descent();
            final NodeTable table = test.trie().tableOpen();
            for (int i = 0; i < 200; i += 2) {
                final byte[] key = keys.get(i);
                walk.begin(table, key, 0, key.length, Descent.FROM_CHECKPOINT);
                assertEquals(Descent.SUSPENDED, walk.advance(table));
                assertTrue(walk.checkpoint() > 0);
                test.remove(i + 1); // the checkpoint goes, and the key's leaf is higher now
                int stop = walk.advance(table);
                while (stop == Descent.SUSPENDED) {
                    stop = walk.advance(table);
                }
                assertEquals(0, walk.checkpoint(), "begun anew, not at a checkpoint");
                assertEquals(Descent.AT_LEAF, stop);
                assertEquals(0, walk.compareLeaf(test.context().keys()));
            }
            final List<byte[]> left = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                if (i >= 200 || i % 2 == 0) {
                    left.add(keys.get(i));
                }
            }
            test.check(left);
        }
    }

    /**
     * Keys of which two beginnings, of 30 and of 45 symbols, have one hash and one last symbol: found by going forward from the
     * shorter one and back from its hash.
     */
    private static byte[] keyOfTwoCheckpointsWithOneHash(final NameHash names, final Random random) {
        final int[] symbols = new int[PREFIX * 8 / 5 + 6];
        while (true) {
            for (int i = 0; i < 2 * CHECKPOINT_STEP; i++) {
                symbols[i] = random.nextInt(32);
            }
            long target = names.root();
            for (int i = 0; i < 2 * CHECKPOINT_STEP; i++) {
                target = names.append(target, symbols[i] + FIRST_CODE);
            }
            final int last = symbols[2 * CHECKPOINT_STEP - 1];
            final Map<Long, Integer> above = new HashMap<>();
            for (int three = 0; three < 1 << 15; three++) {
                long hash = names.peel(target, last + FIRST_CODE);
                for (int i = 0; i < 3; i++) {
                    hash = names.peel(hash, (three >>> 5 * i & 31) + FIRST_CODE);
                }
                above.put(hash, three);
            }
            for (int tries = 0; tries < 1 << 16; tries++) {
                long hash = target;
                for (int i = 2 * CHECKPOINT_STEP; i < 3 * CHECKPOINT_STEP - 4; i++) {
                    symbols[i] = random.nextInt(32);
                    hash = names.append(hash, symbols[i] + FIRST_CODE);
                }
                final Integer three = above.get(hash);
                if (three != null) {
                    for (int i = 0; i < 3; i++) {
                        symbols[3 * CHECKPOINT_STEP - 2 - i] = three >>> 5 * i & 31;
                    }
                    symbols[3 * CHECKPOINT_STEP - 1] = last;
                    final byte[] key = new byte[PREFIX + 4];
                    for (int bit = 0; bit < 5 * symbols.length; bit++) {
                        key[bit >>> 3] |= (byte) ((symbols[bit / 5] >>> 4 - bit % 5 & 1) << 7 - (bit & 7));
                    }
                    return key;
                }
            }
        }
    }

    @Test
    void shouldTellBeginningsOfOneKeyWithOneHashApart() {
        final Random random = new Random(Seeds.seed("shouldTellBeginningsOfOneKeyWithOneHashApart"));
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final List<byte[]> keys = new ArrayList<>(keys(random));
            keys.forEach(test::put);
            final NameHash names = test.trie().tableOpen().hash();
            assertTrue(test.trie().tableOpen().deepestCheckpoint() >= 3 * CHECKPOINT_STEP);
            for (int pair = 0; pair < 20; pair++) {
                final byte[] key = keyOfTwoCheckpointsWithOneHash(names, random);
                for (int change = 0; change < 3; change++) {
                    final byte[] own = key.clone();
                    own[PREFIX + change] ^= (byte) (1 + random.nextInt(255));
                    test.put(own);
                    keys.add(own);
                    test.check(keys);
                }
            }
            for (int i = keys.size() - 1; i >= KEYS; i--) {
                test.remove(i);
                keys.remove(i);
                test.check(keys);
            }
        }
    }

    @Test
    void shouldProveThatKeysAreAbsentFarBelowACheckpoint() {
        final Random random = new Random(Seeds.seed("shouldProveThatKeysAreAbsentFarBelowACheckpoint"));
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final byte[] key = new byte[2 * RUN];
            random.nextBytes(key);
            final byte[] second = key.clone();
            final byte[] absent = key.clone();
            second[second.length - 1] ^= 1;
            absent[absent.length - 1] ^= 2;
            test.put(key);
            test.put(second);
            final Descent walk = new Descent();
            walk(test, walk, absent);
            assertEquals(240, walk.checkpoint(), "the deepest one that walks look for");
            assertTrue(walk.depth() > 900);
            assertTrue(walk.provesAbsence(test.trie().tableOpen(), test.context().keys()));
        }
    }

    @Test
    void shouldTellBeginningsOfARunWithOneHashApart() {
        final Random random = new Random(Seeds.seed("shouldTellBeginningsOfARunWithOneHashApart"));
        for (final long seed : SEEDS_FOR_ZEROES) {
            tellBeginningsApart(seed, (byte) 0, random);
        }
        for (final long seed : SEEDS_FOR_70) {
            tellBeginningsApart(seed, (byte) 0x70, random);
        }
    }

    /** Runs random puts and removals of keys that begin with a run of one byte, of which two checkpoints have one hash. */
    private static void tellBeginningsApart(final long seed, final byte of, final Random random) {
        for (int most = 3; most < 48; most *= 2) {
            final byte[] run = new byte[RUN];
            Arrays.fill(run, of);
            try (TestTrie test = new TestTrie(RUN_BYTES, RUN_BYTES, seed)) {
                assertTrue(hasCheckpointsWithOneHash(test.trie().tableOpen().hash(), run), "seed " + seed);
                final List<byte[]> others = List.of(new byte[RUN], new byte[RUN]);
                others.forEach(key -> Arrays.fill(key, (byte) 0x55));
                others.get(1)[RUN - 1] = 0;
                others.forEach(test::put); // nodes at all depths, below none of the run's
                final Map<Integer, byte[]> there = new TreeMap<>();
                for (int i = 0; i < 24; i++) {
                    final int length = 1 + random.nextInt(RUN);
                    final byte[] key = Arrays.copyOf(run, random.nextInt(4) == 0 ? RUN + 3 : length + 3);
                    key[length] ^= (byte) (1 + random.nextInt(255));
                    key[key.length - 1] = (byte) i; // another key each time
                    assertEquals(PointIndex.NONE, test.get(key));
                    there.put(test.put(key), key);
                    if (there.size() == most) {
                        final int number = (int) there.keySet().toArray()[random.nextInt(most)];
                        test.remove(number);
                        assertEquals(PointIndex.NONE, test.get(there.remove(number)));
                    }
                    final List<byte[]> all = new ArrayList<>(others);
                    all.addAll(there.values());
                    test.check(all);
                }
            }
        }
    }

    private static boolean hasCheckpointsWithOneHash(final NameHash names, final byte[] run) {
        final int count = Symbols.count(run.length);
        final Set<List<Long>> seen = new HashSet<>();
        long hash = names.root();
        for (int i = 0; i < count; i++) {
            final int code = Symbols.codeAt(run, 0, run.length, i, count);
            hash = names.append(hash, code);
            if (endsJumps(i + 1) && !seen.add(List.of(hash, (long) code))) {
                return true;
            }
        }
        return false;
    }
}
