/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.nestling.catalog.IndexType;
import io.nestling.testing.Seeds;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With far more data than fits into memtables, they are flushed in time, no write waits long, and no row is lost. */
class MemoryPressureTest {
    private static final String SPACE = "16MiB";
    private static final long SPACE_BYTES = 16 << 20;
    private static final int VALUE_BYTES = 2000;
    private static final int TIMES = Integer.getInteger("cassandra.pressure.times", 10);
    private static final double LONGEST_SECONDS = 20;

    @Test
    void shouldFlushUnderPressureAndNeverStall() throws IOException {
        writeUnderPressure("offheap_objects", "off_heap");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "heap_buffers, off_heap", "unslabbed_heap_buffers, off_heap", "offheap_buffers, off_heap",
        "heap_buffers, partitions_on_heap", "offheap_buffers, partitions_on_heap", "offheap_objects, partitions_on_heap"})
    void shouldFlushUnderPressureWithEveryTypeOfAllocation(final String allocation, final String storage) throws IOException {
        writeUnderPressure(allocation, storage);
    }

    private static void writeUnderPressure(final String allocation, final String storage) throws IOException {
        final String name = "pressure-" + allocation + "-" + storage;
        final Random random = Seeds.random(name);
        final MemtableConfiguration memtable =
                MemtableConfiguration.of(IndexType.TRIE, storage);
        final NodeOptions options =
                new NodeOptions().memtable(memtable).allocation(allocation).memtableSpace(SPACE, SPACE).periodicCommitLog();
        final int rows = (int) (TIMES * SPACE_BYTES / (2 * VALUE_BYTES));
        final Ledger ledger = new Ledger("k.t", DefaultConsistencyLevel.ONE, VALUE_BYTES);
        try (Node node = Node.start(name, options);
                CqlSession session = node.connect();
                NodeManagement management = node.manage()) {
            session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            ledger.create(session, memtable.name());
            ledger.write(session, rows, new AtomicBoolean());
            final long switched = management.tableMetric("k", "t", "MemtableSwitchCount", "Count");
            System.out.printf(Locale.ROOT, "%s: %d rows of %d bytes, %d flushes, longest write %.2f s%n", name,
                    ledger.acknowledged(), 2 * VALUE_BYTES, switched, ledger.longestSeconds());
            assertEquals(rows, ledger.acknowledged(), ledger.firstError());
            assertTrue(switched >= TIMES / 2, "only " + switched + " flushes");
            assertTrue(node.log().contains("Flushing largest CFS(Keyspace='k', ColumnFamily='t')"), "not flushed for its size");
            assertTrue(ledger.longestSeconds() < LONGEST_SECONDS, "a write took " + ledger.longestSeconds() + " s");
            assertEquals(List.of(), ledger.check(session));
            assertEquals(List.of(), ledger.checkPartitions(session, 200, random));
        }
    }
}
