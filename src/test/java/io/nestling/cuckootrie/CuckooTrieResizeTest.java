/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.EntryCursor;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A table that grows and shrinks by single buckets. */
class CuckooTrieResizeTest {
    private static final int KEYS = 20_000;
    private static final int MANY_KEYS = 2_000_000;
    /** A put adds at most a bitmap node, two leaves and a jump node for each 15 symbols; 3 entries take a bucket. */
    private static final int MOST_BUCKETS_A_PUT = 3;

    private static byte[] key(final Random random) {
        final byte[] key = new byte[8];
        random.nextBytes(key);
        return key;
    }

    /** All along the way, half through each doubling too, entries find room without another seed, up to the last bucket. */
    @Test
    void shouldGrowToAllThatItMayUse() {
        final long seed = Seeds.seed("CuckooTrieResizeTest.full");
        for (final int mebibytes : new int[] {1, 2, 4, 8}) {
            final Random random = new Random(seed + mebibytes);
            try (TestTrie test = new TestTrie((long) mebibytes << 20, (long) mebibytes << 20, seed)) {
                final NodeTable table = test.trie().tableOpen();
                assertThrows(SpaceExhaustedException.class, () -> {
                    while (true) {
                        test.put(key(random));
                    }
                });
                assertSame(table, test.trie().tableOpen(), mebibytes + " MiB: another seed was needed");
                assertTrue(table.buckets() > table.maxBuckets() * 99 / 100,
                    mebibytes + " MiB: " + table.buckets() + " of " + table.maxBuckets() + " buckets are in use");
                test.trie().verify();
            }
        }
    }

    /** A put grows the table ahead if it can; one that adds nothing does not need that. */
    @Test
    void shouldReplaceWhereTheTableCannotGrow() {
        final Random random = new Random(Seeds.seed("shouldReplaceWhereTheTableCannotGrow"));
        try (TestTrie test = new TestTrie(1L << 20, 256L << 10, 1)) {
            final List<byte[]> keys = new ArrayList<>();
            SpaceExhaustedException full = null;
            while (full == null) {
                final byte[] key = key(random);
                try {
                    test.put(key);
                    keys.add(key);
                } catch (final SpaceExhaustedException e) {
                    full = e;
                }
            }
            assertTrue(keys.size() > 1_000, keys.size() + " keys");
            for (final byte[] key : keys) {
                final long payload = test.get(key);
                assertEquals(payload, test.trie().put(key, 0, key.length, payload));
            }
            test.check(keys);
        }
    }

    @Test
    void shouldAddAFewBucketsAtMostWithEachPut() {
        final Random random = new Random(Seeds.seed("shouldAddAFewBucketsAtMostWithEachPut"));
        try (TestTrie test = new TestTrie(64L << 20)) {
            final NodeTable table = test.trie().tableOpen();
            long before = table.buckets();
            for (int i = 0; i < KEYS; i++) {
                test.put(key(random));
                assertTrue(table.buckets() - before <= MOST_BUCKETS_A_PUT, before + " to " + table.buckets());
                before = table.buckets();
            }
            final double load = (double) table.entries() / (table.buckets() * BucketLayout.CELLS);
            assertTrue(load > 0.76 && load < 0.78, "load " + load);
            assertEquals(table, test.trie().tableOpen(), "no second table was made");
            test.trie().verify();
        }
    }

    /** All but one: a put or a removal tells where the entry stands that was moved last. */
    @Test
    void shouldKnowInWhichBucketEachChildStands() {
        final Random random = new Random(Seeds.seed("shouldKnowInWhichBucketEachChildStands"));
        try (TestTrie test = new TestTrie(64L << 20)) {
            final List<Integer> numbers = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                numbers.add(test.put(key(random)));
                if (i % 3 == 0) {
                    test.remove(numbers.remove(random.nextInt(numbers.size())));
                }
                if (i % 1000 == 0) {
                    final int wrong = wrongHints(test.trie().tableOpen());
                    assertTrue(wrong <= 1, wrong + " children after " + i + " puts");
                }
            }
        }
    }

    /** Children that their bitmap node takes to be in the other one of their two buckets. */
    static int wrongHints(final NodeTable table) {
        final long[] heads = new long[Symbols.count(Long.BYTES) + 2];
        final long[] tails = new long[heads.length];
        int wrong = 0;
        for (final NodeWalk walk = new NodeWalk(table); walk.next();) {
            final int depth = walk.depth();
            heads[depth] = walk.head();
            tails[depth] = walk.tail();
            if (depth > 0 && walk.expectedParentColor() != NO_PARENT_COLOR) {
                final long hints = hints(heads[depth - 1], tails[depth - 1]);
                wrong += (hints & childBit(walk.code(depth - 1))) != 0 == isSecondary(walk.head()) ? 0 : 1;
            }
        }
        return wrong;
    }

    @Test
    void shouldGiveBucketsBackWhenEmptiedAndTakeThemAgain() {
        final Random random = new Random(Seeds.seed("shouldGiveBucketsBackWhenEmptiedAndTakeThemAgain"));
        try (TestTrie test = new TestTrie(64L << 20)) {
            final NodeTable table = test.trie().tableOpen();
            final long least = table.buckets();
            for (int round = 0; round < 3; round++) {
                final List<Integer> numbers = new ArrayList<>();
                for (int i = 0; i < KEYS / 4; i++) {
                    numbers.add(test.put(key(random)));
                }
                final long most = table.buckets();
                java.util.Collections.shuffle(numbers, random);
                for (int i = 0; i < numbers.size(); i++) {
                    test.remove(numbers.get(i));
                    if (i % 500 == 0) {
                        test.trie().verify();
                    }
                }
                test.check(List.of());
                assertEquals(0, table.entries());
                assertTrue(table.buckets() <= least + most / 20, most + " buckets became " + table.buckets());
            }
        }
    }

    @Test
    void shouldShowItsFiguresAndItsStructure() throws java.io.IOException {
        try (TestTrie test = new TestTrie(4L << 20)) {
            test.put("");
            test.put("a");
            test.put("ab");
            test.put("abcdefgh1");
            test.put("abcdefgh2");
            final StringBuilder dump = new StringBuilder();
            test.trie().dump(dump);
            assertTrue(dump.toString().startsWith("bitmap 2\n  end leaf 0 end\n"), dump.toString());
            assertEquals(5, dump.toString().split("leaf ").length - 1, dump.toString());
            final String figures = test.trie().figures().toString();
            assertTrue(figures.contains("nodes={leaf=5, bitmap="), figures);
            for (final String name : new String[] {
                "loadFactor", "primaryShare", "averageLeafDepth", "bytesPerKey"}) {
                assertTrue(figures.contains(name + "="), figures);
            }
        }
    }

    @Test
    @Tag("long")
    void shouldHoldMillionsOfKeys() {
        final long seed = Seeds.seed("shouldHoldMillionsOfKeys");
        try (TestTrie test = new TestTrie(512L << 20)) {
            final Random random = new Random(seed);
            final TreeMap<byte[], Integer> model = new TreeMap<>(Arrays::compareUnsigned);
            for (int i = 0; i < MANY_KEYS; i++) {
                final byte[] key = key(random);
                if (i % 3 == 0) {
                    Arrays.fill(key, 0, 3, (byte) 'x');
                }
                if (!model.containsKey(key)) {
                    model.put(key, test.put(key));
                }
            }
            test.trie().verify();
            checkCursor(test, model);
            final KeyBatch batch = new KeyBatch();
            final long[] payloads = new long[1000];
            int n = 0;
            for (final byte[] key : model.keySet()) {
                batch.add(key, 0, key.length);
                if (++n == payloads.length) {
                    test.trie().getAll(batch, payloads);
                    for (int i = 0; i < n; i++) {
                        assertEquals((long) model.get(batch.array(i)), payloads[i]);
                    }
                    batch.clear();
                    n = 0;
                }
            }
            int i = 0;
            for (final byte[] key : new ArrayList<>(model.keySet())) {
                if (i++ % 3 != 0) {
                    test.remove(model.remove(key));
                    assertEquals(PointIndex.NONE, test.get(key));
                }
            }
            test.trie().verify();
            checkCursor(test, model);
        }
    }

    private static void checkCursor(final TestTrie test, final TreeMap<byte[], Integer> model) {
        try (EntryCursor cursor = test.trie().cursor()) {
            boolean found = cursor.first();
            for (final byte[] key : model.keySet()) {
                assertTrue(found);
                assertArrayEquals(key, cursor.key());
                found = cursor.next();
            }
            found = cursor.last();
            for (final byte[] key : model.descendingKeySet()) {
                assertTrue(found);
                assertEquals((long) model.get(key), cursor.payload());
                found = cursor.previous();
            }
        }
    }
}
