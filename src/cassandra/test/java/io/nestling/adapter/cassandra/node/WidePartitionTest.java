/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.nestling.testing.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A partition of very many rows, written in any order, read page by page in both directions, and deleted in ranges. */
class WidePartitionTest {
    private static final int IN_FLIGHT = 128;
    private static final int SLICES = 200;
    private static final int DELETIONS = 100;
    private static final String SELECT = "SELECT c, d, v, w FROM k." + TwinTable.TABLE + " WHERE p = 1";

    private final TwinTable table = new TwinTable("wide", TwinTable.Kind.PLAIN);
    private CqlSession session;
    private int rows;
    private long timestamp = 1_700_000_000_000_000L;

    @Test
    void shouldReadAPartitionOfManyRowsInBothDirections() {
        readAndDelete("wide", 8_000, List.of(MemtableConfiguration.NESTLING));
    }

    @Test
    @Tag("long")
    void shouldReadAPartitionOfAMillionRowsWithEveryConfiguration() {
        readAndDelete("wide-million", 1_000_000, MemtableConfiguration.all());
    }

    private void readAndDelete(final String name, final int size, final List<MemtableConfiguration> memtables) {
        rows = size;
        final Random random = Seeds.random(name);
        final NodeOptions options = new NodeOptions().memtables(memtables).memtableSpace("512MiB", "512MiB").heap("1500m")
                .periodicCommitLog();
        try (Node node = Node.start(name, options)) {
            session = node.connect();
            session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            for (final MemtableConfiguration memtable : memtables) {
                session.execute("DROP TABLE IF EXISTS k.wide_n");
                session.execute("DROP TABLE IF EXISTS k.wide_s");
                create(true, memtable.name());
                create(false, "skiplist");
                load(random);
                assertEquals(rows, compare("", 5000), memtable.name());
                assertEquals(rows, compare(" ORDER BY c DESC, d ASC", 777), memtable.name());
                slices(random);
                deleteRanges(random);
                final int left = compare("", 1000);
                assertTrue(left < rows && left > 0, left + " rows left of " + rows);
                slices(random);
                try (NodeManagement management = node.manage()) {
                    management.flush("k", "wide_n");
                } catch (final IOException e) {
                    throw new UncheckedIOException(e);
                }
                assertEquals(left, compare("", 5000), memtable.name());
                load(random);
                assertEquals(rows, compare(" ORDER BY c DESC, d ASC", 5000), memtable.name());
            }
            session.close();
            if (memtables.size() == 1) {
                Node.sleep(3 * NodeOptions.COMMIT_LOG_PERIOD_MILLIS);
                node.kill();
                node.start();
                session = node.connect();
                assertEquals(rows, compare("", 5000), "after the replay");
                slices(random);
                session.close();
            }
        }
    }

    private void create(final boolean tested, final String memtable) {
        session.execute(table.of(tested, "CREATE TABLE k." + TwinTable.TABLE
                + " (p int, c text, d int, v blob, w text, s text static, PRIMARY KEY (p, c, d))"
                + " WITH CLUSTERING ORDER BY (c ASC, d DESC) AND memtable = '" + memtable + "'"));
    }

    private void load(final Random random) {
        final String insert = "INSERT INTO k." + TwinTable.TABLE + " (p, c, d, v, w) VALUES (1, ?, ?, ?, ?) USING TIMESTAMP ?";
        final PreparedStatement tested = session.prepare(table.of(true, insert));
        final PreparedStatement stock = session.prepare(table.of(false, insert));
        final Semaphore permits = new Semaphore(IN_FLIGHT);
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        // A step coprime to the number of rows visits each row once, in a very different order.
        final int step = 7_368_787;
        final int first = random.nextInt(rows);
        for (int i = 0; i < rows && failure.get() == null; i++) {
            final int row = (int) ((first + (long) i * step) % rows);
            timestamp++;
            for (final PreparedStatement statement : List.of(tested, stock)) {
                permits.acquireUninterruptibly();
                final ByteBuffer value = ByteBuffer.allocate(Long.BYTES + row % 20).putLong(0, row);
                session.executeAsync(statement.bind("row" + row / 10, row % 10, value, "text" + row, timestamp))
                        .whenComplete((result, error) -> {
                            failure.compareAndSet(null, error);
                            permits.release();
                        });
            }
        }
        permits.acquireUninterruptibly(IN_FLIGHT);
        if (failure.get() != null) {
            throw new AssertionError("write failed", failure.get());
        }
    }

    private void slices(final Random random) {
        for (int i = 0; i < SLICES; i++) {
            final int from = random.nextInt(rows);
            final String comparison = " AND c " + (random.nextBoolean() ? ">=" : "<=") + " 'row" + from / 10 + "'";
            final String limit = " LIMIT " + (1 + random.nextInt(40));
            final String order = random.nextBoolean() ? " ORDER BY c DESC, d ASC" : "";
            compare(comparison + order + limit, 10);
            compare(" AND c = 'row" + from / 10 + "' AND d " + (random.nextBoolean() ? "= " : "> ") + from % 10, 5000);
        }
    }

    private void deleteRanges(final Random random) {
        for (int i = 0; i < DELETIONS; i++) {
            final int from = random.nextInt(rows);
            final String condition = random.nextInt(4) == 0
                    ? " AND c >= 'row" + from / 10 + "' AND c < 'row" + (from / 10 + random.nextInt(30)) + "'"
                    : " AND c = 'row" + from / 10 + "'" + (random.nextBoolean() ? " AND d = " : " AND d > ") + from % 10;
            timestamp++;
            for (final boolean tested : new boolean[] {true, false}) {
                session.execute(table.of(tested, "DELETE FROM k." + TwinTable.TABLE + " USING TIMESTAMP " + timestamp
                        + " WHERE p = 1" + condition));
            }
        }
    }

    /** Compares both copies page by page and returns the number of rows. */
    private int compare(final String condition, final int pageSize) {
        final String statement = SELECT + condition;
        final Iterator<Row> tested = read(table.of(true, statement), pageSize);
        final Iterator<Row> stock = read(table.of(false, statement), pageSize);
        int count = 0;
        while (stock.hasNext()) {
            final int number = count++;
            assertTrue(tested.hasNext(), () -> statement + ": ends before row " + number);
            final Row expected = stock.next();
            final Row actual = tested.next();
            for (int i = 0; i < expected.size(); i++) {
                final int column = i;
                assertEquals(expected.getBytesUnsafe(i), actual.getBytesUnsafe(i),
                        () -> statement + ": row " + number + " column " + column);
            }
        }
        assertFalse(tested.hasNext(), statement + ": more than " + count + " rows");
        return count;
    }

    private Iterator<Row> read(final String statement, final int pageSize) {
        return session.execute(SimpleStatement.newInstance(statement).setPageSize(pageSize)).iterator();
    }
}
