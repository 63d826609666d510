/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.offheap.Backoff;
import io.nestling.offheap.Slab;
import io.nestling.offheap.WriteFailure;

/**
 * Locks of subgraphs: one bit of a region's word for each root, so that one CAS locks one or two subgraphs, both or none. The
 * subgraph of bucket 0, that of most keys, has a word of its own; a writer that needs both words takes both or releases the
 * first. No lock holder waits for another that may wait; hence no lock order.
 * <h2>Thread safety</h2>
 * Any thread may lock. {@code unlock}, {@code unlockCore}, {@code lockMembers}, {@code open} and {@code release} are for the
 * operation that holds the lock, in any thread.
 */
final class SubgraphLocks {
    /** Result of {@link #lock} if the region is closed to writers. */
    static final long NOT_LOCKED = 0;
    /** Bit of the subgraph of bucket 0 among the locked bits. */
    static final long CORE = 1;

    private final Slab slab;
    private final SubgraphForest forest;
    private final WriteFailure failure;

    SubgraphLocks(final Slab slab, final SubgraphForest forest, final WriteFailure failure) {
        this.failure = failure;
        this.slab = slab;
        this.forest = forest;
    }

    /**
     * Locks the subgraphs of two buckets; waits for other writers. Returns the bits to unlock, or {@link #NOT_LOCKED} if the
     * region was closed: it may have been replaced.
     */
    long lock(final long base, final int bucket0, final int bucket1) {
        for (int times = 0;; times++) {
            final long bits = forest.roots(base, bucket0, bucket1);
            if (isClosed(base)) {
                return NOT_LOCKED;
            }
            if (tryLock(base, bits)) {
                if (bits == forest.roots(base, bucket0, bucket1)) {
                    return bits;
                }
                unlock(base, bits); // merged or split meanwhile
            } else {
                Backoff.pause(times, failure);
            }
        }
    }

    private boolean isClosed(final long base) {
        return (slab.getIntAcquire(base + STATE_OFFSET) & CLOSED) != 0;
    }

    /** Locks some roots, all or none. */
    private boolean tryLock(final long base, final long bits) {
        final boolean core = (bits & CORE) != 0;
        if (core && !takeCore(base)) {
            return false;
        }
        final long others = bits & ~CORE;
        if (others == 0) {
            return true;
        }
        final long locked = slab.getLongAcquire(base + LOCKED_OFFSET);
        if ((locked & others) == 0 && slab.compareAndSetLong(base + LOCKED_OFFSET, locked, locked | others)) {
            return true;
        }
        if (core) {
            unlockCore(slab, base);
        }
        return false;
    }

    /** Locks the subgraph of bucket 0, unless it is locked or the region is closed; returns whether it did. */
    boolean tryLockCore(final long base) {
        return !isClosed(base) && takeCore(base);
    }

    private boolean takeCore(final long base) {
        final long seen = slab.getLongAcquire(base + CORE_LOCK_OFFSET);
        return (seen & CORE_LOCKED) == 0 && slab.compareAndSetLong(base + CORE_LOCK_OFFSET, seen, seen | CORE_LOCKED);
    }

    /** Unlocks the subgraph of bucket 0 for the thread that locked it, or a new region for the thread that made it. */
    static void unlockCore(final Slab slab, final long base) {
        slab.putLongRelease(base + CORE_LOCK_OFFSET, slab.getLong(base + CORE_LOCK_OFFSET) + CORE_UNLOCK);
    }

    /** Locks more bits, except that of bucket 0, while the caller holds the roots of all their buckets. */
    void lockMembers(final long base, final long bits) {
        for (int times = 0;; times++) {
            final long locked = slab.getLongAcquire(base + LOCKED_OFFSET);
            if ((locked & bits) == 0 && slab.compareAndSetLong(base + LOCKED_OFFSET, locked, locked | bits)) {
                return;
            }
            Backoff.pause(times, failure);
        }
    }

    void unlock(final long base, final long bits) {
        final long others = bits & ~CORE;
        if (others != 0) {
            long locked;
            do {
                locked = slab.getLongAcquire(base + LOCKED_OFFSET);
            } while (!slab.compareAndSetLong(base + LOCKED_OFFSET, locked, locked & ~others));
        }
        if ((bits & CORE) != 0) {
            unlockCore(slab, base);
        }
    }

    /**
     * Locks a region as a whole, after all holders of locks in it are done; returns false if another thread locks or has replaced
     * it.
     */
    boolean close(final long base) {
        // cocuckoo-concurrency.md, claim 8
        final int state = slab.getIntAcquire(base + STATE_OFFSET);
        if ((state & CLOSED) != 0 || !slab.compareAndSetInt(base + STATE_OFFSET, state, state | CLOSED)) {
            return false;
        }
        for (int times = 0; !takeCore(base); times++) {
            Backoff.pause(times, failure);
        }
        for (int times = 0; !slab.compareAndSetLong(base + LOCKED_OFFSET, 0, ALL_LOCKED); times++) {
            Backoff.pause(times, failure);
        }
        return true;
    }

    /** Unlocks a region that was locked as a whole. */
    void open(final long base) {
        slab.putLongRelease(base + LOCKED_OFFSET, 0);
        unlockCore(slab, base);
        slab.putIntRelease(base + STATE_OFFSET, slab.getIntAcquire(base + STATE_OFFSET) & ~CLOSED);
    }

    /** Unlocks subgraphs, or a region that was locked as a whole. */
    void release(final long base, final long bits) {
        if (bits == ALL_LOCKED) {
            open(base);
        } else {
            unlock(base, bits);
        }
    }
}
