/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Keys that are sorted by their first bytes, and by more of them where these are equal. */
class KeySorterTest {
    private static List<KeyCorpus> corpora() {
        return KeyCorpus.all();
    }

    /** Sorts keys, whose payloads are their numbers from 1 on, and compares with the JDK. */
    private static void check(final List<byte[]> keys, final boolean onHeap) {
        final HeapKeySource source = new HeapKeySource(payload -> keys.get((int) payload - 1));
        final long slabBytes = (keys.size() * 16L + (2 << 20)) / (2 << 20) * (2 << 20);
        final Slab slab = onHeap ? null : SlabAllocator.direct().allocate(slabBytes);
        try {
            final KeyEntries entries =
                onHeap ? KeyEntries.onHeap(keys.size()) : KeyEntries.inSlab(slab, keys.size());
            for (int i = 0; i < keys.size(); i++) {
                entries.set(i, 0, i + 1);
            }
            new KeySorter(source).sort(entries);
            final List<byte[]> expected = new ArrayList<>(keys);
            expected.sort(Arrays::compareUnsigned);
            final boolean[] seen = new boolean[keys.size()];
            for (int i = 0; i < keys.size(); i++) {
                final int number = (int) entries.record(i) - 1;
                assertTrue(!seen[number], "twice");
                seen[number] = true;
                assertArrayEquals(expected.get(i), keys.get(number), "place " + i);
                assertEquals(source.keyWord(entries.record(i), 0), entries.prefix(i), "prefix at " + i);
            }
        } finally {
            if (slab != null) {
                slab.close();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("corpora")
    void shouldSortKeysOfEveryKind(final KeyCorpus corpus) {
        final List<byte[]> keys = new ArrayList<>(corpus.keys());
        Collections.shuffle(keys, Seeds.random("KeySorterTest " + corpus));
        check(keys, false);
        check(keys.subList(0, keys.size() / 2), true);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 23, 24, 25, 100, 1_000, 100_000})
    void shouldSortManyRandomKeysByAllProcessors(final int count) {
        final Random random = Seeds.random("KeySorterTest " + count);
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final byte[] key = new byte[8];
            random.nextBytes(key);
            keys.add(key);
        }
        check(keys, false);
    }

    @Test
    void shouldSortKeysThatEndInTheSamePrefix() {
        final List<byte[]> keys = new ArrayList<>();
        for (int length = 0; length < 40; length++) {
            for (int times = 0; times < 3; times++) {
                keys.add(new byte[length]); // zeroes, with which prefixes are padded
            }
            keys.add(Arrays.copyOf("the same beginning of all these keys".getBytes(StandardCharsets.US_ASCII), length));
        }
        Collections.shuffle(keys, Seeds.random("KeySorterTest zeroes"));
        check(keys, false);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 8, 60, 3_000})
    void shouldSortKeysWithALongCommonBeginning(final int common) {
        final Random random = Seeds.random("KeySorterTest common " + common);
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            final byte[] key = new byte[common + random.nextInt(12)];
            for (int at = common; at < key.length; at++) {
                key[at] = (byte) random.nextInt(4);
            }
            keys.add(key);
        }
        check(keys, false);
    }

    /** Each of these keys leaves the others' common way at another byte, as does each large group at its end. */
    @ParameterizedTest
    @CsvSource({"600, 0", "2048, 9000"})
    void shouldNotNeedADeepStack(final int places, final int tail) throws Exception {
        final List<byte[]> keys = new ArrayList<>();
        for (int at = 0; at < places; at++) {
            final byte[] key = new byte[at + 1];
            key[at] = 1;
            keys.add(key);
        }
        for (int i = 0; i < tail; i++) {
            final byte[] key = new byte[places + 2];
            key[places] = (byte) (i >> 8);
            key[places + 1] = (byte) i;
            keys.add(key);
        }
        Collections.shuffle(keys, Seeds.random("KeySorterTest deep"));
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread sorter = new Thread(null, () -> check(keys, false), "small stack", 192 << 10);
        sorter.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
        sorter.start();
        sorter.join();
        assertNull(failure.get(), () -> "failed: " + failure.get());
    }

    /** A sort that is broken off anywhere can be repeated, and has lost nothing. */
    @ParameterizedTest
    @ValueSource(ints = {300, 30_000})
    void shouldKeepAllRecordsWhenItFails(final int count) {
        final Random random = Seeds.random("KeySorterTest failing");
        final byte[][] keys = new byte[count][];
        for (int i = 0; i < count; i++) {
            keys[i] = new byte[14];
            keys[i][9] = (byte) random.nextInt(40);
            keys[i][12] = (byte) random.nextInt(9);
        }
        for (long failing = 1; failing < 40L * count; failing += failing / 2 + 1) {
            final AtomicLong left = new AtomicLong(failing);
            final KeySource source = new HeapKeySource(payload -> {
                if (left.decrementAndGet() == 0) {
                    throw new StackOverflowError("on purpose");
                }
                return keys[(int) payload - 1];
            });
            final KeyEntries entries = KeyEntries.onHeap(count);
            for (int i = 0; i < count; i++) {
                entries.set(i, 0, i + 1);
            }
            final KeySorter sorter = new KeySorter(source);
            try {
                sorter.sort(entries);
            } catch (final StackOverflowError e) {
                assertEquals("on purpose", e.getMessage());
                sorter.sort(entries);
            }
            final BitSet seen = new BitSet();
            for (int i = 0; i < count; i++) {
                seen.set((int) entries.record(i));
                assertTrue(i == 0 || Arrays.compareUnsigned(
                    keys[(int) entries.record(i - 1) - 1], keys[(int) entries.record(i) - 1]) <= 0, "place " + i);
            }
            assertEquals(count, seen.cardinality(), "records after a failure at read " + failing);
        }
    }

    /** The one who waits for a sort may hold a lock that other tasks of its pool want. */
    @Test
    void shouldRunNoTaskOfAPoolWhoseThreadWaits() throws Exception {
        final Random random = Seeds.random("KeySorterTest pool");
        final byte[][] keys = new byte[60_000][12];
        for (final byte[] key : keys) {
            random.nextBytes(key);
        }
        final KeySorter sorter = new KeySorter(new HeapKeySource(payload -> keys[(int) payload - 1]));
        final ThreadLocal<Boolean> sorting = ThreadLocal.withInitial(() -> false);
        final AtomicInteger within = new AtomicInteger();
        final ForkJoinPool pool = new ForkJoinPool(2);
        try {
            for (int round = 0; round < 10; round++) {
                pool.submit(() -> {
                    final List<ForkJoinTask<?>> others = new ArrayList<>();
                    for (int i = 0; i < 50; i++) {
                        others.add(ForkJoinTask.adapt(() -> within.addAndGet(sorting.get() ? 1 : 0)).fork());
                    }
                    final KeyEntries entries = KeyEntries.onHeap(keys.length);
                    for (int i = 0; i < keys.length; i++) {
                        entries.set(i, 0, i + 1);
                    }
                    sorting.set(true);
                    sorter.sort(entries);
                    sorting.set(false);
                    others.forEach(ForkJoinTask::join);
                }).get(60, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdown();
        }
        assertEquals(0, within.get(), "tasks that ran within a sort");
    }
}
