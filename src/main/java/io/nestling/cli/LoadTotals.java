/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.memtable.MemtableStats;

/**
 * What was loaded so far. Each figure is written by one thread and may be read by others.
 */
final class LoadTotals {
    private volatile long keys;
    private volatile long bytes;
    private volatile long entries;
    private volatile long indexBytes;
    private volatile long recordBytes;
    private volatile int tables;
    private volatile long tableBytes;
    private volatile long tableEntries;

    /** Counts lines that were written; by the loading thread. */
    void addLines(final long newKeys, final long newBytes) {
        keys += newKeys;
        bytes += newBytes;
    }

    /** Counts what a full or last memtable holds; by the loading thread. */
    void addMemtable(final MemtableStats stats) {
        entries += stats.entries();
        indexBytes += stats.indexBytes();
        recordBytes += stats.recordBytes();
    }

    /** Counts a table that is complete; by the flushing thread. */
    void addTable(final long newEntries, final long fileBytes) {
        tables += 1;
        tableEntries += newEntries;
        tableBytes += fileBytes;
    }

    /** Lines written, each one a key. */
    long keys() {
        return keys;
    }

    /** Bytes of keys and values. */
    long bytes() {
        return bytes;
    }

    /** Keys of all memtables; a key counts once in each. */
    long entries() {
        return entries;
    }

    /** Bytes that indexes took. */
    long indexBytes() {
        return indexBytes;
    }

    /** Bytes that records took. */
    long recordBytes() {
        return recordBytes;
    }

    /** Tables that are complete. */
    int tables() {
        return tables;
    }

    /** Bytes of the files of these tables. */
    long tableBytes() {
        return tableBytes;
    }

    /** Entries of these tables. */
    long tableEntries() {
        return tableEntries;
    }
}
