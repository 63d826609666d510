/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

/**
 * Finds the subgraphs of some keys and writes them to the forest of a region.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class ForestBuilder {
    private final int[] parent = new int[MAX_BUCKETS];
    private final int[] vacancies = new int[MAX_BUCKETS];
    private long touched;

    /** Forgets the earlier keys. */
    void begin(final int slotsPerBucket) {
        touched = 0;
        for (int bucket = 0; bucket < MAX_BUCKETS; bucket++) {
            parent[bucket] = bucket;
            vacancies[bucket] = slotsPerBucket;
        }
    }

    /** Adds a key by its two buckets. */
    void add(final int bucket0, final int bucket1) {
        touched |= 1L << bucket0 | 1L << bucket1;
        final int root0 = root(bucket0);
        final int root1 = root(bucket1);
        final int root = Math.min(root0, root1);
        if (root0 != root1) {
            final int child = Math.max(root0, root1);
            parent[child] = root;
            vacancies[root] += vacancies[child];
        }
        vacancies[root]--;
    }

    private int root(final int bucket) {
        int at = bucket;
        while (parent[at] != at) {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        return at;
    }

    /** Checks that a region's forest equals this one; see invariants 4 and 5 of {@link CoCuckooVerifier}. */
    void verify(final SubgraphForest forest, final long base, final int buckets, final long region) {
        for (int bucket = 0; bucket < buckets; bucket++) {
            final boolean empty = (touched >>> bucket & 1) == 0;
            if (forest.isEmpty(base, bucket) != empty) {
                throw new IllegalStateException("invariant 4: region " + region + ", bucket " + bucket + " is "
                    + (empty ? "no key's, but not EMPTY" : "EMPTY, but belongs to keys"));
            }
            final int root = forest.root(base, bucket);
            if (bucket != 0 && forest.isInCore(base, bucket) != (forest.walkToRoot(base, bucket) == 0)) {
                throw new IllegalStateException("invariant 4: region " + region + ", bucket " + bucket
                    + ": the core says wrongly whether it is of the subgraph of bucket 0");
            }
            if (root > bucket) {
                throw new IllegalStateException(
                    "invariant 4: region " + region + ", the root of bucket " + bucket + " is " + root + ", not the smallest");
            }
            if (!empty && !forest.isRoot(base, root)) {
                throw new IllegalStateException("invariant 4: region " + region + ", bucket " + bucket + " has no root");
            }
            for (int other = 0; other < bucket; other++) {
                if ((forest.root(base, other) == root) != (root(other) == root(bucket))) {
                    throw new IllegalStateException("invariant 4: region " + region + ", buckets " + other + " and " + bucket
                        + (root(other) == root(bucket) ? " are connected, but apart in the forest" : " are not connected"));
                }
            }
            if (!empty && forest.vacancies(base, root) != vacancies[root(bucket)]) {
                throw new IllegalStateException("invariant 5: region " + region + ", the subgraph of bucket " + bucket + " has "
                    + vacancies[root(bucket)] + " vacancies, not " + forest.vacancies(base, root));
            }
        }
    }

    /** Writes the nodes of some buckets, given as bits. */
    void write(final SubgraphForest forest, final long base, final long buckets) {
        for (long rest = buckets; rest != 0; rest &= rest - 1) {
            final int bucket = Long.numberOfTrailingZeros(rest);
            if ((touched >>> bucket & 1) == 0) {
                forest.setEmpty(base, bucket);
            } else if (parent[bucket] == bucket) {
                forest.setRoot(base, bucket, vacancies[bucket]);
            } else {
                forest.setParent(base, bucket, root(bucket));
            }
        }
    }
}
