/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.memtable.MemtableStats;

/** Counts of the lines, memtables and tables so far. One thread writes each count; any may read it. */
final class LoadTotals {
    /** Lines written, one key each. */
    volatile long keys;
    /** Total length of keys and values. */
    volatile long bytes;
    /** Keys of all memtables; a key counts once in each. */
    volatile long entries;
    /** Memory of the indexes and of the records in bytes. */
    volatile long indexBytes;
    volatile long recordBytes;
    /** Complete tables, the total size of their files, and their entries. */
    volatile int tables;
    volatile long tableBytes;
    volatile long tableEntries;

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
}
