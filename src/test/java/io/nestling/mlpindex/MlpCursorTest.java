/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Walks through tries of all shapes, where keys differ at many depths and nodes have few or many children. */
class MlpCursorTest {
    private static final int BUDGET_BYTES = 256 << 20;

    private static MlpIndex open(final EpochReclaimer epochs, final KeySource keys) {
        return new MlpIndex(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(BUDGET_BYTES), epochs, keys, BUDGET_BYTES));
    }

    private static byte[] key(final long word) {
        return ByteBuffer.allocate(Long.BYTES).putLong(word).array();
    }

    /** A word whose bytes have 1 to 256 values each. */
    private static long word(final Random random, final int[] values) {
        long word = 0;
        for (final int count : values) {
            word = word << Byte.SIZE | random.nextInt(count) * 256L / count;
        }
        return word;
    }

    private static int[] shape(final Random random) {
        final int[] values = new int[Long.BYTES];
        for (int i = 0; i < values.length; i++) {
            values[i] = 1 + random.nextInt(random.nextBoolean() ? 4 : random.nextBoolean() ? 30 : 256);
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldWalkBothWaysThroughTriesOfAllShapes(final boolean withRecords) {
        final Random random = new Random(Seeds.seed("MlpCursorTest.shouldWalkBothWaysThroughTriesOfAllShapes"));
        for (int round = 0; round < 60; round++) {
            final KeySource keys = withRecords ? new HeapKeySource(MlpCursorTest::key) : KeySource.NONE;
            try (MlpIndex index = open(new EpochReclaimer(), keys); EntryCursor cursor = index.cursor()) {
                final int[] values = shape(random);
                final NavigableSet<Long> words = new TreeSet<>(Long::compareUnsigned);
                for (int i = 1 << random.nextInt(13); i > 0; i--) {
                    final long word = word(random, values) >>> 8;
                    words.add(word);
                    index.put(key(word), 0, Long.BYTES, word);
                }
                for (int i = 0; i < 40; i++) {
                    walk(cursor, words, random, word(random, values) >>> 8, 1 << random.nextInt(10));
                }
                assertTrue(cursor.first());
                int count = 1;
                while (cursor.next()) {
                    count++;
                }
                assertEquals(words.size(), count);
            }
        }
    }

    private static void walk(
        final EntryCursor cursor, final NavigableSet<Long> words, final Random random, final long from, final int steps) {
        boolean forward = random.nextBoolean();
        boolean there = forward ? cursor.seek(key(from)) : cursor.seekLowerThan(key(from));
        Long expected = forward ? words.ceiling(from) : words.lower(from);
        for (int i = 0; i < steps; i++) {
            assertEquals(expected != null, there);
            if (expected == null) {
                assertFalse(cursor.valid());
                return;
            }
            assertEquals(expected, KeyWord.of(cursor.keyBuffer(), 0, cursor.keyLength()));
            assertEquals(expected, cursor.payload());
            if (random.nextInt(100) == 0) {
                forward = !forward;
            }
            there = forward ? cursor.next() : cursor.previous();
            expected = forward ? words.higher(expected) : words.lower(expected);
        }
    }

    /** Readers walk while other keys come and go, which divides and compresses paths and makes nodes wider and narrower. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void shouldShowKeysThatStayWhileOthersComeAndGo(final int seed) throws InterruptedException {
        final Random random = new Random(Seeds.seed("MlpCursorTest.shouldShowKeysThatStay") + seed);
        final int[] values = shape(random);
        final NavigableSet<Long> staying = new TreeSet<>(Long::compareUnsigned);
        final EpochReclaimer epochs = new EpochReclaimer();
        try (MlpIndex index = open(epochs, KeySource.NONE)) {
            for (int i = 0; i < 2_000; i++) {
                final long word = word(random, values) & ~1L;
                staying.add(word);
                index.put(key(word), 0, Long.BYTES, 7);
            }
            final AtomicBoolean done = new AtomicBoolean();
            final long writerSeed = random.nextLong();
            Threads.runTogether(3, thread -> {
                if (thread == 0) {
                    try {
                        comeAndGo(index, new Random(writerSeed), values);
                    } finally {
                        done.set(true);
                    }
                } else {
                    while (!done.get()) {
                        walkAll(index, epochs, staying, thread == 1);
                    }
                }
            });
            index.verify();
        }
    }

    private static void comeAndGo(final MlpIndex index, final Random random, final int[] values) {
        final long[] there = new long[3_000];
        for (int i = 0; i < 150_000; i++) {
            final int at = random.nextInt(there.length);
            if (there[at] != 0) {
                index.remove(key(there[at]), 0, Long.BYTES);
            }
            // Now and then most of them go, so that nodes become narrow and the table shrinks.
            there[at] = i / 20_000 % 2 == 0 ? word(random, values) | 1 : 0;
            if (there[at] != 0) {
                index.put(key(there[at]), 0, Long.BYTES, 1);
            }
        }
    }

    private static void walkAll(
        final MlpIndex index, final EpochReclaimer epochs, final NavigableSet<Long> staying, final boolean forward) {
        final int guard = epochs.enter();
        try (EntryCursor cursor = index.cursor()) {
            int seen = 0;
            boolean first = true;
            long last = 0;
            for (boolean there = forward ? cursor.first() : cursor.last(); there;
                there = forward ? cursor.next() : cursor.previous()) {
                final long word = KeyWord.of(cursor.keyBuffer(), 0, Long.BYTES);
                assertTrue(first || Long.compareUnsigned(last, word) < 0 == forward, "keys in order, each once");
                assertEquals((word & 1) == 0 ? 7 : 1, cursor.payload());
                seen += (word & 1) == 0 ? 1 : 0;
                first = false;
                last = word;
            }
            assertEquals(staying.size(), seen);
            assertEquals(PointIndex.NONE, index.get(key(-1), 0, Long.BYTES));
        } finally {
            epochs.exit(guard);
        }
    }
}
