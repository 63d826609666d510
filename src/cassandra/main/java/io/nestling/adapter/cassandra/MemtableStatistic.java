/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import java.util.function.ToLongFunction;

/** A number that operators see of the memtables of a table: as a metric of the table, and as a column of a virtual table. */
enum MemtableStatistic {
    OFF_HEAP_BYTES("NestlingOffHeapBytes", "off_heap_bytes", false, memtable -> memtable.sum(MemtableShard::offHeapBytes)),
    INDEX_BYTES("NestlingIndexBytes", "index_bytes", false, memtable -> memtable.sum(MemtableShard::indexBytes)),
    RECORD_BYTES("NestlingRecordBytes", "record_bytes", false, memtable -> memtable.sum(MemtableShard::recordBytes)),
    OVERFLOW_BYTES("NestlingOverflowBytes", "overflow_bytes", false, NestlingMemtable::overflowBytes),
    WIDE_PARTITIONS("NestlingWidePartitions", "wide_partitions", false, memtable -> memtable.sum(MemtableShard::widePartitions)),
    OVERFLOWED_WRITES("NestlingOverflowedWrites", "overflowed_writes", true, NestlingMemtable::overflowedWrites),
    RETIRED_RECORDS("NestlingRetiredRecords", "retired_records", true, memtable -> memtable.sum(MemtableShard::retiredRecords)),
    COPIED_PARTITIONS(
        "NestlingCopiedPartitions", "copied_partitions", true, memtable -> memtable.sum(MemtableShard::copiedPartitions));

    private final String metric;
    private final String column;
    private final boolean cumulative;
    private final ToLongFunction<NestlingMemtable> value;

    MemtableStatistic(
        final String metric, final String column, final boolean cumulative, final ToLongFunction<NestlingMemtable> value) {
        this.metric = metric;
        this.column = column;
        this.cumulative = cumulative;
        this.value = value;
    }

    String metric() {
        return metric;
    }

    String column() {
        return column;
    }

    /** Returns whether memtables that were flushed count, too, since the start of the node or of the table. */
    boolean isCumulative() {
        return cumulative;
    }

    long of(final NestlingMemtable memtable) {
        return value.applyAsLong(memtable);
    }
}
