/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import io.nestling.offheap.PaddedCounters;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts insertions by case, and removals. The most frequent case is not counted, which would cost more than such an insertion:
 * it has the rest of the present keys. Counting allocates nothing, as it happens under locks.
 * <h2>Thread safety</h2>
 * Any thread.
 */
final class InsertionCounts {
    private static final InsertionCase[] CASES = InsertionCase.values();

    private static final int STRIPES = 8;
    /* Behind the cases by number. */
    private static final int REMOVED = CASES.length;

    private final PaddedCounters counts = new PaddedCounters(STRIPES);

    /** Counts an insertion of any case but {@link InsertionCase#SAME_NON}. */
    void count(final InsertionCase kind) {
        increment(kind.ordinal());
    }

    void countRemoved() {
        increment(REMOVED);
    }

    @SuppressWarnings("deprecation") // Thread.getId is what JDK 17 has; any spread over the stripes will do
    private void increment(final int column) {
        counts.add((int) Thread.currentThread().getId() & STRIPES - 1, column, 1);
    }

    /** Returns the insertions by case, given the number of present keys. */
    Map<String, Object> figures(final long keys) {
        long left = keys + counts.sum(REMOVED);
        for (final InsertionCase kind : CASES) {
            left -= kind.addsKey() ? counts.sum(kind.ordinal()) : 0;
        }
        final Map<String, Object> figures = new LinkedHashMap<>();
        for (final InsertionCase kind : CASES) {
            figures.put(kind.figureName(), kind == InsertionCase.SAME_NON ? left : counts.sum(kind.ordinal()));
        }
        return figures;
    }
}
