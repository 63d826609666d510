/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.LoweredLimit;
import io.nestling.offheap.Backoff;
import io.nestling.offheap.Claim;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The lock of a shard: threads enter it, one or many at a time, or one thread takes it and has the shard to itself. Counts how
 * often and how long they wait.
 * <p>
 * A thread that takes the lock keeps newcomers out and waits for those inside. If one of them does not leave soon, because it
 * is not running, the lock admits newcomers for a while before the next attempt. So a stalled thread delays only the thread
 * that wants the shard for itself.
 * <p>
 * Writer slots and locks are claims, freed by one store, so that no error can keep them held.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. A thread that has entered must not take the lock.
 */
final class ShardLock {
    /** Maximum number of threads inside at once. */
    static final int WRITER_SLOTS = LoweredLimit.powerOfTwo("memtable.writerSlots", 64, 2);
    /** Writer slots that threads try first; each thread has its own if there are no more threads than these. */
    static final int PREFERRED_SLOTS = Math.min(
        WRITER_SLOTS, Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors() - 1) << 1);
    /** Word of a claim whose holder has locks but admits others at present. */
    private static final int ADMITTING = Claim.HELD + 1;
    private static final int CONTENDED = 8;
    private static final int NANOS = 9;
    private static final int WAIT_WORDS = 18;
    private static final long FIRST_TIMEOUT_NANOS = 200_000L;
    private static final long MAX_TIMEOUT_NANOS = 64_000_000L;
    private static final long ADMISSION_NANOS = 1_000_000L;

    /* The claim that has the lock or had it last; null before the first. */
    private final AtomicReference<Claim> owner = new AtomicReference<>();
    /* How often and how long threads waited, away from the words that each entry reads. */
    private final AtomicLongArray waits = new AtomicLongArray(WAIT_WORDS);
    /* Replaced by more, which begin with the same ones. */
    volatile Claim[] slots;
    /* Slots from this one on were never held. */
    private final AtomicInteger usedSlots = new AtomicInteger();

    /** Creates a lock that admits {@link #WRITER_SLOTS} threads at once, or 1, or 0: then it can only be taken. */
    ShardLock(final int writerSlots) {
        this.slots = Claim.array(writerSlots);
    }

    /**
     * Lets several threads write at once from now on, in slots of which the present ones replace the first. The caller holds the
     * only writer slot, or the lock.
     */
    void admitMany(final Claim[] more) {
        System.arraycopy(slots, 0, more, 0, slots.length);
        // A thread in another slot has read this array; a thread that takes the lock keeps newcomers out before it reads it.
        slots = more;
    }

    // ---- exclusive ----

    /** Waits until the calling thread has the shard to itself; it frees the claim returned. */
    Claim lock() {
        return lockAll(List.of(this));
    }

    /**
     * Waits until the calling thread has several shards to itself, in the order in which all threads take their locks. If it
     * throws, the thread holds none of the locks. Returns the claim that the caller frees by a store, which releases all of them.
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

    /** Keeps others from taking the lock: the first half of {@link #lockAll}. */
    private void acquire(final Claim claim) {
        long start = 0;
        for (int pauses = 0; !tryAcquire(claim); pauses++) {
            start = pauses == 0 ? System.nanoTime() : start;
            Backoff.pause(pauses);
        }
        if (start != 0) {
            countWait(start);
        }
    }

    private boolean tryAcquire(final Claim claim) {
        final Claim before = owner.get();
        return (before == null || before.held == Claim.FREE) && owner.compareAndSet(before, claim);
    }

    /** Waits for those that have entered: the second half of {@link #lockAll}. */
    private static void exclude(final List<ShardLock> locks, final Claim claim) {
        long timeoutNanos = FIRST_TIMEOUT_NANOS;
        while (!tryExclude(locks, claim, timeoutNanos)) {
            claim.held = ADMITTING;
            // At least as long as writers were kept out, so that they have half of the time at worst.
            Backoff.park(Math.max(ADMISSION_NANOS, timeoutNanos));
            timeoutNanos = Math.min(2 * timeoutNanos, MAX_TIMEOUT_NANOS);
        }
    }

    private static boolean tryExclude(final List<ShardLock> locks, final Claim claim, final long timeoutNanos) {
        // A volatile write, then volatile reads; tryEnter() likewise: at least one of both threads sees the other.
        claim.held = Claim.HELD;
        final long start = System.nanoTime();
        for (int i = 0; i < locks.size(); i++) {
            final ShardLock lock = locks.get(i);
            for (int pauses = 0; lock.isEntered(); pauses++) {
                if (pauses > Backoff.SPINS && System.nanoTime() - start > timeoutNanos) {
                    return false;
                }
                Backoff.pause(pauses);
            }
        }
        return true;
    }

    private boolean isEntered() {
        // A thread that enters after its slot was read here sees the owner and leaves again.
        final int used = usedSlots.get();
        final Claim[] present = slots;
        for (int i = 0; i < used; i++) {
            if (present[i].held != Claim.FREE) {
                return true;
            }
        }
        return false;
    }

    // ---- shared ----

    /** Returns the claim of a writer slot, which its thread frees by a store to leave. */
    Claim slot(final int writerSlot) {
        return slots[writerSlot];
    }

    /**
     * Waits for a writer slot and returns it, 0 to {@link #WRITER_SLOTS} - 1. The calling thread may write, beside those in other
     * slots, until it frees its {@link #slot}.
     */
    int enter() {
        // memtable-concurrency.md, claim 6
        final int preferred = preferredSlot();
        return tryEnter(preferred) ? preferred : enterAnySlot(preferred);
    }

    @SuppressWarnings("deprecation") // Thread.getId is what JDK 17 has
    private int preferredSlot() {
        return (int) Thread.currentThread().getId() & Math.min(slots.length, PREFERRED_SLOTS) - 1;
    }

    private boolean tryEnter(final int writerSlot) {
        final Claim slot = slots[writerSlot];
        if (!slot.tryHold(Claim.HELD)) {
            return false;
        }
        boolean inside = false;
        try {
            if (usedSlots.get() <= writerSlot) {
                usedSlots.accumulateAndGet(writerSlot + 1, Math::max);
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

    /** Waits until a writer slot is free and takes it. */
    private int enterAnySlot(final int preferred) {
        long start = 0;
        for (int pauses = 0;; pauses++) {
            for (int i = 0; i < slots.length && !isKeptOut(); i++) {
                final int writerSlot = preferred + i & slots.length - 1;
                // A look first: a CAS would take the line from the holder, who needs it to leave.
                if (slots[writerSlot].held == Claim.FREE && tryEnter(writerSlot)) {
                    try {
                        if (start != 0) {
                            countWait(start);
                        }
                        return writerSlot;
                    } catch (final Throwable e) {
                        slots[writerSlot].held = Claim.FREE;
                        throw e;
                    }
                }
            }
            if (pauses == Backoff.SPINS) {
                start = System.nanoTime(); // a wait that is over sooner costs neither clock nor counters
            }
            Backoff.pause(pauses);
        }
    }

    // ---- figures ----

    private void countWait(final long start) {
        waits.getAndAdd(NANOS, System.nanoTime() - start);
        waits.getAndIncrement(CONTENDED);
    }

    /** Returns how often a writer waited for another one. */
    long contendedCount() {
        return waits.get(CONTENDED);
    }

    /** Returns how long writers waited for others, in nanoseconds. */
    long contentionNanos() {
        return waits.get(NANOS);
    }
}
