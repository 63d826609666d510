/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.offheap.WriteFailure;
import io.nestling.testing.Seeds;
import io.nestling.testing.StressThreads;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Numbers are claimed at any time and become visible in order. */
class SequenceGateTest {
    /** A thread for each task: the common pool may have one only. */
    private static final Executor THREADS = task -> new Thread(task).start();
    private static final int SLOTS = 256;
    private static final int WRITERS = 4;
    private static final int CLAIMS = 20_000;

    @Test
    void shouldBeginWhereItIsTold() {
        final SequenceGate gate = new SequenceGate(41, new WriteFailure());
        assertEquals(40, gate.visible());
        assertEquals(41, gate.claim(2));
        assertEquals(43, gate.claim(1));
        gate.complete(41, 42);
        assertEquals(42, gate.visible());
        gate.complete(43, 43);
        assertEquals(43, gate.visible());
        gate.await(43);
    }

    @Test
    void shouldMakeNumbersVisibleInOrderWithoutTheirOwners() throws Exception {
        final SequenceGate gate = new SequenceGate(1, new WriteFailure());
        final long first = gate.claim(1);
        final long second = gate.claim(3);
        final long third = gate.claim(2);
        gate.complete(third, third + 1);
        gate.complete(second, second + 2);
        assertEquals(0, gate.visible());
        final CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> gate.await(second + 2),
            THREADS);
        Thread.sleep(20);
        assertFalse(waiting.isDone());
        gate.complete(first, first);
        assertEquals(6, gate.visible());
        waiting.get(10, TimeUnit.SECONDS);
    }

    /** Claims complete in any order; those too far ahead wait for a slot. */
    @Test
    void shouldCompleteInAnyOrder() throws Exception {
        final Random random = Seeds.random("SequenceGateTest");
        final int[] sizes = {1, 1, 1, 2, 7, SLOTS - 1, SLOTS, SLOTS + 1, 3 * SLOTS};
        for (int round = 0; round < 60; round++) {
            final SequenceGate gate = new SequenceGate(1 + random.nextInt(3000), new WriteFailure());
            final List<long[]> open = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                final int size = sizes[random.nextInt(sizes.length)];
                final long first = gate.claim(size);
                open.add(new long[] {first, first + size - 1});
            }
            final long last = open.get(open.size() - 1)[1];
            final StressThreads threads = new StressThreads();
            while (!open.isEmpty()) {
                final long[] write = open.remove(random.nextInt(open.size()));
                threads.start("write " + write[0], () -> {
                    gate.complete(write[0], write[1]);
                    gate.await(write[1]);
                    assertTrue(gate.visible() >= write[1]);
                });
            }
            threads.finish();
            assertEquals(last, gate.visible());
        }
    }

    @Test
    void shouldShowEveryWriteOfManyThreadsCompleteAndInOrder() throws Exception {
        final SequenceGate gate = new SequenceGate(1, new WriteFailure());
        final int[] applied = new int[WRITERS * CLAIMS * 3 + 3 * SLOTS * WRITERS + 1];
        final AtomicLong claimed = new AtomicLong();
        final StressThreads threads = new StressThreads();
        for (int thread = 0; thread < WRITERS; thread++) {
            final Random random = Seeds.random("SequenceGateTest " + thread);
            threads.start("writer " + thread, () -> {
                for (int i = 0; i < CLAIMS && threads.goOn(); i++) {
                    final int size = i == CLAIMS / 2 ? 3 * SLOTS : 1 + random.nextInt(3);
                    final long first = gate.claim(size);
                    for (int j = 0; j < size; j++) {
                        applied[(int) first + j] = 1;
                    }
                    gate.complete(first, first + size - 1);
                    gate.await(first + size - 1);
                    claimed.addAndGet(size);
                    final int visible = (int) gate.visible();
                    assertTrue(visible >= first + size - 1);
                    for (int seen = visible; seen > Math.max(0, visible - 20); seen--) {
                        assertEquals(1, applied[seen], "visible and not applied");
                    }
                }
            });
        }
        threads.join();
        assertEquals(claimed.get(), gate.visible());
    }

    /** A thread may fail while it numbers the record of another one, which waits for that number. */
    @Test
    void shouldLetNobodyWaitForItsOwnNumberWhereThatFailed() throws Exception {
        final WriteFailure failure = new WriteFailure();
        final SequenceGate gate = new SequenceGate(1, failure);
        final long failing = gate.claim(1);
        final CompletableFuture<Void> owner = CompletableFuture.runAsync(() -> gate.await(failing), THREADS);
        failure.cause = new OutOfMemoryError("planned");
        gate.failedAt = failing;
        final ExecutionException e = assertThrows(ExecutionException.class, () -> owner.get(10, TimeUnit.SECONDS));
        assertSame(failure.cause, e.getCause().getCause());
    }

    @Test
    void shouldLetNobodyWaitForAFailedWrite() throws Exception {
        final WriteFailure failure = new WriteFailure();
        final SequenceGate gate = new SequenceGate(1, failure);
        final long slow = gate.claim(1);
        final long before = gate.claim(1);
        final long failing = gate.claim(2);
        final long after = gate.claim(1);
        gate.complete(before, before);
        gate.complete(after, after);
        final CompletableFuture<Void> early = CompletableFuture.runAsync(() -> gate.await(before), THREADS);
        final CompletableFuture<Void> late = CompletableFuture.runAsync(() -> gate.await(after), THREADS);
        final Throwable cause = new OutOfMemoryError("planned");
        failure.cause = cause;
        gate.failedAt = failing;
        final ExecutionException e =
            assertThrows(ExecutionException.class, () -> late.get(10, TimeUnit.SECONDS));
        assertSame(cause, e.getCause().getCause());
        assertTrue(e.getCause().getMessage().contains("write 3"), e.getCause().getMessage());
        Thread.sleep(10);
        assertFalse(early.isDone(), "a write before the failed one is not lost");
        gate.complete(slow, slow);
        early.get(10, TimeUnit.SECONDS);
        assertEquals(2, gate.visible());
        assertTrue(gate.isPoisoned());
        assertThrows(IllegalStateException.class, gate::checkNotPoisoned);
        final long afterwards = gate.claim(2 * SLOTS);
        gate.complete(afterwards, afterwards + 2 * SLOTS - 1);
        assertEquals(2, gate.visible());
    }
}
