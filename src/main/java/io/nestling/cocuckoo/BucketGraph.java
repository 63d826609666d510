/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import java.util.Arrays;

/**
 * The buckets of a region and the keys that connect them, while the region is filled or divided: for each bucket a word of
 * its neighbours and its number of keys, of which the forest is made at once.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class BucketGraph {
    /* For each bucket those that share a key with it, as bits. */
    private final long[] neighbours = new long[MAX_BUCKETS];
    private final int[] fill = new int[MAX_BUCKETS];

    void begin() {
        Arrays.fill(neighbours, 0);
        Arrays.fill(fill, 0);
    }

    /** Keys in a bucket. */
    int fill(final int bucket) {
        return fill[bucket];
    }

    /** Notes that a bucket has some more keys. */
    void fill(final int bucket, final int keys) {
        fill[bucket] += keys;
    }

    /** Connects two buckets by a key if {@code present} is 1, and not if it is 0: without a branch, for that may be anything. */
    void connect(final int bucket0, final int bucket1, final long present) {
        neighbours[bucket0] |= present << bucket1;
        neighbours[bucket1] |= present << bucket0;
    }

    long neighbours(final int bucket) {
        return neighbours[bucket];
    }
}
