/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** One thread of the workload: writes to its own partitions and compares what it reads from them. */
final class TwinWorker {
    private static final int HISTORY = 20_000;
    private static final int SHOWN = 10;

    private final int number;
    private final Random random;
    private final List<TwinTable> tables;
    private final WriteGenerator writes;
    private final ReadGenerator reads;
    private final Deque<String> history = new ArrayDeque<>();
    private final Map<TwinTable, List<TwinStatement>> unflushed = new HashMap<>();
    private final Map<String, Integer> executed = new TreeMap<>();
    private long written;
    private long read;
    private long repeated;
    private long rows;

    TwinWorker(final int number, final int workers, final long seed, final List<TwinTable> tables, final boolean orderedTokens) {
        this.number = number;
        this.random = new Random(seed * 31 + number);
        this.tables = tables;
        this.writes = new WriteGenerator(random, partitions -> number + workers * random.nextInt(partitions));
        this.reads = new ReadGenerator(random, orderedTokens);
    }

    /** Executes a number of statements, independent of their time. */
    void run(final TwinSession session, final int statements) {
        for (int i = 0; i < statements; i++) {
            final TwinTable table = tables.get(random.nextInt(tables.size()));
            final boolean write = random.nextInt(100) < 65 && table.kind() != TwinTable.Kind.VIEW;
            final TwinStatement statement = write ? writes.next(table) : reads.partition(table, writes.key(table));
            execute(session, table, statement);
            executed.merge(table.memtable(), 1, Integer::sum);
            written += write ? 1 : 0;
            read += write ? 0 : 1;
            if (!write) {
                unflushed.computeIfAbsent(table, key -> new ArrayList<>()).add(statement);
            }
        }
    }

    /** Executes again the reads of tables that have been flushed after them. */
    void repeatReads(final TwinSession session, final Collection<TwinTable> flushed) {
        for (final TwinTable table : flushed) {
            final List<TwinStatement> statements = unflushed.remove(table);
            if (statements != null) {
                for (final TwinStatement statement : statements) {
                    execute(session, table, statement);
                    repeated++;
                }
            }
        }
    }

    private void execute(final TwinSession session, final TwinTable table, final TwinStatement statement) {
        recordStatement(table, statement);
        try {
            rows += session.execute(table, statement);
        } catch (final AssertionError | RuntimeException e) {
            throw new AssertionError("worker " + number + ", memtable " + table.memtable() + ": " + e.getMessage()
                    + "\nlast statements:\n  " + String.join("\n  ", last(table)), e);
        }
    }

    private void recordStatement(final TwinTable table, final TwinStatement statement) {
        history.addLast(table + ": " + statement.text());
        if (history.size() > HISTORY) {
            history.removeFirst();
        }
    }

    /** Returns the last statements in the order of execution. */
    private List<String> last(final TwinTable table) {
        final List<String> found = new ArrayList<>();
        for (final String line : history) {
            if (line.startsWith(table + ": ") && line.length() < 500) {
                found.add(line);
            }
        }
        return found.subList(Math.max(0, found.size() - SHOWN), found.size());
    }

    /** Returns the history of executed statements. */
    Iterable<String> history() {
        return history;
    }

    long written() {
        return written;
    }

    long read() {
        return read;
    }

    /** Returns the number of reads that were executed again after a flush. */
    long repeated() {
        return repeated;
    }

    /** Returns the number of statements by the configuration of the tested table, without repetitions. */
    Map<String, Integer> executed() {
        return executed;
    }

    /** Returns a timestamp that this worker's writes have reached. */
    long clock() {
        return writes.clock();
    }

    long rows() {
        return rows;
    }
}
