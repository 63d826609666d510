/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.offheap.Slab;

/**
 * Fills a new region that no other thread sees yet, and finds its subgraphs.
 * <h2>Thread safety</h2>
 * One thread. Stores are plain, except those of moved keys and of the lock; publishing the region covers them.
 */
final class RegionBuilder {
    private final Slab slab;
    private final SubgraphForest forest;
    private final BucketGraph graph = new BucketGraph();
    private final KickPath kicks = new KickPath();
    private long region;
    private long base;
    private int buckets;

    RegionBuilder(final Slab slab, final SubgraphForest forest) {
        this.slab = slab;
        this.forest = forest;
    }

    /** Begins a region in a block of arbitrary content. */
    void begin(final long number, final int pattern, final int depth) {
        base = RegionLayout.base(number);
        region = number;
        buckets = bucketsOf(number);
        clear(slab, number, regionBytes(sizeClass(number)));
        slab.putInt(base + PATTERN_OFFSET, pattern);
        slab.putInt(base + DEPTH_OFFSET, depth);
        graph.begin();
    }

    /**
     * Clears a block of arbitrary content, or its header only if all slots are written afterwards, for a region with a locked
     * core. The core stays locked until the region is published: a thread that holds the number of an earlier region in the same
     * block cannot lock anything.
     */
    static void clear(final Slab slab, final long region, final int bytes) {
        final long base = RegionLayout.base(region);
        final long special = sizeClass(region) == LAST_CLASS ? 0 : CORE_SPECIAL;
        final long count = slab.getLong(base + CORE_LOCK_OFFSET) & CORE_COUNT_MASK;
        slab.putLongRelease(base + CORE_LOCK_OFFSET, count | CORE_REGION | CORE_LOCKED | special);
        slab.clear(base, CORE_LOCK_OFFSET);
        final int rest = CORE_LOCK_OFFSET + Long.BYTES;
        slab.clear(base + rest, bytes - rest); // all at once, so that the misses overlap
    }

    long region() {
        return region;
    }

    /** Adds a key; returns false if there is no room. */
    boolean add(final long tag, final long word) {
        final int primary = primary(tag, buckets);
        final int secondary = secondary(tag, buckets, primary);
        // The emptier bucket, the first one if equal; without an unpredictable branch.
        final int more = graph.fill(primary) - graph.fill(secondary);
        final int bucket = secondary + (primary - secondary & more - 1 >> Integer.SIZE - 1);
        final long slot;
        final int fill = graph.fill(bucket);
        if (fill < SLOTS_PER_BUCKET) {
            slot = slotOffset(base, bucket, fill);
            graph.fill(bucket, 1);
        } else {
            final KickPath path = kicks.begin(0);
            path.add(slab, base, primary);
            path.add(slab, base, secondary);
            if (!path.search(slab, region)) {
                return false;
            }
            graph.fill(path.end(), 1);
            slot = path.move(slab, base);
        }
        slab.putLong(slot + TAG_OFFSET, tag);
        slab.putLong(slot, word);
        graph.connect(primary, secondary, 1);
        return true;
    }

    /** Adds a key to the stash; returns false if a block is missing. */
    boolean addToStash(final long tag, final long word) {
        final long slot = Stash.freeSlot(slab, base);
        if (slot == NULL) {
            return false;
        }
        slab.putLong(slot + TAG_OFFSET, tag);
        slab.putLong(slot, word);
        return true;
    }

    void addStashBlock(final long block) {
        Stash.addBlock(slab, base, block);
    }

    /** Writes the forest; the region can be published afterwards. */
    void end() {
        forest.write(base, allBuckets(region), graph);
    }
}
