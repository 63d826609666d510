/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The list's number of entries. Counting allocates nothing: the entry is in the list already, so that its put must not fail.
 * <h2>Thread safety</h2>
 * Any thread. A sum during changes includes some of them.
 */
final class EntryCount {
    /** Lanes of writers; a power of two. */
    static final int LANES = 8;
    /* Counters are 128 bytes apart: processors fetch lines in pairs. */
    private static final int STRIDE_SHIFT = 4;

    /* Padding: the array's length stands before the first counter, other objects behind the last. */
    private final AtomicLongArray counts = new AtomicLongArray(LANES + 2 << STRIDE_SHIFT);

    private static int index(final int lane) {
        return lane + 1 << STRIDE_SHIFT;
    }

    /** Counts entries that a writer of a lane has added; a negative number counts removals. */
    void add(final int lane, final int entries) {
        counts.getAndAdd(index(lane), entries);
    }

    long sum() {
        long sum = 0;
        for (int lane = 0; lane < LANES; lane++) {
            sum += counts.get(index(lane));
        }
        return sum;
    }
}
