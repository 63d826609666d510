/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Readers beside changes of the table itself: nodes evicted from full buckets, buckets added and given up. */
class MlpTableChangesTest {
    private static final long BUDGET_BYTES = 64L << 20;
    private static final int STAYING = 1_500;
    private static final int BATCH = 50;

    private final EpochReclaimer epochs = new EpochReclaimer();

    private MlpIndex open(final long bytes) {
        return new MlpIndex(
            new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(BUDGET_BYTES), epochs, KeySource.NONE, bytes));
    }

    private static byte[] key(final long word) {
        return ByteBuffer.allocate(Long.BYTES).putLong(word).array();
    }

    /** Words below nodes of all sizes; even ones stay, odd ones come and go. */
    private static long word(final Random random, final boolean staying) {
        final long word = (long) random.nextInt(20) << 56 | (long) random.nextInt(10) << 44 | (long) random.nextInt(20) << 36
            | (long) random.nextInt(3) << 28 | (long) random.nextInt(20) << 17 | random.nextInt(10) << 1;
        return staying ? word : word | 1;
    }

    private static List<Long> putStaying(final MlpIndex index, final Random random) {
        final List<Long> staying = new ArrayList<>();
        while (staying.size() < STAYING) {
            final long word = word(random, true);
            if (index.put(key(word), 0, Long.BYTES, word) == PointIndex.NONE) {
                staying.add(word);
            }
        }
        return staying;
    }

    /** A table that can grow no more is filled, and some keys are exchanged, for which nodes have to leave full buckets. */
    @Test
    void shouldShowWhatStaysWhileNodesAreEvicted() throws InterruptedException {
        final Random random = Seeds.random("MlpTableChangesTest.shouldShowWhatStaysWhileNodesAreEvicted");
        try (MlpIndex index = open(MemoryBudget.SLAB_BYTES)) {
            final List<Long> staying = putStaying(index, random);
            final List<Long> others = new ArrayList<>();
            fill(index, random, others);
            final long relocations = index.writer().relocations();
            besideReaders(index, staying, () -> {
                for (int i = 0; i < 40; i++) {
                    for (int gone = 0; gone < 200; gone++) {
                        final int last = others.size() - 1;
                        final int at = random.nextInt(others.size());
                        final long word = others.get(at);
                        others.set(at, others.get(last));
                        others.remove(last);
                        assertEquals(1, index.remove(key(word), 0, Long.BYTES));
                    }
                    fill(index, random, others);
                }
            });
            assertTrue(index.writer().relocations() > relocations + 1_000, "nodes had to make room");
            index.verify();
        }
    }

    private static void fill(final MlpIndex index, final Random random, final List<Long> others) {
        while (true) {
            final long word = word(random, false);
            try {
                if (index.put(key(word), 0, Long.BYTES, 1) == PointIndex.NONE) {
                    others.add(word);
                }
            } catch (final SpaceExhaustedException e) {
                return;
            }
        }
    }

    @Test
    void shouldShowWhatStaysWhileTheTableGrowsAndShrinks() throws InterruptedException {
        final Random random = Seeds.random("MlpTableChangesTest.shouldShowWhatStaysWhileTheTableGrowsAndShrinks");
        try (MlpIndex index = open(BUDGET_BYTES)) {
            final List<Long> staying = putStaying(index, random);
            final long buckets = index.lookup().table().buckets();
            besideReaders(index, staying, () -> {
                final List<Long> others = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    while (others.size() < 20_000) {
                        final long word = word(random, false);
                        if (index.put(key(word), 0, Long.BYTES, 1) == PointIndex.NONE) {
                            others.add(word);
                        }
                    }
                    assertTrue(index.lookup().table().buckets() > 4 * buckets, "the table has grown");
                    for (final long word : others) {
                        assertEquals(1, index.remove(key(word), 0, Long.BYTES));
                    }
                    others.clear();
                    assertTrue(index.lookup().table().buckets() < 4 * buckets, "the table has shrunk");
                }
            });
            index.verify();
        }
    }

    /** One thread writes, one looks up batches, and one has a cursor that stays open while it seeks and walks. */
    private void besideReaders(final MlpIndex index, final List<Long> staying, final Runnable writes)
        throws InterruptedException {
        final AtomicBoolean done = new AtomicBoolean();
        final long seed = staying.get(0);
        final long[] sorted = staying.stream().mapToLong(word -> word).sorted().toArray();
        Threads.runTogether(3, thread -> {
            if (thread == 0) {
                try {
                    writes.run();
                } finally {
                    done.set(true);
                }
                return;
            }
            final Random random = new Random(seed + thread);
            do {
                final int guard = epochs.enter();
                try {
                    if (thread == 1) {
                        lookUp(index, staying, random);
                    } else {
                        walkOften(index, sorted, random);
                    }
                } finally {
                    epochs.exit(guard);
                }
            } while (!done.get());
        });
    }

    private static void lookUp(final MlpIndex index, final List<Long> staying, final Random random) {
        final KeyBatch batch = new KeyBatch();
        final long[] payloads = new long[BATCH];
        final long[] words = new long[BATCH];
        for (int i = 0; i < BATCH; i++) {
            words[i] = staying.get(random.nextInt(staying.size()));
            batch.add(key(words[i]), 0, Long.BYTES);
        }
        index.getAll(batch, payloads);
        for (int i = 0; i < BATCH; i++) {
            assertEquals(words[i], payloads[i]);
            assertEquals(words[i], index.get(key(words[i]), 0, Long.BYTES));
        }
    }

    private static void walkOften(final MlpIndex index, final long[] sorted, final Random random) {
        try (EntryCursor cursor = index.cursor()) {
            for (int i = 0; i < 5; i++) {
                walk(cursor, sorted, random);
            }
        }
    }

    private static void walk(final EntryCursor cursor, final long[] sorted, final Random random) {
        final boolean forward = random.nextBoolean();
        final int from = random.nextInt(sorted.length);
        assertTrue(cursor.seek(key(sorted[from])));
        int at = from;
        boolean there = true;
        for (int steps = 0; there && steps < 2_000; steps++) {
            final long word = KeyWord.of(cursor.keyBuffer(), 0, Long.BYTES);
            if ((word & 1) == 0) {
                assertEquals(sorted[at], word, "a word that stays is left out");
                assertEquals(word, cursor.payload());
                at += forward ? 1 : -1;
            }
            there = forward ? cursor.next() : cursor.previous();
        }
        assertTrue(there || at == (forward ? sorted.length : -1), "the walk ended early");
    }
}
