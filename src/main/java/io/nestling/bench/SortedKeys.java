/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.workload.KeySet;

/**
 * The loaded keys in order, with sums of their digests, from which the result of any scan follows.
 * <h2>Thread safety</h2>
 * Immutable.
 */
final class SortedKeys {
    private final KeySet keys;
    private final long[] sums;

    SortedKeys(final KeySet unsorted) {
        keys = unsorted.sorted();
        sums = new long[keys.size() + 1];
        for (int i = 0; i < keys.size(); i++) {
            sums[i + 1] = sums[i] + Payloads.digest(keys.array(i), keys.offset(i), keys.length(i));
        }
    }

    /** Returns the keys in unsigned order. */
    KeySet keys() {
        return keys;
    }

    /**
     * Returns the sum of the digests of the keys from one rank, inclusive, to another, exclusive, which may exceed the number of
     * keys.
     */
    long digest(final int from, final int to) {
        return sums[Math.min(to, keys.size())] - sums[from];
    }

    /** Returns the rank of the first key that is not below a key of another set. */
    int rank(final KeySet others, final int i) {
        int low = 0;
        int high = keys.size();
        while (low < high) {
            final int middle = (low + high) >>> 1;
            if (keys.compare(middle, others, i) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
