/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.Backoff;
import io.nestling.offheap.EarlyLoad;
import io.nestling.offheap.Slab;

/**
 * Adds absent keys (the paper's algorithm 1): locks the subgraphs of the two buckets, or the region if these are known to have no
 * vacancy.
 * <h2>Thread safety</h2>
 * Any number of writers inside guards.
 */
final class CoCuckooInserter {
    /** Result without memory. */
    static final long NO_SPACE = -2;
    /** Result for a key that went to a stash. */
    static final long STASHED = -3;
    private static final long AGAIN = -4;
    private static final long FULL = -5;

    private final Slab slab;
    private final RegionReader reader;
    private final SubgraphForest forest;
    private final SubgraphLocks locks;
    private final Placement placement;
    private final RegionResizer resizer;
    private final RegionArena arena;
    private final InsertionCounts counts;

    CoCuckooInserter(
        final RegionReader reader, final SubgraphForest forest, final SubgraphLocks locks, final RegionResizer resizer,
        final RegionArena arena, final InsertionCounts counts) {
        this.reader = reader;
        this.slab = reader.slab();
        this.forest = forest;
        this.locks = locks;
        this.resizer = resizer;
        this.arena = arena;
        this.counts = counts;
        this.placement = new Placement(slab, forest, counts);
    }

    /**
     * Loads early what an insertion reads of a region's header, together with the lines of the buckets, which a lookup of the key
     * reads next. Otherwise these misses follow one another, since a CAS waits for all loads before it.
     */
    void request(final long region, final long hash) {
        final long base = base(region);
        final int buckets = bucketsOf(region);
        final int primary = primary(hash, buckets);
        EarlyLoad.use(forest.rootWords(base, primary, secondary(hash, buckets, primary))
            ^ slab.getIntAcquire(base + STATE_OFFSET));
    }

    /**
     * Adds a key; {@code likely} is its region by the directory, under the same guard. Returns the payload of a present key, NONE
     * if the key was added, {@link #STASHED} if it was added to a stash, or {@link #NO_SPACE}.
     */
    long putIfAbsent(
        final long likely, final long hash, final byte[] key, final int offset, final int length, final long payload) {
        long region = likely;
        for (int times = 0;; times++) {
            final long base = base(region);
            final int buckets = bucketsOf(region);
            final int primary = primary(hash, buckets);
            final int secondary = secondary(hash, buckets, primary);
            long result = AGAIN;
            if (times == 0 && forest.areInCore(base, primary, secondary)) {
                result = putInCore(region, hash, payload, primary, secondary);
                if (result == PointIndex.NONE) {
                    return result;
                }
            }
            boolean full = result == FULL || forest.areMaximal(base, primary, secondary);
            result = AGAIN;
            if (!full) {
                final WriteScratch scratch = resizer.takeScratch();
                try {
                    final long bits = locks.lock(base, primary, secondary);
                    if (bits != SubgraphLocks.NOT_LOCKED) {
                        result = presentPayload(region, hash, key, offset, length, bits);
                        if (result == PointIndex.NONE) {
                            result = placeLocked(region, hash, payload, bits, scratch);
                            full = result == FULL;
                        } else {
                            locks.unlock(base, bits);
                        }
                    }
                } finally {
                    scratch.release();
                }
            }
            if (full) {
                result = putClosed(region, hash, key, offset, length, payload);
            }
            if (result != AGAIN) {
                return result;
            }
            Backoff.pause(times, reader.failure());
            region = reader.directory().region(hash);
        }
    }

    /** Adds a key whose buckets are in the core, as nearly all are; returns NONE, FULL, or AGAIN if the case is not simple. */
    private long putInCore(
        final long region, final long hash, final long payload, final int primary, final int secondary) {
        final long base = base(region);
        if (!locks.tryLockCore(base)) {
            return AGAIN;
        }
        final long bucket0 = bucketOffset(base, primary);
        final long bucket1 = bucketOffset(base, secondary);
        // All this may have changed since the caller read it.
        if (!forest.areInCore(base, primary, secondary) || !reader.covers(base, hash)
            || (slab.getIntAcquire(base + STATE_OFFSET) & ~CLOSED) != 0
            || reader.likelySlot(hash, bucket0, bucket1) != NULL) {
            locks.unlock(base, SubgraphLocks.CORE);
            return AGAIN;
        }
        if (placement.placeInRoom(base, hash, payload, primary, secondary)) {
            locks.unlock(base, SubgraphLocks.CORE);
            return PointIndex.NONE;
        }
        final WriteScratch scratch;
        try {
            scratch = resizer.takeScratch(); // only under the lock, as most keys need no path
        } catch (final Error e) {
            locks.unlock(base, SubgraphLocks.CORE);
            throw e;
        }
        try {
            return placeLocked(region, hash, payload, SubgraphLocks.CORE, scratch);
        } finally {
            scratch.release();
        }
    }

    /** Places an absent key and unlocks its subgraphs; returns NONE or FULL. */
    private long placeLocked(
        final long region, final long hash, final long payload, final long bits, final WriteScratch scratch) {
        final int outcome = placement.place(region, hash, payload, bits, scratch.path);
        locks.unlock(base(region), bits);
        return outcome == Placement.PLACED ? PointIndex.NONE : FULL;
    }

    /**
     * Returns the payload of a key whose subgraph is locked, NONE if it is absent, or AGAIN if the region does not cover it.
     * Unlocks if the key of a record cannot be read.
     */
    private long presentPayload(
        final long region, final long hash, final byte[] key, final int offset, final int length, final long bits) {
        if (!reader.covers(base(region), hash)) {
            return AGAIN;
        }
        if (reader.isAbsent(region, hash)) {
            return PointIndex.NONE;
        }
        try {
            final long slot = reader.slotOf(region, hash, key, offset, length);
            if (slot == NULL) {
                return PointIndex.NONE;
            }
            final long present = reader.payloadAt(slot, key, offset, length);
            return present == PointIndex.NONE ? AGAIN : present;
        } catch (final RuntimeException | Error e) {
            locks.release(base(region), bits);
            throw e;
        }
    }

    /** Adds a key under the lock of the whole region, which may then grow. */
    private long putClosed(
        final long region, final long hash, final byte[] key, final int offset, final int length, final long payload) {
        final long base = base(region);
        final WriteScratch scratch = resizer.takeScratch();
        try {
            resizer.prepare(scratch);
            if (!locks.close(base)) {
                return AGAIN;
            }
            final long present = presentPayload(region, hash, key, offset, length, ALL_LOCKED);
            if (present != PointIndex.NONE) {
                locks.open(base);
                return present;
            }
            return placeClosed(region, hash, payload, scratch);
        } finally {
            scratch.release();
        }
    }

    /** Places an absent key in a region that is locked as a whole, and unlocks the region. */
    private long placeClosed(final long region, final long hash, final long payload, final WriteScratch scratch) {
        final long base = base(region);
        final int outcome = placement.place(region, hash, payload, ALL_LOCKED, scratch.path);
        if (outcome == Placement.PLACED) {
            locks.open(base);
            return PointIndex.NONE;
        }
        counts.count(outcome == Placement.MAXIMAL ? InsertionCase.MAX : InsertionCase.NO_PATH);
        final boolean useful = keysLike(region, hash) < 2 * SLOTS_PER_BUCKET && resizer.canGrow(region);
        final int growth = useful ? resizer.grow(region, scratch) : RegionResizer.REFUSED;
        if (growth == RegionResizer.DIVIDED) {
            locks.open(base);
        }
        if (growth != RegionResizer.REFUSED) {
            return AGAIN;
        }
        final long slot = stashSlot(base, !useful);
        if (slot == NULL) {
            locks.open(base);
            return NO_SPACE;
        }
        slab.putLongRelease(slot + TAG_OFFSET, hash);
        slab.putLongRelease(slot, payload | PRESENT);
        counts.count(InsertionCase.STASHED);
        locks.open(base);
        return STASHED;
    }

    /** Returns the number of keys with the same hash in the two buckets of that hash: no larger region separates them. */
    private int keysLike(final long region, final long hash) {
        final long base = base(region);
        final int buckets = bucketsOf(region);
        final int primary = primary(hash, buckets);
        int keys = 0;
        for (int slot = 0; slot < SLOTS_PER_BUCKET; slot++) {
            keys += slab.getLong(slotOffset(base, primary, slot) + TAG_OFFSET) == hash ? 1 : 0;
            final long other = slotOffset(base, secondary(hash, buckets, primary), slot);
            keys += slab.getLong(other + TAG_OFFSET) == hash ? 1 : 0;
        }
        return keys;
    }

    /** Returns a free slot in the stash of a region, for a key that no growth helps or that has a reservation. */
    private long stashSlot(final long base, final boolean helpless) {
        final long slot = helpless || arena.hasReservations() ? Stash.freeSlot(slab, base) : NULL;
        if (slot != NULL) {
            return slot;
        }
        long block = helpless ? arena.allocateStash() : NULL;
        if (block == NULL) {
            block = arena.allocateReserved();
        }
        if (block == NULL) {
            return NULL;
        }
        Stash.addBlock(slab, base, block);
        return Stash.freeSlot(slab, base);
    }
}
