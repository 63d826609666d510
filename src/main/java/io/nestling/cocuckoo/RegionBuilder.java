/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.memory.Slab;

import java.util.Arrays;

/**
 * Fills a new region that no other thread sees yet.
 * <h2>Thread safety</h2>
 * One thread. All stores are plain, but for those of moved keys; publishing the region covers them.
 */
final class RegionBuilder {
    private final Slab slab;
    private final RegionShape shape;
    private final SubgraphForest forest;
    private final ForestBuilder subgraphs = new ForestBuilder();
    private final int[] fill = new int[MAX_BUCKETS];
    private long region;
    private long base;
    private int buckets;
    private boolean cleared;

    RegionBuilder(final Slab slab, final RegionShape shape, final SubgraphForest forest) {
        this.slab = slab;
        this.shape = shape;
        this.forest = forest;
    }

    /** Begins a region in a block. */
    void begin(final long block, final int sizeClass, final int pattern, final int depth) {
        base = block;
        region = RegionLayout.region(block, sizeClass);
        buckets = RegionLayout.buckets(sizeClass);
        slab.clear(block, HEADER_BYTES);
        slab.putInt(block + PATTERN_OFFSET, pattern);
        slab.putInt(block + DEPTH_OFFSET, depth);
        cleared = false;
        Arrays.fill(fill, 0, buckets, 0);
        subgraphs.begin(shape.slotsPerBucket());
    }

    long region() {
        return region;
    }

    /** Adds a key; false if there is no room. */
    boolean add(final long tag, final long word) {
        final int primary = primary(tag, buckets);
        final int secondary = secondary(tag, buckets, primary);
        final int bucket = fill[primary] <= fill[secondary] ? primary : secondary;
        final long slot;
        if (fill[bucket] < shape.slotsPerBucket()) {
            slot = shape.slotOffset(base, bucket, fill[bucket]++);
        } else {
            clearRest();
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
        subgraphs.add(primary, secondary);
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

    /** Writes what is left, after which the region can be published. */
    void end() {
        clearRest();
        subgraphs.write(forest, base, buckets == MAX_BUCKETS ? -1L : (1L << buckets) - 1);
    }

    /** Marks the slots as free that hold no key yet: the block may hold anything. */
    private void clearRest() {
        if (cleared) {
            return;
        }
        cleared = true;
        for (int bucket = 0; bucket < buckets; bucket++) {
            for (int slot = fill[bucket]; slot < shape.slotsPerBucket(); slot++) {
                slab.putLong(shape.slotOffset(base, bucket, slot), 0);
            }
        }
    }
}
