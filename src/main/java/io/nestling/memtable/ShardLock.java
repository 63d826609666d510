/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Who may write a shard: one thread that holds the lock, or, if the index takes many writers, any number of
 * threads that have entered. It counts how often and how long they wait.
 * <p>
 * Who takes the lock keeps newcomers out and waits for those inside. Should one of them not come out soon,
 * since it is not running, the others are let in again for a while before the next attempt: so a thread that
 * stands still holds up nobody but the one that needs the shard for itself.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. A thread that has entered must not take the lock.
 */
final class ShardLock {
    /** Most threads that can be inside at once. */
    static final int PLACES = 64;
    /** Places that threads take first, each its own if there are no more threads than that. */
    static final int HOME_PLACES = Math.min(
        PLACES, Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors() - 1) << 1);
    private static final int STRIDE_SHIFT = 5;
    private static final int FREE = 0;
    private static final int TAKEN = 1;
    private static final long FIRST_PATIENCE_NANOS = 200_000L;
    private static final long MAX_PATIENCE_NANOS = 64_000_000L;
    private static final long ADMISSION_NANOS = 1_000_000L;

    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicLong contended = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();
    /* A place each 128 bytes, so that two never share a line or a pair of lines. */
    private final AtomicIntegerArray inside;
    /* No place from here on was ever taken. */
    private final AtomicInteger places = new AtomicInteger();
    private volatile boolean exclusive;
    private final List<ShardLock> alone = List.of(this);

    /** Makes a lock that threads can enter, or one that they can only take. */
    ShardLock(final boolean manyWriters) {
        this.inside = manyWriters ? new AtomicIntegerArray(PLACES << STRIDE_SHIFT) : null;
    }

    /** Whether several threads may write at once. */
    boolean takesManyWriters() {
        return inside != null;
    }

    // ---- one writer ----

    /** Waits until the calling thread is the only writer. */
    void lock() {
        if (inside == null) {
            acquire();
        } else {
            lockAll(alone);
        }
    }

    /**
     * Waits until the calling thread is the only writer of several shards. If that fails, it holds none of the locks.
     *
     * @param locks all with many writers or all without, in the order that all threads take them in
     */
    static void lockAll(final List<ShardLock> locks) {
        int acquired = 0;
        try {
            while (acquired < locks.size()) {
                locks.get(acquired).acquire();
                acquired++;
            }
            if (acquired > 0 && locks.get(0).takesManyWriters()) {
                exclude(locks);
            }
        } catch (final Throwable e) {
            unlock(locks, acquired);
            throw e;
        }
    }

    /** Ends {@link #lockAll}. */
    static void unlockAll(final List<ShardLock> locks) {
        unlock(locks, locks.size());
    }

    private static void unlock(final List<ShardLock> locks, final int count) {
        for (int i = 0; i < count; i++) {
            locks.get(i).unlock();
        }
    }

    /** First half of {@link #lockAll}: keeps others from taking the lock. */
    private void acquire() {
        if (!lock.tryLock()) {
            final long start = System.nanoTime();
            lock.lock();
            noteWait(start);
        }
    }

    /** Second half of {@link #lockAll}: waits for those that have entered. */
    private static void exclude(final List<ShardLock> locks) {
        long patience = FIRST_PATIENCE_NANOS;
        while (!tryExclude(locks, patience)) {
            locks.forEach(lock -> lock.exclusive = false);
            // For as long as they were kept out: at worst they have half of the time.
            Waiting.park(Math.max(ADMISSION_NANOS, patience));
            patience = Math.min(2 * patience, MAX_PATIENCE_NANOS);
        }
    }

    private static boolean tryExclude(final List<ShardLock> locks, final long patience) {
        // A volatile write and then volatile reads here, the other way round in enter(): one of both sees the
        // other.
        locks.forEach(lock -> lock.exclusive = true);
        final long start = System.nanoTime();
        for (final ShardLock lock : locks) {
            for (int pauses = 0; lock.isEntered(); pauses++) {
                if (pauses > Waiting.SPINS && System.nanoTime() - start > patience) {
                    return false;
                }
                Waiting.pause(pauses);
            }
        }
        return true;
    }

    private boolean isEntered() {
        // Who comes in after its place was read sees that it must go out again.
        for (int place = 0; place < places.get(); place++) {
            if (inside.get(place << STRIDE_SHIFT) != FREE) {
                return true;
            }
        }
        return false;
    }

    /** Ends {@link #lock}. */
    void unlock() {
        if (inside != null) {
            exclusive = false;
        }
        lock.unlock();
    }

    // ---- many writers ----

    /** Place that the calling thread takes first. */
    @SuppressWarnings("deprecation") // Thread.getId is what JDK 17 has
    static int home() {
        return (int) Thread.currentThread().getId() & (HOME_PLACES - 1);
    }

    /**
     * Lets the calling thread write beside others, until {@link #exit}.
     *
     * @return the place that it has until then, 0 to {@link #PLACES} - 1
     */
    int enter() {
        final int place = home();
        return tryEnter(place) ? place : enterLater(place);
    }

    private boolean tryEnter(final int place) {
        if (!inside.compareAndSet(place << STRIDE_SHIFT, FREE, TAKEN)) {
            return false;
        }
        if (places.get() <= place) {
            places.accumulateAndGet(place + 1, Math::max);
        }
        if (exclusive) {
            exit(place);
            return false;
        }
        return true;
    }

    /** Takes any place as soon as there is one. */
    private int enterLater(final int home) {
        long start = 0;
        for (int pauses = 0;; pauses++) {
            for (int i = 0; i < PLACES && !exclusive; i++) {
                final int place = home + i & PLACES - 1;
                if (tryEnter(place)) {
                    if (pauses > 0) {
                        noteWait(start);
                    }
                    return place;
                }
            }
            start = pauses == 0 ? System.nanoTime() : start;
            Waiting.pause(pauses);
        }
    }

    /** Gives a place back. */
    void exit(final int place) {
        inside.setRelease(place << STRIDE_SHIFT, FREE); // nothing that the caller reads later matters to who waits for this
    }

    // ---- figures ----

    private void noteWait(final long start) {
        nanos.addAndGet(System.nanoTime() - start);
        contended.incrementAndGet();
    }

    /** Number of times that a writer had to wait for another one. */
    long contendedCount() {
        return contended.get();
    }

    /** Time that writers waited for others. */
    long contentionNanos() {
        return nanos.get();
    }
}
