/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The share of one structure in a {@link SharedBudget}. It charges what the structure takes, and its writes ask for flushes and
 * wait for them.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 *
 * @param <O> type of the structure
 */
public final class BudgetShare<O> {
    /**
     * Its part of what the budget has charged, and what is being charged or released at the moment. Written under the monitor of
     * the structure's {@link MemoryBudget}.
     */
    volatile long used;
    volatile O owner;
    /** Bytes of the empty structure. */
    long leastUsed;
    /* The state of its flush, which the budget sets and reads under its monitor. */
    boolean outstanding;
    boolean isFrozen;
    /** Bytes that the budget counts as being flushed. */
    long counted;
    /** True if the receiver of a request for this share has thrown. Written without the monitor. */
    volatile boolean isRefused;

    private final SharedBudget<O> budget;
    private final long number;
    private final AtomicLong refusals = new AtomicLong();

    BudgetShare(final SharedBudget<O> budget, final long number) {
        this.budget = budget;
        this.number = number;
    }

    SharedBudget.Use<O> use() {
        return new SharedBudget.Use<>(owner, used, number);
    }

    /**
     * Says whose share it is: from now on the budget may ask for its flush.
     *
     * @param structure the owner
     * @param emptyBytes what it takes while it is empty
     */
    public void setOwner(final O structure, final long emptyBytes) {
        leastUsed = emptyBytes;
        owner = Objects.requireNonNull(structure, "structure");
    }

    long limit() {
        return budget.hardBytes;
    }

    long remaining() {
        return budget.hardBytes - budget.used.get();
    }

    /** Charges bytes if they fit below the hard limit; returns whether they do. A write that needs them waits for a flush. */
    boolean tryAcquire(final long bytes, final boolean isNeeded) {
        used += bytes; // first, so that a write that is refused finds who has the memory
        boolean isCharged = false;
        try {
            isCharged = budget.tryAcquire(bytes);
        } finally {
            if (!isCharged) {
                used -= bytes; // by a store: a call might fail where the budget's has failed
            }
        }
        if (!isCharged && isNeeded) {
            refusals.incrementAndGet();
        }
        return isCharged;
    }

    boolean hasRoom(final long bytes) {
        final boolean has = bytes <= remaining();
        if (!has) {
            refusals.incrementAndGet();
        }
        return has;
    }

    void release(final long bytes) {
        budget.used.addAndGet(-bytes);
        used -= bytes;
    }

    /** Asks for flushes if the soft limit is exceeded. Called before a write, without any lock. */
    public void beforeWrite() {
        boolean asked = true;
        while (asked && budget.isAboveSoftLimit() && budget.asking == null) {
            asked = budget.ask();
        }
    }

    /**
     * Returns how often the share was refused memory, and how many structures were closed, to be passed to {@link #await}.
     *
     * @return two numbers in one
     */
    public long moment() {
        return refusals.get() << Integer.SIZE | budget.departures & 0xFFFF_FFFFL;
    }

    /**
     * Waits for a flush after a write was refused. Returns if the write should be tried again, else throws.
     *
     * @param moment {@link #moment} before the write
     * @param deadline the result of the call before for the same write, 0 at first
     * @param refusal the exception of the write, thrown again if the budget has not refused memory since
     * @return the moment at which waiting for the write ends
     * @throws SpaceExhaustedException if no flush is outstanding, after the timeout, or if the thread is interrupted
     * @throws IllegalStateException if the budget is closed
     */
    public long await(final long moment, final long deadline, final SpaceExhaustedException refusal) {
        // memtable-concurrency.md, claim 49
        if ((int) (moment >>> Integer.SIZE) == (int) refusals.get() || budget.asking == Thread.currentThread()) {
            throw refusal;
        }
        final long end = deadline == 0 ? System.nanoTime() + budget.timeoutNanos : deadline;
        final long before = budget.departures & ~0xFFFF_FFFFL | moment & 0xFFFF_FFFFL;
        boolean asked = true;
        while (!budget.await(this, before, end, refusal)) {
            if (!asked) {
                throw budget.exhausted("no flush is outstanding", refusal);
            }
            asked = budget.ask(); // the request of another thread may have ended while this one waited for it
        }
        return end;
    }

    /** Says that the structure takes no more writes and is being flushed. */
    public void beginFlush() {
        budget.beginFlush(this);
    }

    /** Ends the share, after all its memory was released. May be called again. */
    public void leave() {
        budget.leave(this);
    }
}
