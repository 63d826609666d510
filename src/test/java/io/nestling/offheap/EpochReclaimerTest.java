/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Epochs move on without readers, and never past one. */
@Tag("bridge")
class EpochReclaimerTest {
    /** A thread for each task: the common pool may have one only. */
    private static final Executor THREADS = task -> new Thread(task).start();
    private static final int CELLS = 64;
    private static final int FREE = -1;
    private static final long RUN_NANOS = 700_000_000L;
    private static final long ENOUGH_CELLS = 100;
    private static final long MOST_NANOS = 20_000_000_000L;

    @Test
    void shouldMoveOnWithoutReaders() {
        final EpochReclaimer epochs = new EpochReclaimer();
        final long start = epochs.epoch();
        assertFalse(epochs.isQuiescent(start));
        assertTrue(epochs.tryAdvance());
        assertFalse(epochs.isQuiescent(start));
        assertTrue(epochs.tryAdvance());
        assertEquals(start + 2, epochs.epoch());
        assertTrue(epochs.isQuiescent(start));
        assertFalse(epochs.isQuiescent(start + 1));
    }

    @Test
    void shouldMoveOnceAndThenWaitForAReader() {
        final EpochReclaimer epochs = new EpochReclaimer();
        for (int round = 0; round < 5; round++) {
            final long start = epochs.epoch();
            final int token = epochs.enter();
            assertTrue(epochs.tryAdvance());
            assertFalse(epochs.tryAdvance());
            assertFalse(epochs.isQuiescent(start));
            final int later = epochs.enter();
            epochs.exit(token);
            assertTrue(epochs.tryAdvance());
            assertTrue(epochs.isQuiescent(start));
            assertFalse(epochs.tryAdvance());
            assertFalse(epochs.isQuiescent(start + 1));
            epochs.exit(later);
        }
    }

    @Test
    void shouldLetAGuardBeLeftByAnotherThread() throws Exception {
        final EpochReclaimer epochs = new EpochReclaimer();
        final int token = CompletableFuture.supplyAsync(epochs::enter, THREADS).get(10, TimeUnit.SECONDS);
        epochs.tryAdvance();
        assertFalse(epochs.tryAdvance());
        epochs.exit(token);
        assertTrue(epochs.tryAdvance());
    }

    @Test
    void shouldWaitForReadersWhenClosedAndLetNoneIn() throws Exception {
        final EpochReclaimer epochs = new EpochReclaimer();
        final int first = epochs.enter();
        epochs.tryAdvance();
        final int second = epochs.enter();
        final CompletableFuture<Boolean> closing = CompletableFuture.supplyAsync(epochs::close, THREADS);
        while (!epochs.isClosed()) {
            assertFalse(closing.isCompletedExceptionally());
            Thread.onSpinWait();
        }
        assertThrows(IllegalStateException.class, epochs::enter);
        epochs.exit(first);
        Thread.sleep(20);
        assertFalse(closing.isDone());
        epochs.exit(second);
        assertTrue(closing.get(10, TimeUnit.SECONDS));
        assertFalse(epochs.close());
        assertThrows(IllegalStateException.class, epochs::enter);
    }

    /**
     * A writer replaces cells and marks the old ones free as soon as they are quiescent; no reader inside a
     * guard may meet a free one that it found in its guard.
     */
    private static String reuseUnderReaders(final boolean withGuards) throws Exception {
        final EpochReclaimer epochs = new EpochReclaimer();
        final AtomicIntegerArray cells = new AtomicIntegerArray(CELLS);
        final AtomicLong current = new AtomicLong();
        final AtomicBoolean done = new AtomicBoolean();
        final AtomicLong met = new AtomicLong();
        final List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int reader = 0; reader < 3; reader++) {
            readers.add(CompletableFuture.runAsync(() -> {
                while (!done.get()) {
                    final int token = withGuards ? epochs.enter() : 0;
                    final int cell = (int) current.get();
                    for (int i = 0; i < 20; i++) {
                        met.addAndGet(cells.get(cell) == FREE ? 1 : 0);
                    }
                    if (withGuards) {
                        epochs.exit(token);
                    }
                }
            }, THREADS));
        }
        final long recycled;
        try {
            recycled = replaceCells(epochs, cells, current, () -> withGuards || met.get() > 0);
        } finally {
            done.set(true);
        }
        for (final CompletableFuture<Void> reader : readers) {
            reader.get(30, TimeUnit.SECONDS);
        }
        assertTrue(recycled > ENOUGH_CELLS, recycled + " cells were used again");
        return met.get() == 0 ? "safe" : "unsafe";
    }

    /** Goes on for a time, and longer until something has happened and enough cells were used again. */
    private static long replaceCells(
        final EpochReclaimer epochs, final AtomicIntegerArray cells, final AtomicLong current,
        final BooleanSupplier happened) {
        final Deque<long[]> limbo = new ArrayDeque<>();
        final Deque<Integer> free = new ArrayDeque<>();
        for (int i = 1; i < CELLS; i++) {
            cells.set(i, FREE);
            free.add(i);
        }
        long recycled = 0;
        final long start = System.nanoTime();
        while (System.nanoTime() - start < (happened.getAsBoolean() && recycled > ENOUGH_CELLS ? RUN_NANOS : MOST_NANOS)) {
            if (!free.isEmpty()) {
                final int next = free.poll();
                cells.set(next, next);
                final long old = current.getAndSet(next);
                limbo.add(new long[] {old, epochs.epoch()});
            }
            epochs.tryAdvance();
            while (!limbo.isEmpty() && epochs.isQuiescent(limbo.peek()[1])) {
                final int cell = (int) limbo.poll()[0];
                cells.set(cell, FREE);
                free.add(cell);
                recycled++;
            }
        }
        return recycled;
    }

    @Test
    void shouldProtectWhatAReaderHolds() throws Exception {
        assertEquals("safe", reuseUnderReaders(true));
    }

    /** The twin of the test before: without guards the same readers do meet free cells. */
    @Test
    void shouldNotProtectReadersWithoutGuards() throws Exception {
        assertEquals("unsafe", reuseUnderReaders(false));
    }
}
