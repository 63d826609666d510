/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;

/**
 * Binary search among entries in key order that only their records tell apart. What the next steps may read is requested
 * together.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class KeySearch {
    private static final int REQUESTED_STEPS = 3;

    private final KeySource keys;
    private final PrefetchVector lines = new PrefetchVector();

    KeySearch(final KeySource keys) {
        this.keys = keys;
    }

    /** Returns the first of some positions whose key is at or above a given one; {@code to} if there is none. */
    int rank(final long[] payloads, final int from, final int to, final byte[] key, final int offset, final int length) {
        int low = from;
        int high = to;
        for (int steps = 0; low < high; steps--) {
            if (steps == 0) {
                steps = REQUESTED_STEPS;
                add(payloads, low, high, length, steps);
                lines.request();
            }
            final int middle = low + high >>> 1;
            if (keys.compareKey(payloads[middle], key, offset, length) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void add(final long[] payloads, final int from, final int to, final int length, final int steps) {
        if (from < to && steps > 0) {
            final int middle = from + to >>> 1;
            keys.addTo(lines, payloads[middle], length);
            add(payloads, from, middle, length, steps - 1);
            add(payloads, middle + 1, to, length, steps - 1);
        }
    }
}
