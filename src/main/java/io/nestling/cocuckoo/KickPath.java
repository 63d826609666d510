/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.offheap.Slab;

/**
 * A cuckoo path in one region: a shortest chain of moves that frees a slot in one of some buckets. The search visits each bucket
 * at most once and gives up after a few, so that paths are short.
 * <h2>Thread safety</h2>
 * One thread, which has locked the subgraphs of the search, and so all buckets that the path can reach.
 */
final class KickPath {
    /** Stands for no bucket. */
    static final int NONE = -1;
    /* A longer search costs more than it saves: with 16 buckets, regions grow when about 93 of 100 slots are taken. */
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

    /** Begins a new search; {@code full} has the buckets known to be full, as bits. */
    KickPath begin(final long full) {
        this.full = full;
        count = 0;
        found = NONE;
        visited = 0;
        return this;
    }

    /** Adds a bucket; returns whether it has a free slot, which ends the search. */
    boolean add(final Slab slab, final long base, final int candidate) {
        return add(slab, base, candidate, NONE, NONE);
    }

    private boolean add(final Slab slab, final long base, final int candidate, final int from, final int slot) {
        visited |= 1L << candidate;
        bucket[count] = candidate;
        parent[count] = from;
        leaving[count] = slot;
        count++;
        if ((full >>> candidate & 1) != 0) {
            return false;
        }
        final int free = freeSlots(slab, bucketOffset(base, candidate));
        if (free == 0) {
            return false;
        }
        found = count - 1;
        freeSlot = Integer.numberOfTrailingZeros(free);
        fills = (free & free - 1) == 0;
        return true;
    }

    /** Searches from the added buckets; returns false if no free slot can be reached. */
    boolean search(final Slab slab, final long region) {
        final long base = base(region);
        final int buckets = bucketsOf(region);
        for (int at = 0; at < count && count < SEARCHED_BUCKETS; at++) {
            for (int slot = 0; slot < SLOTS_PER_BUCKET; slot++) {
                final long tag = slab.getLong(slotOffset(base, bucket[at], slot) + TAG_OFFSET);
                final int to = alternate(tag, buckets, bucket[at]);
                if ((visited >>> to & 1) == 0 && add(slab, base, to, at, slot)) {
                    return true;
                }
            }
        }
        return false;
    }

    boolean isFound() {
        return found != NONE;
    }

    /** Returns the bucket whose free slot the path takes. */
    int end() {
        return bucket[found];
    }

    /** Returns whether the path takes the last free slot of its end bucket. */
    boolean fills() {
        return fills;
    }

    /** Moves the keys of the path, the last one first; returns the slot freed in the start bucket. */
    long move(final Slab slab, final long base) {
        int at = found;
        long free = slotOffset(base, bucket[at], freeSlot);
        while (parent[at] != NONE) {
            final long from = slotOffset(base, bucket[parent[at]], leaving[at]);
            move(slab, from, free);
            free = from;
            at = parent[at];
        }
        return free;
    }

    /** Moves the key of one slot to a free one. */
    static void move(final Slab slab, final long from, final long to) {
        // From here on, nobody can change the payload in either slot.
        final long word = freeze(slab, from);
        final long tag = slab.getLong(from + TAG_OFFSET);
        slab.putLongRelease(to + TAG_OFFSET, tag);
        slab.putLongRelease(to, word);
        MoveCounts.count(slab, tag); // for a reader that saw the new slot too early and sees the old one too late
        slab.putLongRelease(from, 0);
        slab.putLongRelease(to, word & ~MOVING);
    }

    /** Freezes a payload against replacement; returns the slot's word, which is 0 if its key is gone. */
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
