/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counters of a shard's keys and versions, with one padded row for each writer slot.
 * <h2>Thread safety</h2>
 * One thread at a time counts in a row; any thread may read, and sees recent numbers.
 */
final class ShardCounters {
    private static final int KEYS = 0;
    private static final int VERSIONS = 1;
    private static final int VERSION_BYTES = 2;
    /* Padded: 128 bytes a row, so that two rows never share a pair of cache lines. */
    private static final int STRIDE_SHIFT = 4;

    private final AtomicLongArray counts;

    ShardCounters(final int rows) {
        this.counts = new AtomicLongArray(rows << STRIDE_SHIFT);
    }

    void countKey(final int row) {
        add(row, KEYS, 1);
    }

    /** Counts records, and the bytes of their keys and values. */
    void countWrites(final int row, final long records, final long bytes) {
        add(row, VERSIONS, records);
        add(row, VERSION_BYTES, bytes);
    }

    private void add(final int row, final int field, final long amount) {
        final int at = (row << STRIDE_SHIFT) + field;
        counts.setOpaque(at, counts.getPlain(at) + amount); // one thread at a time: no update is lost
    }

    private long sum(final int field) {
        long sum = 0;
        for (int at = field; at < counts.length(); at += 1 << STRIDE_SHIFT) {
            sum += counts.getOpaque(at);
        }
        return sum;
    }

    /** Returns the number of keys. */
    long keys() {
        return sum(KEYS);
    }

    /** Returns the number of records. */
    long versions() {
        return sum(VERSIONS);
    }

    /** Returns the bytes of the keys and values of all versions. */
    long versionBytes() {
        return sum(VERSION_BYTES);
    }
}
