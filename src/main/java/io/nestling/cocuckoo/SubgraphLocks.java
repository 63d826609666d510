/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.memory.Backoff;
import io.nestling.memory.Slab;
import io.nestling.memory.WriteFailure;

/**
 * Locks of subgraphs: one bit of a region's word for each root, so that one CAS locks one or two subgraphs, both or none; the
 * subgraph of bucket 0, that of most keys, has a word of its own. Who needs both words takes both or gives the one back that it
 * got. Nobody waits with a lock in hand but for whom has none to wait for, so that there is no order to keep.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. A lock belongs to who took it, thread or not.
 */
final class SubgraphLocks {
    /** What {@link #lock} returns if the region is closed to writers. */
    static final long NOT_LOCKED = 0;
    /** The lock of the subgraph of bucket 0, among bits that are locked. */
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
     * Locks the subgraphs of two buckets, for whom waits if need be.
     *
     * @return the bits to be unlocked, or {@link #NOT_LOCKED} if the region was closed: it may have been replaced
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

    /** Locks the subgraph of bucket 0 unless it is locked or the region is closed. */
    boolean tryLockCore(final long base) {
        return !isClosed(base) && takeCore(base);
    }

    private boolean takeCore(final long base) {
        final long seen = slab.getLongAcquire(base + CORE_LOCK_OFFSET);
        return (seen & CORE_LOCKED) == 0 && slab.compareAndSetLong(base + CORE_LOCK_OFFSET, seen, seen | CORE_LOCKED);
    }

    /** Unlocks the subgraph of bucket 0, for the thread that has locked it, or a new region, for the thread that made it. */
    static void unlockCore(final Slab slab, final long base) {
        slab.putLongRelease(base + CORE_LOCK_OFFSET, slab.getLong(base + CORE_LOCK_OFFSET) + CORE_UNLOCK);
    }

    /** Locks more bits, not that of bucket 0, while others are held that are the roots of all buckets behind them. */
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
     * Locks a region as a whole, once all who hold a lock in it or move keys in it are done.
     *
     * @return false if another thread does so or has replaced the region
     */
    boolean close(final long base) {
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
        for (int times = 0; slab.getLongAcquire(base + MOVING_OFFSET) != 0; times++) {
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

    /** Notes that keys of a subgraph go on moving after it is unlocked, on a way that begins at a bucket. */
    void beginMoving(final long base, final int bucket) {
        changeMoving(base, 1L << bucket);
    }

    void endMoving(final long base, final int bucket) {
        changeMoving(base, 1L << bucket);
    }

    private void changeMoving(final long base, final long bit) {
        long moving;
        do {
            moving = slab.getLongAcquire(base + MOVING_OFFSET);
        } while (!slab.compareAndSetLong(base + MOVING_OFFSET, moving, moving ^ bit));
    }

    /** Returns whether keys of a subgraph that is locked still move. */
    boolean isMoving(final long base, final int root) {
        for (long moving = slab.getLongAcquire(base + MOVING_OFFSET); moving != 0; moving &= moving - 1) {
            if (forest.root(base, Long.numberOfTrailingZeros(moving)) == root) {
                return true;
            }
        }
        return false;
    }
}
