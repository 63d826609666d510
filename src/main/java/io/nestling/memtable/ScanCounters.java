/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.offheap.PaddedCounters;

/**
 * Counters of the entries that the cursors of a memtable have passed and shown. Flushes do not count.
 * <h2>Thread safety</h2>
 * Any thread.
 */
final class ScanCounters {
    private static final int ROWS = 8;
    private static final int HIDDEN = 0;
    private static final int SHOWN = 1;

    private final PaddedCounters counts = new PaddedCounters(ROWS);

    @SuppressWarnings("deprecation") // Thread.getId is what JDK 17 has; any spread over the rows will do
    void add(final long hidden, final long shown) {
        final int row = (int) Thread.currentThread().getId() & ROWS - 1;
        if (hidden != 0) {
            counts.add(row, HIDDEN, hidden);
        }
        if (shown != 0) {
            counts.add(row, SHOWN, shown);
        }
    }

    /** Returns the number of hidden entries passed. */
    long hidden() {
        return counts.sum(HIDDEN);
    }

    /** Returns the number of entries shown. */
    long shown() {
        return counts.sum(SHOWN);
    }
}
