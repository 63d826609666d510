/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

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
            assertEquals(Descent.AT_LEAF, descent.run(old, keys.get(0), 0, KEY_BYTES, false));
            assertEquals(0, descent.compareLeaf(test.context().keys()));
            test.context().epochs().exit(guard);
            test.check(keys);
        }
    }

    @Test
    void putThrowsSpaceExhaustedExceptionWhenASecondTableDoesNotFit() {
        try (TestTrie test = new TestTrie(MAX_BYTES, 80 << 10, 1)) {
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
