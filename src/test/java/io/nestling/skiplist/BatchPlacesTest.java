/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Keys that are announced together, and put afterwards: in that order, in others, or not at all. */
@Tag("bridge")
class BatchPlacesTest {
    private static final int ROUNDS = 400;

    private final EpochReclaimer epochs = new EpochReclaimer();
    private final List<byte[]> keys = new ArrayList<>();
    private final TreeMap<byte[], Long> expected = new TreeMap<>(Arrays::compareUnsigned);
    private final MemoryBudget budget = MemoryBudget.ofBytes(32L << 20);
    private final SkipList list = new SkipList(new IndexContext(
        SlabAllocator.direct(), budget, epochs, new HeapKeySource(payload -> keys.get((int) payload)), 32L << 20));

    @AfterEach
    void close() {
        list.verify();
        assertEquals(expected.size(), list.entryCount());
        final int guard = epochs.enter();
        try (EntryCursor cursor = list.cursor()) {
            cursor.first();
            for (final Map.Entry<byte[], Long> entry : expected.entrySet()) {
                assertTrue(cursor.valid());
                assertEquals(entry.getValue(), cursor.payload());
                cursor.next();
            }
            assertFalse(cursor.valid());
        } finally {
            epochs.exit(guard);
        }
        list.close();
        assertEquals(0, budget.used());
    }

    private void put(final byte[] key) {
        final Long before = expected.put(key, (long) keys.size());
        keys.add(key);
        assertEquals(before == null ? PointIndex.NONE : before, list.put(key, 0, key.length, keys.size() - 1));
    }

    /** Long steps and short ones, so that directories have marks; the shorter the list of words, the more keys come twice. */
    private static byte[] key(final Random random, final int words) {
        final StringBuilder key = new StringBuilder("usr/share/");
        for (int i = 0; i < 4; i++) {
            key.append("a-long-step-".substring(random.nextInt(3))).append(random.nextInt(words)).append('/');
        }
        return key.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] shortKey(final Random random) {
        final byte[] key = new byte[random.nextInt(9)];
        random.nextBytes(key);
        return key;
    }

    private byte[][] batch(final Random random, final boolean paths, final int size) {
        final byte[][] batch = new byte[size][];
        for (int i = 0; i < size; i++) {
            batch[i] = random.nextInt(8) == 0 && !keys.isEmpty() ? keys.get(random.nextInt(keys.size()))
                : paths ? key(random, 20) : shortKey(random);
        }
        return batch;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldPutInTheOrderOfTheBatchAndInOthers(final boolean paths) {
        final Random random = Seeds.random("shouldPutInTheOrderOfTheBatchAndInOthers " + paths);
        for (int round = 0; round < ROUNDS; round++) {
            final byte[][] batch = batch(random, paths, 1 + random.nextInt(70));
            list.prefetchAll(KeyBatch.of(batch));
            final List<byte[]> order = new ArrayList<>(Arrays.asList(batch));
            switch (random.nextInt(5)) {
                case 0 -> Collections.shuffle(order, random);
                case 1 -> order.removeIf(key -> random.nextInt(3) == 0);
                case 2 -> order.add(random.nextInt(order.size()), paths ? key(random, 20) : shortKey(random));
                default -> {
                }
            }
            order.forEach(this::put);
            if (round % 50 == 49) {
                list.verify();
            }
        }
        assertNotNull(list.nodes().directories().current());
    }

    /** What was found in a directory that is there no longer is not used, and nothing is lost by that. */
    @Test
    void shouldNotUseWhatWasFoundBeforeARenewalOrARemoval() {
        final Random random = Seeds.random("shouldNotUseWhatWasFoundBeforeARenewalOrARemoval");
        while (list.nodes().directories().current() == null) {
            put(key(random, 20));
        }
        int changed = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final byte[][] batch = batch(random, true, 32);
            list.prefetchAll(KeyBatch.of(batch));
            final Directory before = list.nodes().directories().current();
            if (round % 64 == 63) {
                // Neighbours of what is put next are among those that go.
                final byte[] gone = round % 128 == 63 || expected.lowerKey(batch[0]) == null
                    ? expected.firstKey() : expected.lowerKey(batch[0]);
                assertEquals(expected.remove(gone), list.remove(gone, 0, gone.length));
            } else {
                for (int i = 0; i < 100; i++) {
                    put(key(random, 20));
                }
            }
            changed += before == null || before == list.nodes().directories().current() ? 0 : 1;
            for (final byte[] key : batch) {
                put(key);
            }
        }
        assertTrue(changed > 1, changed + " other directories");
    }

    @Test
    void shouldTakeEachPlaceOnceAndInOrder() {
        final Random random = Seeds.random("shouldTakeEachPlaceOnceAndInOrder");
        while (list.nodes().directories().current() == null) {
            put(key(random, 20));
        }
        final Splice splice = new Splice();
        final int guard = epochs.enter();
        try {
            final Directory directory = list.nodes().directories().current();
            final byte[][] batch = new byte[100][];
            for (int i = 0; i < batch.length; i++) {
                batch[i] = key(random, 1_000); // all of them new
            }
            batch[50] = new byte[SkipList.MAX_KEY_BYTES]; // copied too, as the last one
            Arrays.fill(batch[50], (byte) 'v');
            BatchLookup.visit(list.nodes(), KeyBatch.of(batch), splice.places());
            final int left = splice.places().left();
            assertTrue(left > 90, left + " places");
            final byte[] other = key(random, 1_000);
            assertFalse(splice.places().take(directory, other, 0, other.length), "not in the batch");
            assertEquals(left, splice.places().left());
            int taken = 0;
            for (final byte[] key : batch) {
                if (splice.places().take(directory, key, 0, key.length)) {
                    taken++;
                    final long floor = directory.floor(list.nodes(), key, 0, key.length);
                    assertEquals(Directory.entry(directory.narrow(floor, list.nodes(), key, 0, key.length)),
                        Directory.entry(splice.places().near()));
                }
            }
            assertEquals(left, taken);
            assertEquals(0, splice.places().left());
            assertFalse(splice.places().take(directory, batch[99], 0, batch[99].length), "taken before");
        } finally {
            epochs.exit(guard);
        }
    }

    /** A place is for the key and the directory that it was found for, and there is an end to what is copied. */
    @Test
    void shouldKnowKeysAndDirectories() {
        final Random random = Seeds.random("shouldKnowKeysAndDirectories");
        final List<Directory> directories = new ArrayList<>();
        while (directories.size() < 2) {
            put(key(random, 20));
            final Directory current = list.nodes().directories().current();
            if (current != null && !directories.contains(current)) {
                directories.add(current);
            }
        }
        final byte[] key = key(random, 20);
        final byte[] padded = new byte[key.length + 2];
        System.arraycopy(key, 0, padded, 1, key.length);
        final BatchPlaces places = new BatchPlaces();
        assertFalse(places.take(directories.get(0), key, 0, key.length));
        final KeyBatch batch = KeyBatch.of(key, new byte[SkipList.MAX_KEY_BYTES], key);
        places.begin(directories.get(0));
        places.add(batch, 0, 1, 2);
        places.add(batch, 1, 3, 4); // too long beside the first one
        places.add(batch, 2, 5, 6);
        assertEquals(2, places.left());
        assertFalse(places.take(directories.get(0), padded, 0, key.length));
        assertFalse(places.take(directories.get(0), padded, 1, key.length + 1));
        assertTrue(places.take(directories.get(0), padded, 1, key.length));
        assertEquals(1, places.floor());
        assertEquals(2, places.near());
        assertNotSame(directories.get(0), directories.get(1));
        assertFalse(places.take(directories.get(1), key, 0, key.length), "another directory");
        assertEquals(0, places.left());
        places.begin(null);
        assertFalse(places.take(directories.get(0), key, 0, key.length));
    }
}
