/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import java.util.Arrays;

/**
 * The buckets of a region and the keys that connect them: for each bucket its neighbours and its number of keys, from which the
 * forest is made at once when the region is filled or divided, or a subgraph may fall apart.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class BucketGraph {
    /* The neighbours of each bucket, by shared keys, as bits; several graphs may share the array. */
    private final long[] neighbours;
    private final int[] fill;
    private final int first;

    BucketGraph() {
        this(new long[MAX_BUCKETS], new int[MAX_BUCKETS], 0);
    }

    /** Makes a graph in a part of arrays that others may write. */
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

    /** Adds to the number of keys in a bucket. */
    void fill(final int bucket, final int keys) {
        fill[first + bucket] += keys;
    }

    /** Connects two buckets if {@code present} is 1, not if it is 0; without an unpredictable branch. */
    void connect(final int bucket0, final int bucket1, final long present) {
        neighbours[first + bucket0] |= present << bucket1;
        neighbours[first + bucket1] |= present << bucket0;
    }

    /** Returns whether no key has a bucket as one of its two. */
    boolean isEmpty(final int bucket) {
        return neighbours[first + bucket] == 0;
    }

    /** Returns the buckets that are connected with one, itself among them, as bits. */
    long members(final int bucket) {
        long members = 1L << bucket;
        for (long done = 0, rest = members; rest != 0; rest = members & ~done) {
            final int next = Long.numberOfTrailingZeros(rest);
            done |= 1L << next;
            members |= neighbours[first + next];
        }
        return members;
    }

    /** Returns the number of free slots of some buckets, given as bits. */
    int vacancies(final long buckets) {
        int vacancies = 0;
        for (long rest = buckets; rest != 0; rest &= rest - 1) {
            vacancies += SLOTS_PER_BUCKET - fill[first + Long.numberOfTrailingZeros(rest)];
        }
        return vacancies;
    }
}
