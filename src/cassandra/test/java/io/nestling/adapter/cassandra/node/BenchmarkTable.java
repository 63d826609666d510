/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.nestling.adapter.cassandra.node.StatementLoad.Operation;
import java.nio.ByteBuffer;
import java.util.Random;

/** A table of {@link EndToEndBenchmark} with one memtable, its statements, and its rows, which have numbers. */
final class BenchmarkTable {
    static final String KEYSPACE = "bench";

    private final CqlSession session;
    private final String memtable;
    private final int rows;
    private final int partitions;
    private final byte[] value;
    private final Random random = new Random(1);
    private final PreparedStatement insert;
    private final PreparedStatement select;

    /**
     * Creates the table.
     *
     * @param rows number of rows that reads choose from
     * @param width rows of a partition
     * @param valueBytes length of the longest of the three cells
     */
    BenchmarkTable(final CqlSession session, final String memtable, final int rows, final int width, final int valueBytes) {
        this.session = session;
        this.memtable = memtable;
        this.rows = rows;
        partitions = rows / width;
        value = new byte[valueBytes];
        random.nextBytes(value);
        final boolean wide = width > 1;
        session.execute("CREATE TABLE " + name() + " (k bigint, " + (wide ? "r int, " : "") + "a blob, b bigint, c text,"
                + " PRIMARY KEY (k" + (wide ? ", r" : "") + ")) WITH memtable = '" + memtable + "'");
        insert = session.prepare(
                "INSERT INTO " + name() + " (a, b, c, k" + (wide ? ", r) VALUES (?, ?, ?, ?, ?)" : ") VALUES (?, ?, ?, ?)"));
        select = session.prepare("SELECT a, b, c FROM " + name() + " WHERE k = ?" + (wide ? " AND r = ?" : ""));
    }

    String memtable() {
        return memtable;
    }

    private String name() {
        return KEYSPACE + "." + memtable;
    }

    void truncate() {
        session.execute("TRUNCATE " + name());
    }

    /** Returns the operation that writes a row: partitions in turn, rows of each in their order, then all of them anew. */
    Operation writes() {
        return new Operation(false, number -> keyed(
                insert.boundStatementBuilder().setByteBuffer("a", ByteBuffer.wrap(value)).setLong("b", number)
                        .setString("c", "text of row " + number).build(), number % rows));
    }

    /** Returns the operation that reads any row that was written. */
    Operation reads() {
        return new Operation(true, any -> keyed(select.bind(), random.nextInt(rows)));
    }

    private BoundStatement keyed(final BoundStatement statement, final int row) {
        final BoundStatement keyed = statement.setLong("k", row % partitions * 0x9E3779B97F4A7C15L);
        return partitions == rows ? keyed : keyed.setInt("r", row / partitions);
    }

    /** Returns the number of all rows, each of which is read. */
    int scan() {
        int scanned = 0;
        for (final var row : session.execute("SELECT k, a FROM " + name())) {
            scanned += row.isNull(1) ? 0 : 1;
        }
        return scanned;
    }
}
