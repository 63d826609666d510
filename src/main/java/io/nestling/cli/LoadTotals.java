/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.memtable.MemtableStats;

/** Counts of the lines, memtables and tables so far. One thread writes each count; any may read it. */
final class LoadTotals {
    private volatile long keys;
    private volatile long bytes;
    private volatile long entries;
    private volatile long indexBytes;
    private volatile long recordBytes;
    private volatile int tables;
    private volatile long tableBytes;
    private volatile long tableEntries;

    /** Counts lines that were written; called by the loading thread. */
    void addLines(final long newKeys, final long newBytes) {
        keys += newKeys;
        bytes += newBytes;
    }

    /** Counts the content of a full or last memtable; called by the loading thread. */
    void addMemtable(final MemtableStats stats) {
        entries += stats.entries();
        indexBytes += stats.indexBytes();
        recordBytes += stats.recordBytes();
    }

    /** Counts a complete table; called by the flushing thread. */
    void addTable(final long newEntries, final long fileBytes) {
        tables += 1;
        tableEntries += newEntries;
        tableBytes += fileBytes;
    }

    /** Returns the number of lines written, one key each. */
    long keys() {
        return keys;
    }

    /** Returns the total length of keys and values. */
    long bytes() {
        return bytes;
    }

    /** Returns the number of keys of all memtables; a key counts once in each. */
    long entries() {
        return entries;
    }

    /** Returns the memory of the indexes in bytes. */
    long indexBytes() {
        return indexBytes;
    }

    /** Returns the memory of the records in bytes. */
    long recordBytes() {
        return recordBytes;
    }

    /** Returns the number of complete tables. */
    int tables() {
        return tables;
    }

    /** Returns the total size of the files of these tables. */
    long tableBytes() {
        return tableBytes;
    }

    /** Returns the number of entries of these tables. */
    long tableEntries() {
        return tableEntries;
    }
}
