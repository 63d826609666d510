/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counters that many threads change: each has a part in every row, and threads use rows of their own as far as they can. Counting
 * allocates nothing.
 * <h2>Thread safety</h2>
 * Any thread. A sum during changes includes some of them.
 */
public final class PaddedCounters {
    /* Rows are 128 bytes apart, since processors fetch lines in pairs; the first and the last are padding. */
    private static final int ROW_SHIFT = 4;

    private final AtomicLongArray counts;

    /** Creates counters that are 0; a row has 16. */
    public PaddedCounters(final int rows) {
        this.counts = new AtomicLongArray(rows + 2 << ROW_SHIFT);
    }

    private static int index(final int row, final int counter) {
        return (row + 1 << ROW_SHIFT) + counter;
    }

    /** Adds to a counter, in a row that other threads may use at the same time. */
    public void add(final int row, final int counter, final long amount) {
        counts.getAndAdd(index(row, counter), amount);
    }

    /** Adds to a counter, in a row that no other thread uses at the same time. */
    public void addAlone(final int row, final int counter, final long amount) {
        final int at = index(row, counter);
        counts.setOpaque(at, counts.getPlain(at) + amount);
    }

    /** Returns the value of a counter, the sum of its parts. */
    public long sum(final int counter) {
        long sum = 0;
        for (int at = index(0, counter); at < counts.length() - (1 << ROW_SHIFT); at += 1 << ROW_SHIFT) {
            sum += counts.getOpaque(at);
        }
        return sum;
    }
}
