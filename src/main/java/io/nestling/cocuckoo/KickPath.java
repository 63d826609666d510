/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.memory.Slab;

/**
 * A cuckoo path in one region: a shortest chain of moves after which one of some buckets has a free slot. The search
 * looks at each bucket once at most and gives up after some, so that a path is never long.
 * <h2>Thread safety</h2>
 * One thread, which has locked the subgraphs that it gives the search, and so all buckets that the path can lead to.
 */
final class KickPath {
    /** Stands for no bucket. */
    static final int NONE = -1;
    /* A longer search costs more than it spares: at 16 buckets, regions grow when about 93 of 100 slots are taken. With one slot,
     * a bucket leads to one other only, and so does a search to the one vacancy of the subgraph. */
    private static final int SEARCHED_BUCKETS = 16;

    private final int[] bucket = new int[MAX_BUCKETS];
    private final int[] parent = new int[MAX_BUCKETS];
    private final int[] leaving = new int[MAX_BUCKETS];
    private int count;
    private int found;
    private int freeSlot;
    private boolean fills;
    private long visited;
    private long full;

    /** Forgets the search before; {@code full} has the buckets that are known to be full, as bits. */
    KickPath begin(final long full) {
        this.full = full;
        count = 0;
        found = NONE;
        visited = 0;
        return this;
    }

    /** Adds a bucket; true if it has a free slot, which ends the search. */
    boolean add(final Slab slab, final RegionShape shape, final long base, final int candidate) {
        return add(slab, shape, base, candidate, NONE, NONE);
    }

    private boolean add(
        final Slab slab, final RegionShape shape, final long base, final int candidate, final int from, final int slot) {
        visited |= 1L << candidate;
        bucket[count] = candidate;
        parent[count] = from;
        leaving[count] = slot;
        count++;
        if ((full >>> candidate & 1) != 0) {
            return false;
        }
        final int free = shape.freeSlots(slab, shape.bucketOffset(base, candidate));
        if (free == 0) {
            return false;
        }
        found = count - 1;
        freeSlot = Integer.numberOfTrailingZeros(free);
        fills = (free & free - 1) == 0;
        return true;
    }

    /** Goes on from the buckets that were added; false if no free slot can be reached. */
    boolean search(final Slab slab, final RegionShape shape, final long region) {
        final long base = base(region);
        final int buckets = bucketsOf(region);
        final int limit = shape.slotsPerBucket() == 1 ? MAX_BUCKETS : SEARCHED_BUCKETS;
        for (int at = 0; at < count && count < limit; at++) {
            for (int slot = 0; slot < shape.slotsPerBucket(); slot++) {
                final long tag = slab.getLong(shape.slotOffset(base, bucket[at], slot) + TAG_OFFSET);
                final int to = alternate(tag, buckets, bucket[at]);
                if ((visited >>> to & 1) == 0 && add(slab, shape, base, to, at, slot)) {
                    return true;
                }
            }
        }
        return false;
    }

    boolean isFound() {
        return found != NONE;
    }

    /** Returns the bucket where the path begins. */
    int start() {
        int at = found;
        while (parent[at] != NONE) {
            at = parent[at];
        }
        return bucket[at];
    }

    /** Returns the bucket whose free slot the path takes. */
    int end() {
        return bucket[found];
    }

    /** Returns whether the path takes the last free slot of that bucket. */
    boolean fills() {
        return fills;
    }

    /** Moves the keys of the path, the last one first; returns the slot that became free in the bucket where it begins. */
    long move(final Slab slab, final RegionShape shape, final long base) {
        int at = found;
        long free = shape.slotOffset(base, bucket[at], freeSlot);
        while (parent[at] != NONE) {
            final long from = shape.slotOffset(base, bucket[parent[at]], leaving[at]);
            move(slab, base, from, free);
            free = from;
            at = parent[at];
        }
        return free;
    }

    /** Moves the key of one slot to a free one. */
    static void move(final Slab slab, final long base, final long from, final long to) {
        // From here on, nobody can change the payload of either place.
        final long word = freeze(slab, from);
        slab.putLongRelease(to + TAG_OFFSET, slab.getLong(from + TAG_OFFSET));
        slab.putLongRelease(to, word);
        newVersion(slab, base); // for who looked at the new place too early and will look at the old one too late
        slab.putLongRelease(from, 0);
        slab.putLongRelease(to, word & ~MOVING);
    }

    /** Lets readers know that a key moves. */
    static void newVersion(final Slab slab, final long base) {
        long version;
        do {
            version = slab.getLongAcquire(base + VERSION_OFFSET);
        } while (!slab.compareAndSetLong(base + VERSION_OFFSET, version, version + 1));
    }

    /** Keeps a payload from being replaced; returns the word of the slot then, which is 0 if there is no key in it any more. */
    static long freeze(final Slab slab, final long slot) {
        long word;
        do {
            word = slab.getLongAcquire(slot);
            if (!isPresent(word)) {
                return 0;
            }
        } while (!slab.compareAndSetLong(slot, word, word | MOVING));
        return word | MOVING;
    }
}
