/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.offheap.PaddedCounters;

/**
 * Counters of a shard's keys and versions, with one padded row for each writer slot.
 * <h2>Thread safety</h2>
 * One thread at a time counts in a row; any thread may read, and sees recent numbers.
 */
final class ShardCounters {
    private static final int KEYS = 0;
    private static final int VERSIONS = 1;
    private static final int VERSION_BYTES = 2;

    private final PaddedCounters counts;

    ShardCounters(final int rows) {
        this.counts = new PaddedCounters(rows);
    }

    void countKey(final int row) {
        counts.addAlone(row, KEYS, 1);
    }

    /** Counts records, and the bytes of their keys and values. */
    void countWrites(final int row, final long records, final long bytes) {
        counts.addAlone(row, VERSIONS, records);
        counts.addAlone(row, VERSION_BYTES, bytes);
    }

    /** Adds the counts of others, in the first row. */
    void add(final ShardCounters others) {
        counts.addAlone(0, KEYS, others.keys());
        counts.addAlone(0, VERSIONS, others.versions());
        counts.addAlone(0, VERSION_BYTES, others.versionBytes());
    }

    /** Returns the number of keys. */
    long keys() {
        return counts.sum(KEYS);
    }

    /** Returns the number of records. */
    long versions() {
        return counts.sum(VERSIONS);
    }

    /** Returns the bytes of the keys and values of all versions. */
    long versionBytes() {
        return counts.sum(VERSION_BYTES);
    }
}
