/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts insertions by case, and removals. The most frequent case is not counted, which would cost more than such an insertion:
 * it has the rest of the present keys. Counting allocates nothing, as it happens under locks.
 * <h2>Thread safety</h2>
 * Any thread.
 */
final class InsertionCounts {
    private static final InsertionCase[] CASES = InsertionCase.values();

    /* One row a stripe, in lines of its own: the cases by number, then removals. */
    private static final int STRIPES = 8;
    private static final int ROW_SHIFT = 4;
    private static final int REMOVED = CASES.length;

    private final AtomicLongArray rows = new AtomicLongArray(STRIPES << ROW_SHIFT);

    /** Counts an insertion of any case but {@link InsertionCase#SAME_NON}. */
    void count(final InsertionCase kind) {
        increment(kind.ordinal());
    }

    void countRemoved() {
        increment(REMOVED);
    }

    @SuppressWarnings("deprecation") // Thread.getId is what JDK 17 has; any spread over the stripes will do
    private void increment(final int column) {
        rows.incrementAndGet(((int) Thread.currentThread().getId() & STRIPES - 1) << ROW_SHIFT | column);
    }

    private long sum(final int column) {
        long sum = 0;
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            sum += rows.get(stripe << ROW_SHIFT | column);
        }
        return sum;
    }

    /** Returns the insertions by case, given the number of present keys. */
    Map<String, Object> figures(final long keys) {
        long left = keys + sum(REMOVED);
        for (final InsertionCase kind : CASES) {
            left -= kind.addsKey() ? sum(kind.ordinal()) : 0;
        }
        final Map<String, Object> figures = new LinkedHashMap<>();
        for (final InsertionCase kind : CASES) {
            figures.put(kind.figureName(), kind == InsertionCase.SAME_NON ? left : sum(kind.ordinal()));
        }
        return figures;
    }
}
