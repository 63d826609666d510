/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.memory.Slab;

/**
 * Divides a region of the largest class: a new one of that class takes the keys whose hash has the next bit, each in the bucket
 * and slot that it has, as the buckets of a hash depend on the size of a region only. The others stay where they are.
 * <h2>Thread safety</h2>
 * One thread, which has locked the region as a whole.
 */
final class RegionDivider {
    private final Slab slab;
    private final RegionShape shape;
    private final SubgraphForest forest;
    private final RegionDirectory directory;
    private final BucketGraph stay = new BucketGraph();
    private final BucketGraph leave = new BucketGraph();
    /* Offsets in the region of the slots that are moved; one more, where what stays is written and overwritten. */
    private final int[] leaving = new int[MAX_BUCKETS * MAX_SLOTS_PER_BUCKET + 1];
    private int count;

    RegionDivider(
        final Slab slab, final RegionShape shape, final SubgraphForest forest, final RegionDirectory directory) {
        this.slab = slab;
        this.shape = shape;
        this.forest = forest;
        this.directory = directory;
    }

    /**
     * Divides a region without a stash.
     *
     * @param region number of the region, which is as its owner locked it afterwards
     * @param upper number of the new one, whose block may hold anything
     * @param depth that of the region, which becomes one more; the directory has room for that
     */
    void divide(final long region, final long upper, final int depth) {
        final long base = base(region);
        final long to = base(upper);
        slab.clear(to, shape.regionBytes(LAST_CLASS)); // all at once, so that the lines come together
        slab.putInt(to + PATTERN_OFFSET, slab.getInt(base + PATTERN_OFFSET) | 1 << depth);
        slab.putInt(to + DEPTH_OFFSET, depth + 1);
        part(base, depth);
        for (int i = 0; i < count; i++) {
            final long word = KickPath.freeze(slab, base + leaving[i]);
            slab.putLong(to + leaving[i] + TAG_OFFSET, slab.getLong(base + leaving[i] + TAG_OFFSET));
            slab.putLong(to + leaving[i], word & ~MOVING);
        }
        forest.write(to, MAX_BUCKETS, shape.slotsPerBucket(), leave);
        directory.publish(upper);
        // Who misses a key in a slot that was cleared sees what is stored before that, and asks the directory again.
        slab.putIntRelease(base + DEPTH_OFFSET, depth + 1);
        KickPath.newVersion(slab, base);
        for (int i = 0; i < count; i++) {
            slab.putLongRelease(base + leaving[i], 0);
        }
        forest.write(base, MAX_BUCKETS, shape.slotsPerBucket(), stay);
    }

    /** Finds out which keys leave a region, and what connects its buckets then. No branches: a hash's next bit is anything. */
    private void part(final long base, final int depth) {
        stay.begin();
        leave.begin();
        int slots = 0;
        int offset = HEADER_BYTES;
        for (int bucket = 0; bucket < MAX_BUCKETS; bucket++) {
            int keys = 0;
            final int before = slots;
            for (int i = 0; i < shape.slotsPerBucket(); i++, offset += SLOT_BYTES) {
                final long present = slab.getLong(base + offset) >>> PRESENT_BIT & 1;
                final long tag = slab.getLong(base + offset + TAG_OFFSET);
                final long leaves = tag >>> depth & present;
                final int primary = primary(tag, MAX_BUCKETS);
                final int secondary = secondary(tag, MAX_BUCKETS, primary);
                stay.connect(primary, secondary, present ^ leaves);
                leave.connect(primary, secondary, leaves);
                leaving[slots] = offset;
                slots += (int) leaves;
                keys += (int) present;
            }
            leave.fill(bucket, slots - before);
            stay.fill(bucket, keys - (slots - before));
        }
        count = slots;
    }
}
