/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.memory.ScratchPool;
import io.nestling.memory.Slab;

/**
 * What a write works with that finds no free slot at once. It is taken before a lock: with the lock in hand, the heap might have
 * no room.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class WriteScratch extends ScratchPool.Scratch {
    final KickPath path = new KickPath();
    final ForestBuilder subgraphs = new ForestBuilder();
    private Builders builders;

    /** What replaces a region. */
    static final class Builders {
        final RegionBuilder lower;
        final RegionBuilder upper;
        final RegionDivider divider;
        /* One more than a region has slots: where what is no key is written and overwritten. */
        final long[] tags = new long[MAX_BUCKETS * MAX_SLOTS_PER_BUCKET + 1];
        final long[] words = new long[MAX_BUCKETS * MAX_SLOTS_PER_BUCKET + 1];

        private Builders(
            final Slab slab, final RegionShape shape, final SubgraphForest forest, final RegionDirectory directory) {
            lower = new RegionBuilder(slab, shape, forest);
            upper = new RegionBuilder(slab, shape, forest);
            divider = new RegionDivider(slab, shape, forest, directory);
        }
    }

    /** Makes the builders, of the index that this belongs to, if there are none yet. */
    void prepare(final Slab slab, final RegionShape shape, final SubgraphForest forest, final RegionDirectory directory) {
        if (builders == null) {
            builders = new Builders(slab, shape, forest, directory);
        }
    }

    /** What {@link #prepare} has made. */
    Builders builders() {
        return builders;
    }
}
