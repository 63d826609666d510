/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.offheap.PaddedCounters;

/**
 * The list's number of entries. Counting allocates nothing: the entry is in the list already, so that its put must not fail.
 * <h2>Thread safety</h2>
 * Any thread. A sum during changes includes some of them.
 */
final class EntryCount {
    /** Lanes of writers; a power of two. */
    static final int LANES = 8;

    private final PaddedCounters counts = new PaddedCounters(LANES);

    /** Counts entries that a writer of a lane has added; a negative number counts removals. */
    void add(final int lane, final int entries) {
        counts.add(lane, 0, entries);
    }

    long sum() {
        return counts.sum(0);
    }
}
