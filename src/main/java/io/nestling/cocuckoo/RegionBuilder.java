/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.memory.Slab;

import java.util.Arrays;

/**
 * Fills a new region that no other thread sees yet, and finds out which subgraphs its keys make.
 * <h2>Thread safety</h2>
 * One thread. All stores are plain, but for those of moved keys; publishing the region covers them.
 */
final class RegionBuilder {
    private final Slab slab;
    private final RegionShape shape;
    private final SubgraphForest forest;
    private final int[] fill = new int[MAX_BUCKETS];
    /* For each bucket those that share a key with it, as bits. */
    private final long[] neighbours = new long[MAX_BUCKETS];
    private long region;
    private long base;
    private int buckets;

    RegionBuilder(final Slab slab, final RegionShape shape, final SubgraphForest forest) {
        this.slab = slab;
        this.shape = shape;
        this.forest = forest;
    }

    /** Begins a region whose block may hold anything. */
    void begin(final long number, final int pattern, final int depth) {
        base = RegionLayout.base(number);
        region = number;
        buckets = bucketsOf(number);
        slab.clear(base, shape.regionBytes(sizeClass(number))); // all at once, so that the lines come together
        slab.putInt(base + PATTERN_OFFSET, pattern);
        slab.putInt(base + DEPTH_OFFSET, depth);
        Arrays.fill(fill, 0, buckets, 0);
        Arrays.fill(neighbours, 0, buckets, 0);
    }

    long region() {
        return region;
    }

    /** Adds a key; false if there is no room. */
    boolean add(final long tag, final long word) {
        final int primary = primary(tag, buckets);
        final int secondary = secondary(tag, buckets, primary);
        // The emptier one, the first one if they are alike; without a branch, for nobody can foretell which.
        final int bucket = secondary + (primary - secondary & fill[primary] - fill[secondary] - 1 >> Integer.SIZE - 1);
        final long slot;
        if (fill[bucket] < shape.slotsPerBucket()) {
            slot = shape.slotOffset(base, bucket, fill[bucket]++);
        } else {
            final KickPath path = KickPath.ofThread().begin();
            path.add(slab, shape, base, primary);
            path.add(slab, shape, base, secondary);
            if (!path.search(slab, shape, region)) {
                return false;
            }
            fill[path.end()]++;
            slot = path.move(slab, shape, base);
        }
        slab.putLong(slot + TAG_OFFSET, tag);
        slab.putLong(slot, word);
        neighbours[primary] |= 1L << secondary;
        neighbours[secondary] |= 1L << primary;
        return true;
    }

    /** Adds a key to the stash; false if a block is missing. */
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

    /** Writes the forest, after which the region can be published. */
    void end() {
        long left = buckets == MAX_BUCKETS ? -1L : (1L << buckets) - 1;
        while (left != 0) {
            final int root = Long.numberOfTrailingZeros(left);
            final long members = neighbours[root] == 0 ? 0 : writeSubgraph(root);
            left &= ~(members | 1L << root); // a bucket that no key has stays EMPTY
        }
    }

    /** Writes the nodes of a subgraph whose first bucket is given; returns its buckets as bits. */
    private long writeSubgraph(final int root) {
        long members = 1L << root;
        long done = 0;
        int vacancies = 0;
        while (members != done) {
            final int bucket = Long.numberOfTrailingZeros(members & ~done);
            done |= 1L << bucket;
            members |= neighbours[bucket];
            vacancies += shape.slotsPerBucket() - fill[bucket];
            forest.setParent(base, bucket, root);
        }
        forest.setRoot(base, root, vacancies);
        return members;
    }
}
