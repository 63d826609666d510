/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.BitSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Many threads inside, or one that keeps them out. */
class ShardLockTest {
    @Test
    void shouldGiveEachThreadAPlaceOfItsOwn() throws Exception {
        final ShardLock lock = new ShardLock(true);
        final BitSet places = new BitSet();
        for (int i = 0; i < ShardLock.PLACES; i++) {
            final int place = lock.enter();
            assertTrue(place >= 0 && place < ShardLock.PLACES && !places.get(place), "place " + place);
            places.set(place);
        }
        final CountDownLatch entered = new CountDownLatch(1);
        final Threads threads = new Threads();
        threads.start("one too many", () -> {
            assertEquals(7, lock.enter());
            entered.countDown();
        });
        assertEquals(false, entered.await(50, TimeUnit.MILLISECONDS), "more threads inside than there are places");
        lock.exit(7);
        threads.join();
        assertEquals(1, lock.contendedCount());
    }

    @Test
    void shouldKeepOthersOutWhileItIsLocked() throws Exception {
        final ShardLock lock = new ShardLock(true);
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger alone = new AtomicInteger();
        final Threads threads = new Threads();
        for (int i = 0; i < 3; i++) {
            threads.start("writer " + i, () -> {
                while (threads.goOn()) {
                    final int place = lock.enter();
                    inside.incrementAndGet();
                    assertEquals(0, alone.get());
                    inside.decrementAndGet();
                    lock.exit(place);
                }
            });
        }
        for (int i = 0; i < 2; i++) {
            threads.start("lone writer " + i, () -> {
                for (int times = 0; times < 200 && threads.goOn(); times++) {
                    lock.lock();
                    assertEquals(0, inside.get());
                    assertEquals(1, alone.incrementAndGet());
                    Thread.onSpinWait();
                    assertEquals(0, alone.decrementAndGet());
                    lock.unlock();
                }
            });
        }
        threads.runFor(300).finish();
        assertEquals(0, inside.get());
        lock.lock();
        lock.unlock();
    }
}
