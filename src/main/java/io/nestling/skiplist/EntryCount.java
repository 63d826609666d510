/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Number of the list's entries. Counting allocates nothing, as an entry is counted when it is in the list already: its put
 * must not fail for that.
 * <h2>Thread safety</h2>
 * Any thread. A sum beside changes has some of them.
 */
final class EntryCount {
    /* A counter in 128 bytes: processors fetch lines in pairs. */
    private static final int STRIDE_SHIFT = 4;

    /* The array's length stands before the first counter, and other objects behind the last. */
    private final AtomicLongArray counts = new AtomicLongArray(UnitRuns.LANES + 2 << STRIDE_SHIFT);

    private static int index(final int lane) {
        return lane + 1 << STRIDE_SHIFT;
    }

    /** Counts entries that a writer of a lane has added, or removed if it is a negative number. */
    void add(final int lane, final int entries) {
        counts.getAndAdd(index(lane), entries);
    }

    long sum() {
        long sum = 0;
        for (int lane = 0; lane < UnitRuns.LANES; lane++) {
            sum += counts.get(index(lane));
        }
        return sum;
    }
}
