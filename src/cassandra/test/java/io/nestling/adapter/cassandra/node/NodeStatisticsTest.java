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
import org.junit.jupiter.api.Test;

/** The statistics of a secondary index whose table has the id of its base table. */
class NodeStatisticsTest {
    private static final int ROWS = 300;
    private static final int VALUES = 7;

    private static Row statistics(final CqlSession session, final String table) {
        return session.execute(
                "SELECT * FROM nestling.memtables WHERE keyspace_name = 'k' AND table_name = '" + table + "'").one();
    }

    @Test
    void shouldCountAnIndexApartFromItsTable() throws IOException {
        try (Node node = Node.start("index-statistics", new NodeOptions().memtable(MemtableConfiguration.NESTLING));
                CqlSession session = node.connect();
                NodeManagement management = node.manage()) {
            session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            session.execute("CREATE TABLE k.t (id int PRIMARY KEY, v int) WITH memtable = '"
                    + MemtableConfiguration.NESTLING.name() + "'");
            session.execute("CREATE INDEX by_v ON k.t (v)");
            for (int i = 0; i < ROWS; i++) {
                session.execute("INSERT INTO k.t (id, v) VALUES (" + i + ", " + i % VALUES + ")");
            }
            assertEquals(ROWS, statistics(session, "t").getLong("partitions"));
            assertEquals(VALUES, statistics(session, "t.by_v").getLong("partitions"));
            for (final String metric : new String[] {"MemtableOffHeapDataSize", "NestlingOffHeapBytes"}) {
                assertEquals(statistics(session, "t").getLong("off_heap_bytes"),
                        management.tableMetric("k", "t", metric, "Value"), metric);
                assertEquals(statistics(session, "t.by_v").getLong("off_heap_bytes"),
                        management.indexMetric("k", "t", "by_v", metric, "Value"), metric);
            }
            session.execute("DROP INDEX k.by_v");
            final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (statistics(session, "t.by_v") != null) {
                assertTrue(System.nanoTime() < deadline, "the statistics of a dropped index stay");
                Node.sleep(50);
            }
            assertNotNull(statistics(session, "t"));
        }
    }
}
