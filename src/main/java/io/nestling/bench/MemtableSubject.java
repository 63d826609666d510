/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.PointIndex;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.MemtableStats;

/**
 * A whole memtable as a subject: the measurements include sequence numbers, snapshots, shards and records.
 * <h2>Thread safety</h2>
 * That of the memtable, which guards its readers itself.
 */
final class MemtableSubject implements Subject {
    private final Memtable memtable;
    private final MemtableIndex index;

    /**
     * Opens a memtable.
     *
     * @param options its configuration
     */
    MemtableSubject(final MemtableOptions options) {
        this.memtable = Memtable.open(options);
        this.index = new MemtableIndex(memtable);
    }

    @Override
    public PointIndex index() {
        return index;
    }

    @Override
    public long indexBytes() {
        return memtable.stats().indexBytes();
    }

    @Override
    public long totalBytes() {
        final MemtableStats stats = memtable.stats();
        return stats.indexBytes() + Math.max(0, stats.recordBytes() - stats.versions() * Long.BYTES);
    }

    @Override
    public void close() {
        memtable.close();
    }
}
