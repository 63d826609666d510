/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Memtables as operators see them: metrics by name, a virtual table, and {@code nodetool}. */
class NodeStatisticsTest {
    private static final int ROWS = 300;
    private static final int VALUES = 7;

    private static Node node;
    private static CqlSession session;
    private static NodeManagement management;

    @BeforeAll
    static void start() {
        node = Node.start("statistics", new NodeOptions().memtable(MemtableConfiguration.NESTLING));
        session = node.connect();
        management = node.manage();
        session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    }

    @AfterAll
    static void stop() throws IOException {
        if (management != null) {
            management.close();
        }
        if (session != null) {
            session.close();
        }
        if (node != null) {
            node.close();
        }
    }

    private static void create(final String table) {
        session.execute("CREATE TABLE k." + table + " (id int PRIMARY KEY, v int) WITH memtable = '"
                + MemtableConfiguration.NESTLING.name() + "'");
    }

    private static void write(final String table, final int value) {
        for (int i = 0; i < ROWS; i++) {
            session.execute("INSERT INTO k." + table + " (id, v) VALUES (" + i + ", " + (value + i % VALUES) + ")");
        }
    }

    private static Row statistics(final String table) {
        return session.execute(
                "SELECT * FROM nestling.memtables WHERE keyspace_name = 'k' AND table_name = '" + table + "'").one();
    }

    private static long metric(final String table, final String name) {
        return management.tableMetric("k", table, name, "Value");
    }

    @Test
    void shouldCountAnIndexApartFromItsTable() {
        create("t");
        session.execute("CREATE INDEX by_v ON k.t (v)");
        write("t", 0);
        assertEquals(ROWS, statistics("t").getLong("partitions"));
        assertEquals(VALUES, statistics("t.by_v").getLong("partitions"));
        for (final String metric : new String[] {"MemtableOffHeapDataSize", "NestlingOffHeapBytes"}) {
            assertEquals(statistics("t").getLong("off_heap_bytes"), metric("t", metric), metric);
            assertEquals(statistics("t.by_v").getLong("off_heap_bytes"),
                    management.indexMetric("k", "t", "by_v", metric, "Value"), metric);
        }
        session.execute("DROP INDEX k.by_v");
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (statistics("t.by_v") != null) {
            assertTrue(System.nanoTime() < deadline, "the statistics of a dropped index stay");
            Node.sleep(50);
        }
        assertNotNull(statistics("t"));
    }

    @Test
    void shouldShowSizesByNameInMetricsAndNodetool() {
        create("sizes");
        write("sizes", 0);
        write("sizes", 100);
        write("sizes", 200);
        final long offHeap = metric("sizes", "MemtableOffHeapDataSize");
        final long dataSize = metric("sizes", "MemtableLiveDataSize");
        assertTrue(offHeap >= dataSize && dataSize > 0, offHeap + " bytes off heap for " + dataSize + " bytes of data");
        assertEquals(0, metric("sizes", "MemtableOnHeapDataSize"));
        assertEquals(3 * ROWS, metric("sizes", "MemtableColumnsCount"));
        assertEquals(offHeap, metric("sizes", "NestlingOffHeapBytes"));
        assertEquals(offHeap, metric("sizes", "NestlingIndexBytes") + metric("sizes", "NestlingRecordBytes"));
        assertEquals(2 * ROWS, metric("sizes", "NestlingCopiedPartitions"));
        assertEquals(ROWS, metric("sizes", "NestlingRetiredRecords"), "the first record is part of its entry, which stays");
        for (final String none : new String[] {"NestlingOverflowBytes", "NestlingOverflowedWrites", "NestlingWidePartitions"}) {
            assertEquals(0, metric("sizes", none), none);
        }

        final String before = node.nodetool("tablestats", "k.sizes");
        assertEquals(offHeap, number(before, "Memtable off heap memory used"));
        assertEquals(dataSize, number(before, "Memtable data size"));
        assertEquals(3 * ROWS, number(before, "Memtable cell count"));
        assertEquals(0, number(before, "Memtable switch count"));
        management.flush("k", "sizes");
        final String after = node.nodetool("tablestats", "k.sizes");
        assertEquals(0, number(after, "Memtable off heap memory used"));
        assertEquals(0, number(after, "Memtable data size"));
        assertEquals(1, number(after, "Memtable switch count"));
        assertEquals(2 * ROWS, metric("sizes", "NestlingCopiedPartitions"), "counted since the start");
    }

    /** Returns the number of a line {@code NAME: NUMBER} about the table, which follows the lines about its keyspace. */
    private static long number(final String output, final String name) {
        final Matcher line = Pattern.compile("(?m)^\\s+" + name + ": (\\d+)$").matcher(output);
        assertTrue(line.find(), name + " in\n" + output);
        return Long.parseLong(line.group(1));
    }
}
