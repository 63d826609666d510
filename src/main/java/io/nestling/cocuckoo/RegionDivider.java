/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.offheap.Slab;

/**
 * Divides a region of the largest class. A new region of that class takes the keys whose hash has the next bit, each in the same
 * bucket and slot, as the buckets of a hash depend only on the size of a region. The other keys stay.
 * <h2>Thread safety</h2>
 * One thread, which has locked the region as a whole.
 */
final class RegionDivider {
    private static final int SLOTS = MAX_BUCKETS * SLOTS_PER_BUCKET;

    private final Slab slab;
    private final SubgraphForest forest;
    private final RegionDirectory directory;
    /* Neighbours and numbers of keys of all buckets, for the keys that stay, then for those that leave. */
    private final long[] neighbours = new long[2 * MAX_BUCKETS];
    private final int[] fill = new int[2 * MAX_BUCKETS];
    private final BucketGraph stay = new BucketGraph(neighbours, fill, 0);
    private final BucketGraph leave = new BucketGraph(neighbours, fill, MAX_BUCKETS);
    /* Numbers of the slots that leave, and one more element that is overwritten for those that stay. */
    private final int[] leaving = new int[SLOTS + 1];
    /* The slots of the new region. */
    private final long[] image = new long[2 * SLOTS];
    private int count;

    RegionDivider(final Slab slab, final SubgraphForest forest, final RegionDirectory directory) {
        this.slab = slab;
        this.forest = forest;
        this.directory = directory;
    }

    /**
     * Divides a region without a stash, which is still locked by its owner afterwards. The block of the new, upper region has
     * arbitrary content; the directory has room for the depth of the region to grow by one.
     */
    void divide(final long region, final long upper, final int depth) {
        // cocuckoo-concurrency.md, claim 9
        final long base = base(region);
        final long to = base(upper);
        RegionBuilder.clear(slab, upper, HEADER_BYTES);
        slab.putInt(to + PATTERN_OFFSET, slab.getInt(base + PATTERN_OFFSET) | 1 << depth);
        slab.putInt(to + DEPTH_OFFSET, depth + 1);
        part(base, depth);
        move(base, to);
        forest.write(to, allBuckets(upper), leave);
        directory.publish(upper);
        SubgraphLocks.unlockCore(slab, to);
        // A reader that misses a key in a cleared slot sees this store, and asks the directory again.
        slab.putIntRelease(base + DEPTH_OFFSET, depth + 1);
        clear(base);
        forest.write(base, allBuckets(region), stay);
    }

    /** Finds the keys that leave, and what connects the buckets afterwards. Without branches on a hash's next bit. */
    private void part(final long base, final int depth) {
        stay.begin();
        leave.begin();
        final long[] words = image;
        final long[] connected = neighbours;
        final int[] numbers = leaving;
        slab.getLongs(base + HEADER_BYTES, words, 2 * SLOTS);
        int slots = 0;
        for (int bucket = 0; bucket < MAX_BUCKETS; bucket++) {
            int keys = 0;
            final int before = slots;
            for (int slot = bucket * SLOTS_PER_BUCKET; slot < (bucket + 1) * SLOTS_PER_BUCKET; slot++) {
                final long present = words[2 * slot] >>> PRESENT_BIT & 1;
                final long tag = words[2 * slot + 1];
                final int leaves = (int) (tag >>> depth & present);
                final int primary = primaryOfMost(tag);
                final int secondary = secondary(tag, MAX_BUCKETS, primary);
                final int graph = leaves << MAX_BUCKETS_SHIFT;
                connected[graph | primary] |= present << secondary;
                connected[graph | secondary] |= present << primary;
                words[2 * slot] = 0; // slots that leave are written when they cannot change any more
                numbers[slots] = slot;
                slots += leaves;
                keys += (int) present;
            }
            fill[MAX_BUCKETS + bucket] = slots - before;
            fill[bucket] = keys - (slots - before);
        }
        count = slots;
    }

    /** Freezes the payloads that leave, and writes them with their tags to the new region; its other tags belong to no key. */
    private void move(final long base, final long to) {
        final Slab own = slab;
        final long[] words = image;
        final int[] numbers = leaving;
        for (int i = 0, end = count; i < end; i++) {
            final int slot = numbers[i];
            words[2 * slot] = KickPath.freeze(own, base + HEADER_BYTES + ((long) slot << SLOT_SHIFT)) & ~MOVING;
        }
        own.putLongs(to + HEADER_BYTES, words, 2 * SLOTS);
    }

    private void clear(final long base) {
        final Slab own = slab;
        final int[] numbers = leaving;
        for (int i = 0, end = count; i < end; i++) {
            own.putLongRelease(base + HEADER_BYTES + ((long) numbers[i] << SLOT_SHIFT), 0);
        }
    }
}
