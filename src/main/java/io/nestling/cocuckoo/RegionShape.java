/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.offheap.Slab;

/** The number of slots a bucket has (1, 2 or 4), and what follows from it. */
record RegionShape(int slotsPerBucket, int bucketShift) {
    /* Greatest share, in percent, to which a growing region is filled: one slot a bucket, two and four allow 50, 90 and 97 (M.
       Dietzfelbinger and C. Weidling, 2007). */
    private static final int FILL_ONE = 40;
    private static final int FILL_TWO = 70;
    private static final int FILL_FOUR = 80;
    private static final int PERCENT = 100;
    private static final int ALL_FOUR = (1 << MAX_SLOTS_PER_BUCKET) - 1;

    static RegionShape of(final int slotsPerBucket) {
        if (slotsPerBucket != 1 && slotsPerBucket != 2 && slotsPerBucket != MAX_SLOTS_PER_BUCKET) {
            throw new IllegalArgumentException("expected one of 1, 2, 4 slots per bucket but was " + slotsPerBucket);
        }
        return new RegionShape(slotsPerBucket, SLOT_SHIFT + Integer.numberOfTrailingZeros(slotsPerBucket));
    }

    long bucketOffset(final long base, final int bucket) {
        return base + HEADER_BYTES + ((long) bucket << bucketShift);
    }

    long slotOffset(final long base, final int bucket, final int slot) {
        return bucketOffset(base, bucket) + ((long) slot << SLOT_SHIFT);
    }

    /** Returns the free slots of a bucket, as bits; the caller has locked its subgraph. */
    int freeSlots(final Slab slab, final long bucket) {
        if (slotsPerBucket == MAX_SLOTS_PER_BUCKET) {
            return slab.slotBits(bucket, PRESENT_BIT) ^ ALL_FOUR;
        }
        return slotsPerBucket == 1 ? isFree(slab, bucket) : isFree(slab, bucket) | isFree(slab, bucket + SLOT_BYTES) << 1;
    }

    private static int isFree(final Slab slab, final long slot) {
        return (int) (slab.getLongAcquire(slot) >>> PRESENT_BIT) & 1 ^ 1;
    }

    int slots(final int sizeClass) {
        return buckets(sizeClass) * slotsPerBucket;
    }

    int regionBytes(final int sizeClass) {
        return HEADER_BYTES + (buckets(sizeClass) << bucketShift);
    }

    /** Returns the number of keys for which a new region of a size class is meant. */
    int fill(final int sizeClass) {
        final int percent = slotsPerBucket == 1 ? FILL_ONE : slotsPerBucket == 2 ? FILL_TWO : FILL_FOUR;
        return slots(sizeClass) * percent / PERCENT;
    }

    /**
     * Returns the smallest size class, from a given one on, that a number of keys do not overfill; otherwise the largest.
     */
    int classFor(final int keys, final int from) {
        int sizeClass = from;
        while (sizeClass < LAST_CLASS && keys > fill(sizeClass)) {
            sizeClass++;
        }
        return sizeClass;
    }
}
