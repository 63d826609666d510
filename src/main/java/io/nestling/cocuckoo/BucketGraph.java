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
    /* For each bucket those that share a key with it, as bits; those of several graphs stand in a row. */
    private final long[] neighbours;
    private final int[] fill;
    private final int first;

    BucketGraph() {
        this(new long[MAX_BUCKETS], new int[MAX_BUCKETS], 0);
    }

    /** A graph whose words stand in a part of an array, where others may write them. */
    BucketGraph(final long[] neighbours, final int[] fill, final int first) {
        this.neighbours = neighbours;
        this.fill = fill;
        this.first = first;
    }

    void begin() {
        Arrays.fill(neighbours, first, first + MAX_BUCKETS, 0);
        Arrays.fill(fill, first, first + MAX_BUCKETS, 0);
    }

    /** Returns the number of keys in a bucket. */
    int fill(final int bucket) {
        return fill[first + bucket];
    }

    /** Notes that a bucket has some more keys. */
    void fill(final int bucket, final int keys) {
        fill[first + bucket] += keys;
    }

    /** Connects two buckets by a key if {@code present} is 1, and not if it is 0: without a branch, for that may be anything. */
    void connect(final int bucket0, final int bucket1, final long present) {
        neighbours[first + bucket0] |= present << bucket1;
        neighbours[first + bucket1] |= present << bucket0;
    }

    long neighbours(final int bucket) {
        return neighbours[first + bucket];
    }
}
