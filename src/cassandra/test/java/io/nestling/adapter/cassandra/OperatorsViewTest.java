/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import com.codahale.metrics.Gauge;
import io.nestling.testing.Seeds;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.metrics.CassandraMetricsRegistry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The metrics of a table, by their names, and the warnings about limits of a node. */
class OperatorsViewTest {
    private static final long MIB = 1 << 20;

    @BeforeAll
    static void start() {
        CassandraProcess.start();
    }

    private static Map<String, Long> metrics(final MemtableFixture fixture) {
        final String suffix = "." + fixture.metadata.keyspace + "." + fixture.metadata.name;
        final Map<String, Long> values = new TreeMap<>();
        for (final Map.Entry<String, ?> metric : CassandraMetricsRegistry.Metrics.getMetrics().entrySet()) {
            final String name = metric.getKey();
            final int start = name.indexOf(".Table.Nestling");
            if (start >= 0 && name.endsWith(suffix)) {
                values.put(
                    name.substring(start + ".Table.".length(), name.length() - suffix.length()),
                    (Long) ((Gauge<?>) metric.getValue()).getValue());
            }
        }
        return values;
    }

    @Test
    void shouldHaveMetricsAsLongAsTheTableHasAMemtable() {
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.wide(Murmur3Partitioner.instance), Seeds.random("metrics"), 5, 60);
        assertEquals(Map.of(), metrics(fixture));
        final NestlingMemtable first = fixture.nestling("wide_partition_bytes", "400", "shards", "2");
        for (int i = 0; i < 5; i++) {
            fixture.put(first, fixture.updates.marked(fixture.updates.key(i), i, i == 0 ? 40 : 1));
            fixture.put(first, fixture.updates.marked(fixture.updates.key(i), i + 10, i == 0 ? 40 : 1));
        }
        final Map<String, Long> metrics = metrics(fixture);
        assertEquals(MemtableStatistic.values().length, metrics.size(), metrics.toString());
        assertEquals(Memtable.getMemoryUsage(first).ownsOffHeap, metrics.get("NestlingOffHeapBytes"));
        assertTrue(metrics.get("NestlingIndexBytes") > 0, metrics.toString());
        assertEquals(
            metrics.get("NestlingOffHeapBytes"), metrics.get("NestlingIndexBytes") + metrics.get("NestlingRecordBytes"));
        assertEquals(1, metrics.get("NestlingWidePartitions"));
        assertEquals(4, metrics.get("NestlingCopiedPartitions"));
        assertEquals(0, metrics.get("NestlingOverflowBytes"));
        assertEquals(0, metrics.get("NestlingOverflowedWrites"));
        assertTrue(metrics.get("NestlingRetiredRecords") >= 0, metrics.toString());
        // A flush: the next memtable exists before this one is discarded.
        final NestlingMemtable second = fixture.nestling("shards", "2");
        MemtableFixture.discard(first);
        final Map<String, Long> later = metrics(fixture);
        assertEquals(0, later.get("NestlingOffHeapBytes"));
        assertEquals(4, later.get("NestlingCopiedPartitions"), "counted since the start");
        MemtableFixture.discard(second);
        assertEquals(Map.of(), metrics(fixture));
    }

    @Test
    void shouldCountNoCopiesOfPartitionsOnTheHeap() {
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.series(Murmur3Partitioner.instance), Seeds.random("copies"), 5, 60);
        final NestlingMemtable memtable = fixture.nestling("storage", "partitions_on_heap", "shards", "1");
        for (int i = 0; i < 3; i++) {
            fixture.put(memtable, MemtableComparison.update(fixture.metadata, 0));
        }
        assertEquals(0, metrics(fixture).get("NestlingCopiedPartitions"));
        MemtableFixture.discard(memtable);
    }

    @Test
    void shouldCountTheShardsOfPresentMemtables() {
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.counters(Murmur3Partitioner.instance), Seeds.random("shards"), 5, 1);
        final long before = TableStatistics.shards();
        final NestlingMemtable first = fixture.nestling("shards", "2");
        final NestlingMemtable second = fixture.nestling("shards", "3");
        assertEquals(before + 5, TableStatistics.shards());
        MemtableFixture.discard(first);
        assertEquals(before + 3, TableStatistics.shards());
        MemtableFixture.discard(second);
        assertEquals(before, TableStatistics.shards());
    }

    @Test
    void shouldForgetTheShardsOfACollectedMemtable() {
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.counters(Murmur3Partitioner.instance), Seeds.random("collected"), 5, 1);
        final long before = TableStatistics.shards();
        fixture.nestling("shards", "2"); // never discarded
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (TableStatistics.shards() != before) {
            assertTrue(System.nanoTime() < deadline, TableStatistics.shards() + " shards, before " + before);
            System.gc();
        }
    }

    @Test
    void shouldWarnOnceOfLimitsThatDoNotFit() {
        final NodeLimits small = new NodeLimits(65_530, 64 * MIB);
        assertNull(small.warnOfMappings(4_000));
        assertTrue(small.warnOfMappings(5_000).startsWith("vm.max_map_count is 65530: the 5000 shards"));
        assertNull(small.warnOfMappings(6_000), "a second time");
        assertNull(small.warnOfMemory(2_000));
        assertTrue(small.warnOfMemory(3_000).startsWith("memtable_offheap_space is " + 64 * MIB + " bytes: the 3000 shards"));
        assertNull(small.warnOfMemory(4_000), "a second time");
        assertNotNull(new NodeLimits(65_530, 0).warnOfMemory(1));
        final NodeLimits large = new NodeLimits(1_048_575, 2048 * MIB);
        assertNull(large.warnOfMappings(100_000));
        assertNull(large.warnOfMemory(32_000));
    }
}
