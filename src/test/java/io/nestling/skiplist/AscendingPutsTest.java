/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.IntStream;

/** Puts in ascending order, each of which begins at the node that its thread put last, if that still stands before its key. */
class AscendingPutsTest {
    private static final int KEYS = 2_000;

    private static byte[] key(final long number) {
        return ("a common beginning/" + (10_000_000 + number)).getBytes(StandardCharsets.US_ASCII);
    }

    private static SkipList list(final MemoryBudget budget) {
        return new SkipList(new IndexContext(SlabAllocator.direct(), budget, new EpochReclaimer(),
            new HeapKeySource(AscendingPutsTest::key), 64L << 20), 2, ListFixture.HASH);
    }

    private static long put(final SkipList list, final int number) {
        final byte[] key = key(number);
        return list.put(key, 0, key.length, number);
    }

    private static long remove(final SkipList list, final int number) {
        final byte[] key = key(number);
        return list.remove(key, 0, key.length);
    }

    private static void check(final SkipList list, final int... numbers) {
        list.verify();
        assertEquals(numbers.length, list.entryCount());
        try (var cursor = list.cursor()) {
            boolean more = cursor.first();
            for (final int number : numbers) {
                assertEquals(number, more ? cursor.payload() : -1);
                more = cursor.next();
            }
        }
    }

    @Test
    void shouldPutIntoTheListThatIsMeant() {
        try (SkipList one = list(MemoryBudget.ofBytes(8L << 20)); SkipList two = list(MemoryBudget.ofBytes(8L << 20))) {
            put(one, 10);
            put(one, 11);
            put(two, 20);
            put(two, 21);
            put(one, 30);
            put(one, 31);
            put(two, 32);
            check(one, 10, 11, 30, 31);
            check(two, 20, 21, 32);
        }
    }

    @Test
    void shouldNotPutBehindANodeThatWasRemoved() {
        try (SkipList list = list(MemoryBudget.ofBytes(8L << 20))) {
            for (int number = 0; number < KEYS; number += 2) {
                put(list, number);
                remove(list, number);
                put(list, number + 1);
                assertEquals(PointIndex.NONE, remove(list, number));
            }
            list.verify();
            assertEquals(KEYS / 2, list.entryCount());
        }
    }

    @Test
    void shouldNotPassWhatOtherThreadsHavePut() throws Exception {
        try (SkipList list = list(MemoryBudget.ofBytes(8L << 20))) {
            put(list, 5);
            put(list, 10);
            Threads.runTogether(1, thread -> put(list, 20));
            put(list, 30);
            put(list, 31);
            Threads.runTogether(1, thread -> {
                put(list, 32);
                put(list, 35);
            });
            put(list, 33);
            put(list, 40);
            check(list, 5, 10, 20, 30, 31, 32, 33, 35, 40);
        }
    }

    /** Threads that each put runs of neighbours, and remove some: the runs of all cross each other, and nodes are used again. */
    @Test
    void shouldKeepTheOrderOfRunsThatCross() throws Exception {
        final Random seeds = Seeds.random("AscendingPutsTest.shouldKeepTheOrderOfRunsThatCross");
        final int threads = 4;
        final long[] seed = seeds.longs(threads).toArray();
        try (SkipList list = list(MemoryBudget.ofBytes(8L << 20))) {
            final boolean[][] present = new boolean[threads][KEYS];
            Threads.runTogether(threads, own -> {
                final Random random = new Random(seed[own]);
                for (int run = 0; run < 200; run++) {
                    final boolean puts = random.nextInt(3) > 0;
                    int number = random.nextInt(KEYS);
                    for (int i = random.nextInt(40); i > 0 && number < KEYS; i--, number++) {
                        if (puts) {
                            put(list, number * threads + own);
                        } else {
                            remove(list, number * threads + own);
                        }
                        present[own][number] = puts;
                    }
                }
            });
            final int[] expected = IntStream.range(0, KEYS * threads)
                .filter(number -> present[number % threads][number / threads]).toArray();
            check(list, expected);
        }
    }
}
