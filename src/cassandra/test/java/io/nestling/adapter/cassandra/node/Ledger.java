/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes rows once each and records which were acknowledged: none of these may be missing, whatever happens to nodes. A
 * row that was not acknowledged may be present or absent, but not in part.
 */
final class Ledger {
    private static final int AWAIT_SECONDS = 120;
    private static final int IN_FLIGHT = 64;
    private static final int ROWS_PER_PARTITION = 10;

    private final String table;
    private final ConsistencyLevel consistency;
    private final int valueBytes;
    private int maxFailed = 500;
    private final BitSet acknowledged = new BitSet();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicLong longestNanos = new AtomicLong();
    private volatile String firstError;

    /**
     * Creates a ledger.
     *
     * @param table name with the keyspace
     * @param consistency consistency of writes and reads
     * @param valueBytes length of the value of each row
     */
    Ledger(final String table, final ConsistencyLevel consistency, final int valueBytes) {
        this.table = table;
        this.consistency = consistency;
        this.valueBytes = valueBytes;
    }

    /** Goes on writing, however many writes fail. */
    Ledger neverGivingUp() {
        maxFailed = Integer.MAX_VALUE;
        return this;
    }

    void create(final CqlSession session, final String memtable) {
        session.execute("CREATE TABLE " + table + " (p int, c int, first blob, second blob, PRIMARY KEY (p, c)) WITH memtable = '"
                + memtable + "'");
    }

    /** Writes rows, several at a time, until there are enough, {@code stop} is set, or too many have failed. */
    void write(final CqlSession session, final int rows, final AtomicBoolean stop) {
        final PreparedStatement insert = session.prepare("INSERT INTO " + table + " (p, c, first, second) VALUES (?, ?, ?, ?)");
        final Semaphore permits = new Semaphore(IN_FLIGHT);
        final long end = (long) next.get() + rows;
        while (next.get() < end && !stop.get() && failed.get() < maxFailed) {
            permits.acquireUninterruptibly();
            final int row = next.getAndIncrement();
            final long begin = System.nanoTime();
            session.executeAsync(insert.bind(row / ROWS_PER_PARTITION, row % ROWS_PER_PARTITION, value(row, 1), value(row, 2))
                    .setConsistencyLevel(consistency)).whenComplete((result, error) -> {
                        longestNanos.accumulateAndGet(System.nanoTime() - begin, Math::max);
                        if (error == null) {
                            acknowledge(row);
                        } else {
                            failed.incrementAndGet();
                            firstError = firstError == null ? error.toString() : firstError;
                        }
                        permits.release();
                    });
        }
        permits.acquireUninterruptibly(IN_FLIGHT);
    }

    private synchronized void acknowledge(final int row) {
        acknowledged.set(row);
    }

    synchronized int acknowledged() {
        return acknowledged.cardinality();
    }

    /** Waits until so many rows are acknowledged. */
    void await(final int rows) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(AWAIT_SECONDS);
        while (acknowledged() < rows) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError(
                        table + ": " + acknowledged() + " rows after " + AWAIT_SECONDS + " s, not " + rows + ": " + firstError);
            }
            Node.sleep(50);
        }
    }

    int failed() {
        return failed.get();
    }

    String firstError() {
        return firstError;
    }

    double longestSeconds() {
        return longestNanos.get() / 1e9;
    }

    /** Returns the time that the longest write since the last call took. */
    double takeLongestSeconds() {
        return longestNanos.getAndSet(0) / 1e9;
    }

    /**
     * Reads the whole table.
     *
     * @return the problems, one per line; empty if all acknowledged rows are present and no row is wrong
     */
    List<String> check(final CqlSession session) {
        final List<String> wrong = new ArrayList<>();
        final BitSet found = new BitSet();
        for (final Row row : session.execute(SimpleStatement.newInstance("SELECT p, c, first, second FROM " + table)
                .setConsistencyLevel(consistency).setPageSize(1000))) {
            final int number = row.getInt(0) * ROWS_PER_PARTITION + row.getInt(1);
            if (found.get(number)) {
                wrong.add("row " + number + " twice");
            }
            found.set(number);
            if (!value(number, 1).equals(row.getByteBuffer(2)) || !value(number, 2).equals(row.getByteBuffer(3))) {
                wrong.add("row " + number + " is wrong");
            }
        }
        final BitSet missing = (BitSet) acknowledged.clone();
        missing.andNot(found);
        missing.stream().limit(20).forEach(row -> wrong.add("row " + row + " is missing"));
        if (found.length() > next.get()) {
            wrong.add("row " + (found.length() - 1) + " was never written");
        }
        return wrong;
    }

    /** Reads random partitions one by one; see {@link #check}. */
    List<String> checkPartitions(final CqlSession session, final int partitions, final Random random) {
        final List<String> wrong = new ArrayList<>();
        final PreparedStatement select = session.prepare("SELECT c, first FROM " + table + " WHERE p = ?");
        for (int i = 0; i < partitions; i++) {
            final int partition = random.nextInt(next.get() / ROWS_PER_PARTITION);
            final BitSet found = new BitSet();
            for (final Row row : session.execute(select.bind(partition).setConsistencyLevel(consistency))) {
                final int number = partition * ROWS_PER_PARTITION + row.getInt(0);
                found.set(row.getInt(0));
                if (!value(number, 1).equals(row.getByteBuffer(1))) {
                    wrong.add("row " + number + " is wrong");
                }
            }
            for (int c = 0; c < ROWS_PER_PARTITION; c++) {
                if (acknowledged.get(partition * ROWS_PER_PARTITION + c) && !found.get(c)) {
                    wrong.add("row " + (partition * ROWS_PER_PARTITION + c) + " is missing in its partition");
                }
            }
        }
        return wrong;
    }

    private ByteBuffer value(final int row, final int column) {
        final byte[] bytes = new byte[valueBytes];
        new Random(row * 31L + column).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }
}
