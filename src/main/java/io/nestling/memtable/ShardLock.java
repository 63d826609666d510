/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.LoweredLimit;
import io.nestling.memory.Backoff;
import io.nestling.memory.Claim;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Who may write a shard: threads that have entered, one or many at a time, or one that has the shard to itself. It counts how
 * often and how long they wait.
 * <p>
 * Who takes the lock keeps newcomers out and waits for those inside. Should one of them not come out soon,
 * since it is not running, the others are let in again for a while before the next attempt: so a thread that
 * stands still holds up nobody but the one that needs the shard for itself.
 * <p>
 * Slots and locks are claims, given back by one store. So nothing that ends a write keeps them, whatever it is.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. A thread that has entered must not take the lock.
 */
final class ShardLock {
    /** Most threads that can be inside at once. */
    static final int PLACES = LoweredLimit.powerOfTwo("memtable.places", 64, 2);
    /** Places that threads take first, each its own if there are no more threads than that. */
    static final int HOME_PLACES = Math.min(
        PLACES, Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors() - 1) << 1);
    /** Word of a claim whose holder has locks and does not keep others from entering, or not just now. */
    private static final int ADMITTING = Claim.HELD + 1;
    private static final long FIRST_PATIENCE_NANOS = 200_000L;
    private static final long MAX_PATIENCE_NANOS = 64_000_000L;
    private static final long ADMISSION_NANOS = 1_000_000L;

    /* Whose claim it is that has the lock, or had it last; null if nobody did. */
    private final AtomicReference<Claim> owner = new AtomicReference<>();
    private final AtomicLong contended = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();
    final Claim[] slots;
    private final int homeMask;
    /* No place from here on was ever taken. */
    private final AtomicInteger places = new AtomicInteger();

    /**
     * Makes a lock.
     *
     * @param places most threads inside at once: {@link #PLACES}, 1, or 0 for a lock that can only be taken
     */
    ShardLock(final int places) {
        this.slots = Claim.array(places);
        this.homeMask = Math.min(places, HOME_PLACES) - 1;
    }

    /** Whether several threads may write at once. */
    boolean takesManyWriters() {
        return slots.length > 1;
    }

    // ---- one thread alone ----

    /** Waits until the calling thread is alone; it frees the claim returned. */
    Claim lock() {
        return lockAll(List.of(this));
    }

    /**
     * Waits until the calling thread has several shards to itself. If that fails, it holds none of the locks.
     *
     * @param locks in the order that all threads take them in
     * @return what the caller frees, by a store, to give all of them back
     */
    static Claim lockAll(final List<ShardLock> locks) {
        final Claim claim = new Claim();
        claim.held = ADMITTING;
        try {
            for (int i = 0; i < locks.size(); i++) {
                locks.get(i).acquire(claim);
            }
            exclude(locks, claim);
            return claim;
        } catch (final Throwable e) {
            claim.held = Claim.FREE;
            throw e;
        }
    }

    /** First half of {@link #lockAll}: keeps others from taking the lock. */
    private void acquire(final Claim claim) {
        long start = 0;
        for (int pauses = 0; !tryAcquire(claim); pauses++) {
            start = pauses == 0 ? System.nanoTime() : start;
            Backoff.pause(pauses);
        }
        if (start != 0) {
            noteWait(start);
        }
    }

    private boolean tryAcquire(final Claim claim) {
        final Claim before = owner.get();
        return (before == null || before.held == Claim.FREE) && owner.compareAndSet(before, claim);
    }

    /** Second half of {@link #lockAll}: waits for those that have entered. */
    private static void exclude(final List<ShardLock> locks, final Claim claim) {
        long patience = FIRST_PATIENCE_NANOS;
        while (!tryExclude(locks, claim, patience)) {
            claim.held = ADMITTING;
            // For as long as they were kept out: at worst they have half of the time.
            Backoff.park(Math.max(ADMISSION_NANOS, patience));
            patience = Math.min(2 * patience, MAX_PATIENCE_NANOS);
        }
    }

    private static boolean tryExclude(final List<ShardLock> locks, final Claim claim, final long patience) {
        // A volatile write and then volatile reads here, the other way round in tryEnter(): one of both sees the
        // other.
        claim.held = Claim.HELD;
        final long start = System.nanoTime();
        for (int i = 0; i < locks.size(); i++) {
            final ShardLock lock = locks.get(i);
            for (int pauses = 0; lock.isEntered(); pauses++) {
                if (pauses > Backoff.SPINS && System.nanoTime() - start > patience) {
                    return false;
                }
                Backoff.pause(pauses);
            }
        }
        return true;
    }

    private boolean isEntered() {
        // Who comes in after its place was read sees that it must go out again.
        for (int place = 0; place < places.get(); place++) {
            if (slots[place].held != Claim.FREE) {
                return true;
            }
        }
        return false;
    }

    // ---- those inside ----

    /** What the thread at a place frees, by a store, to go out. */
    Claim slot(final int place) {
        return slots[place];
    }

    /**
     * Lets the calling thread write, beside others if there are several places, until it frees its {@link #slot}.
     *
     * @return the place that it has until then, 0 to {@link #PLACES} - 1
     */
    int enter() {
        final int place = home() & homeMask;
        return tryEnter(place) ? place : enterLater(place);
    }

    /** Number by which threads take different places. */
    @SuppressWarnings("deprecation") // Thread.getId is what JDK 17 has
    private static int home() {
        return (int) Thread.currentThread().getId();
    }

    private boolean tryEnter(final int place) {
        final Claim slot = slots[place];
        if (!slot.tryHold(Claim.HELD)) {
            return false;
        }
        boolean inside = false;
        try {
            if (places.get() <= place) {
                places.accumulateAndGet(place + 1, Math::max);
            }
            inside = !isKeptOut();
            return inside;
        } finally {
            if (!inside) {
                slot.held = Claim.FREE;
            }
        }
    }

    private boolean isKeptOut() {
        final Claim claim = owner.get();
        return claim != null && claim.held == Claim.HELD;
    }

    /** Takes any place as soon as there is one. */
    private int enterLater(final int home) {
        final long start = System.nanoTime();
        for (int pauses = 0;; pauses++) {
            for (int i = 0; i < slots.length && !isKeptOut(); i++) {
                final int place = home + i & slots.length - 1;
                if (tryEnter(place)) {
                    try {
                        if (pauses > 0) {
                            noteWait(start);
                        }
                        return place;
                    } catch (final Throwable e) {
                        slots[place].held = Claim.FREE;
                        throw e;
                    }
                }
            }
            Backoff.pause(pauses);
        }
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
