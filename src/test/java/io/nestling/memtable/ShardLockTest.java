/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.nestling.offheap.Claim;
import io.nestling.testing.StressThreads;
import java.util.AbstractList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Many threads inside, or one that keeps them out. */
class ShardLockTest {
    private static void leave(final ShardLock lock, final int writerSlot) {
        lock.slot(writerSlot).held = Claim.FREE;
    }

    @Test
    void shouldGiveEachThreadAPlaceOfItsOwn() throws Exception {
        final ShardLock lock = new ShardLock(ShardLock.WRITER_SLOTS);
        final BitSet writerSlots = new BitSet();
        for (int i = 0; i < ShardLock.WRITER_SLOTS; i++) {
            final int writerSlot = lock.enter();
            assertTrue(
                writerSlot >= 0 && writerSlot < ShardLock.WRITER_SLOTS && !writerSlots.get(writerSlot), "slot " + writerSlot);
            writerSlots.set(writerSlot);
        }
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch entered = new CountDownLatch(1);
        final StressThreads threads = new StressThreads();
        threads.start("one too many", () -> {
            begun.countDown();
            assertEquals(7, lock.enter());
            entered.countDown();
        });
        begun.await();
        assertEquals(false, entered.await(100, TimeUnit.MILLISECONDS), "more threads inside than there are writer slots");
        leave(lock, 7);
        threads.join();
        assertEquals(1, lock.contendedCount());
    }

    @Test
    void shouldKeepOthersOutWhileItIsLocked() throws Exception {
        final ShardLock lock = new ShardLock(ShardLock.WRITER_SLOTS);
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger alone = new AtomicInteger();
        final StressThreads threads = new StressThreads();
        for (int i = 0; i < 3; i++) {
            threads.start("writer " + i, () -> {
                while (threads.goOn()) {
                    final int writerSlot = lock.enter();
                    inside.incrementAndGet();
                    assertEquals(0, alone.get());
                    inside.decrementAndGet();
                    leave(lock, writerSlot);
                }
            });
        }
        for (int i = 0; i < 2; i++) {
            threads.start("lone writer " + i, () -> {
                for (int times = 0; times < 200 && threads.goOn(); times++) {
                    final Claim claim = lock.lock();
                    assertEquals(0, inside.get());
                    assertEquals(1, alone.incrementAndGet());
                    Thread.onSpinWait();
                    assertEquals(0, alone.decrementAndGet());
                    claim.held = Claim.FREE;
                }
            });
        }
        threads.runFor(300).finish();
        assertEquals(0, inside.get());
        lock.lock().held = Claim.FREE;
    }

    /** A writer slot stays held, and the one that waits for it is interrupted: others go on nevertheless. */
    @Test
    void shouldLetOthersInWhileAnInterruptedThreadWaits() throws Exception {
        final ShardLock lock = new ShardLock(ShardLock.WRITER_SLOTS);
        final int stuck = lock.enter();
        final CountDownLatch locked = new CountDownLatch(1);
        final AtomicInteger stillInterrupted = new AtomicInteger();
        final Thread alone = new Thread(() -> {
            Thread.currentThread().interrupt();
            final Claim claim = lock.lock();
            stillInterrupted.set(Thread.currentThread().isInterrupted() ? 1 : 0);
            claim.held = Claim.FREE;
            locked.countDown();
        });
        alone.start();
        final StressThreads threads = new StressThreads();
        final AtomicInteger entered = new AtomicInteger();
        threads.start("other", () -> {
            final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500);
            while (System.nanoTime() < end) {
                leave(lock, lock.enter());
                entered.incrementAndGet();
            }
        });
        threads.join();
        assertEquals(1, locked.getCount());
        assertTrue(entered.get() > 1_000, entered + " times inside in half a second");
        leave(lock, stuck);
        assertTrue(locked.await(30, TimeUnit.SECONDS));
        assertEquals(1, stillInterrupted.get());
    }

    /** A list of locks that can be read a number of times before the heap ends. */
    private static final class FailingList extends AbstractList<ShardLock> {
        private final List<ShardLock> locks;
        private int reads;

        FailingList(final List<ShardLock> locks, final int reads) {
            this.locks = locks;
            this.reads = reads;
        }

        @Override
        public ShardLock get(final int i) {
            if (reads == 0) {
                reads = Integer.MAX_VALUE;
                throw new OutOfMemoryError("lock " + i);
            }
            reads--;
            return locks.get(i);
        }

        @Override
        public int size() {
            return locks.size();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64})
    void shouldHoldNoLockIfTheHeapEndsBeforeItHoldsAll(final int writerSlots) throws Exception {
        final List<ShardLock> locks = List.of(new ShardLock(writerSlots), new ShardLock(writerSlots), new ShardLock(writerSlots));
        // The locks are gone through again after all are acquired.
        for (int reads = 0; reads < 6; reads++) {
            final List<ShardLock> failing = new FailingList(locks, reads);
            assertThrows(OutOfMemoryError.class, () -> ShardLock.lockAll(failing), "after " + reads + " reads");
            final StressThreads threads = new StressThreads();
            threads.start("other", () -> {
                for (final ShardLock lock : locks) {
                    if (writerSlots > 0) {
                        leave(lock, lock.enter()); // first: taking the lock would end what keeps others out
                    }
                    lock.lock().held = Claim.FREE;
                }
            });
            threads.join();
        }
        assertEquals(0, locks.stream().mapToLong(ShardLock::contendedCount).sum());
    }
}
