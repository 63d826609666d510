/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What was written to a shard.
 * <h2>Thread safety</h2>
 * The holder of the shard's lock counts; any thread may read, and sees recent numbers.
 */
final class ShardCounters {
    private final AtomicLong keys = new AtomicLong();
    private final AtomicLong keyBytes = new AtomicLong();
    private final AtomicLong versions = new AtomicLong();
    private final AtomicLong versionBytes = new AtomicLong();

    void countKey(final int keyLength) {
        add(keys, 1);
        add(keyBytes, keyLength);
    }

    /** Counts records with the sums of their keys and values. */
    void countWrites(final long records, final long recordKeyBytes, final long valueBytes) {
        add(versions, records);
        add(versionBytes, recordKeyBytes + valueBytes);
    }

    private static void add(final AtomicLong counter, final long amount) {
        counter.setOpaque(counter.getPlain() + amount); // one writer at a time, so that nothing gets lost
    }

    /** Number of keys. */
    long keys() {
        return keys.getOpaque();
    }

    /** Bytes of the keys, each counted once. */
    long keyBytes() {
        return keyBytes.getOpaque();
    }

    /** Number of records. */
    long versions() {
        return versions.getOpaque();
    }

    /** Bytes of keys and values, each version's counted. */
    long versionBytes() {
        return versionBytes.getOpaque();
    }
}
