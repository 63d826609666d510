/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The statistics of the memtables of one table: the present one, those that are being flushed, and the counts of earlier ones.
 * They exist, with their metrics, as long as the table has a memtable of Nestling.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
final class TableStatistics {
    private static final Map<Name, TableStatistics> TABLES = new ConcurrentHashMap<>();

    private final TableMetrics metrics;
    private final long[] counted = new long[MemtableStatistic.values().length];
    /* Weak, since a memtable that an error has ended is never discarded. */
    private final Set<NestlingMemtable> memtables = Collections.newSetFromMap(new WeakHashMap<>());

    private TableStatistics(final TableMetadata table) {
        metrics = new TableMetrics(table, this);
    }

    /** Adds a new memtable, the first one of a table with its metrics. */
    static void add(final NestlingMemtable memtable) {
        removeDropped();
        final TableMetadata table = memtable.metadata();
        TABLES.compute(Name.of(table), (name, present) -> {
            final TableStatistics statistics = present == null ? new TableStatistics(table) : present;
            synchronized (statistics) {
                statistics.memtables.add(memtable);
            }
            return statistics;
        });
    }

    /** Removes tables that were dropped: their last memtable, an empty one, is never discarded. */
    private static void removeDropped() {
        for (final Name table : TABLES.keySet()) {
            TABLES.computeIfPresent(table, (name, statistics) -> statistics.isDropped() ? null : statistics);
        }
    }

    private synchronized boolean isDropped() {
        if (memtables.stream().anyMatch(NestlingMemtable::isOfTable)) {
            return false;
        }
        memtables.clear();
        metrics.release();
        return true;
    }

    /** Removes a memtable whose memory is about to be freed, the last one of a table with its metrics. */
    static void remove(final NestlingMemtable memtable) {
        TABLES.computeIfPresent(
            Name.of(memtable.metadata()), (name, statistics) -> statistics.removeOne(memtable) ? null : statistics);
    }

    private synchronized boolean removeOne(final NestlingMemtable memtable) {
        if (memtables.remove(memtable)) {
            for (final MemtableStatistic statistic : MemtableStatistic.values()) {
                if (statistic.isCumulative()) {
                    counted[statistic.ordinal()] += statistic.of(memtable);
                }
            }
        }
        if (memtables.isEmpty()) {
            metrics.release();
        }
        return memtables.isEmpty();
    }

    /** Returns the statistics of all tables that have memtables of Nestling. */
    static List<TableStatistics> all() {
        removeDropped();
        return new ArrayList<>(TABLES.values());
    }

    /** Returns the number of shards of all present memtables of all tables. */
    static long shards() {
        return TABLES.values().stream().mapToLong(TableStatistics::presentShards).sum();
    }

    private synchronized long presentShards() {
        return memtables.stream().mapToLong(memtable -> memtable.shards().length).sum();
    }

    synchronized long get(final MemtableStatistic statistic) {
        return counted[statistic.ordinal()] + memtables.stream().mapToLong(statistic::of).sum();
    }

    /** Returns the memtables that have not been discarded. */
    synchronized List<NestlingMemtable> present() {
        return new ArrayList<>(memtables);
    }

    /** Names a table: the table of a secondary index has the id of its base table, but a name of its own. */
    private record Name(TableId id, String table) {
        static Name of(final TableMetadata metadata) {
            return new Name(metadata.id, metadata.name);
        }
    }
}
