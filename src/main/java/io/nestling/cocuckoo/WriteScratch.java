/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.offheap.ScratchPool;
import io.nestling.offheap.Slab;

/**
 * The working objects of a write that finds no free slot at once. Taken before a lock: under the lock a lack of heap must not
 * occur.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class WriteScratch extends ScratchPool.Scratch {
    final KickPath path = new KickPath();
    final BucketGraph graph = new BucketGraph();
    private Builders builders;

    /** The builders of regions that replace one. */
    static final class Builders {
        final RegionBuilder lower;
        final RegionBuilder upper;
        final RegionDivider divider;
        /* One more than a region has slots: an element that is overwritten for free slots. */
        final long[] tags = new long[MAX_BUCKETS * SLOTS_PER_BUCKET + 1];
        final long[] words = new long[MAX_BUCKETS * SLOTS_PER_BUCKET + 1];

        private Builders(final Slab slab, final SubgraphForest forest, final RegionDirectory directory) {
            lower = new RegionBuilder(slab, forest);
            upper = new RegionBuilder(slab, forest);
            divider = new RegionDivider(slab, forest, directory);
        }
    }

    /** Makes the builders for an index, if missing. */
    void prepare(final Slab slab, final SubgraphForest forest, final RegionDirectory directory) {
        if (builders == null) {
            builders = new Builders(slab, forest, directory);
        }
    }

    /** Returns the builders of {@link #prepare}. */
    Builders builders() {
        return builders;
    }
}
