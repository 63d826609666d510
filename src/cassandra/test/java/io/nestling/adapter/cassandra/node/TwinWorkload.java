/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.CqlSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Executes the same random statements on tables with the tested memtable and on their stock copies, and compares all results.
 * <p>
 * It runs in rounds. In a round each worker executes statements on its own partitions, while tested tables are flushed, change
 * their memtable, or are saved in a snapshot. Between rounds, without writes, it compares whole tables and runs what is not safe
 * during writes: adds and drops columns, truncates and compacts tables, kills the node.
 */
final class TwinWorkload implements AutoCloseable {
    private static final int MIN_ROUNDS = 2;
    private static final int WORKERS = 3;
    private static final int STATEMENTS = 150;
    private static final int ROUND_SECONDS = 150;
    private static final ValueType[] ADDED = {ValueType.INT, ValueType.TEXT, ValueType.MAP, ValueType.FROZEN_LIST};

    private final Node node;
    private final List<String> memtables;
    private final Random random;
    private final ReadGenerator reads;
    private final List<TwinTable> tables;
    private final List<TwinWorker> workers = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(WORKERS + 1);
    private final Map<String, Integer> events = new TreeMap<>();
    private CqlSession session;
    private NodeManagement management;
    private int rounds;
    private int snapshots;
    private long compared;

    /**
     * Creates a workload on a running node.
     *
     * @param node the node
     * @param memtables the tested configurations; tables change between them
     * @param seed seed of all random choices
     * @param orderedTokens whether the node has an ordered partitioner
     */
    TwinWorkload(final Node node, final List<String> memtables, final long seed, final boolean orderedTokens) {
        this.node = node;
        this.memtables = memtables;
        this.tables = TwinSchema.tables(!orderedTokens);
        this.random = new Random(seed);
        this.reads = new ReadGenerator(random, orderedTokens);
        for (int i = 0; i < WORKERS; i++) {
            workers.add(new TwinWorker(i, WORKERS, seed, tables, orderedTokens));
        }
        connect();
    }

    private void connect() {
        session = node.connect();
        management = node.manage();
    }

    private void disconnect() {
        session.close();
        try {
            management.close();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void createSchema() {
        session.execute("CREATE KEYSPACE " + TwinTable.KEYSPACE
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        session.execute("CREATE TYPE " + TwinTable.KEYSPACE + "." + ValueType.PLACE);
        int next = 0;
        for (final TwinTable table : tables) {
            table.create(true, memtables.get(next++ % memtables.size())).forEach(session::execute);
            table.create(false, "skiplist").forEach(session::execute);
        }
    }

    /** Runs rounds until the time is over, but at least two. */
    void run(final double seconds) {
        final long end = System.nanoTime() + (long) (seconds * 1e9);
        for (int done = 0; done < MIN_ROUNDS || System.nanoTime() < end; done++) {
            round();
        }
    }

    void round() {
        rounds++;
        final TwinSession twins = new TwinSession(session);
        final List<Future<?>> running = new ArrayList<>();
        for (final TwinWorker worker : workers) {
            running.add(threads.submit(() -> worker.run(twins, STATEMENTS)));
        }
        running.add(threads.submit(this::besideWrites));
        AssertionError failure = null;
        for (final Future<?> future : running) {
            try {
                future.get(ROUND_SECONDS, TimeUnit.SECONDS);
            } catch (final TimeoutException e) {
                writeThreads();
                failure = new AssertionError("round " + rounds + " hangs", e);
                break;
            } catch (final ExecutionException e) {
                failure = failure == null ? new AssertionError("round " + rounds + ": " + e.getCause().getMessage(), e) : failure;
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        if (failure != null) {
            writeHistory();
            throw failure;
        }
        betweenRounds(twins);
    }

    private void besideWrites() {
        final TwinTable table = anyTable();
        switch (random.nextInt(8)) {
            case 0:
            case 1:
            case 2:
                count("flush");
                management.flush(TwinTable.KEYSPACE, table.tested());
                break;
            case 3:
                count("snapshot");
                management.snapshot("s" + snapshots++, TwinTable.KEYSPACE);
                break;
            case 4:
            case 5:
                changeMemtable(table);
                break;
            case 6:
                count("scan beside writes");
                session.execute("SELECT * FROM " + TwinTable.KEYSPACE + "." + table.tested()).forEach(row -> compared++);
                break;
            default:
                break;
        }
    }

    private void changeMemtable(final TwinTable table) {
        final boolean stock = random.nextInt(6) == 0;
        final List<String> choice = stock ? List.of("trie", "skiplist") : memtables;
        final String memtable = choice.get(random.nextInt(choice.size()));
        count(stock ? "to a stock memtable" : "to another memtable");
        session.execute("ALTER TABLE " + TwinTable.KEYSPACE + "." + table.tested() + " WITH memtable = '" + memtable + "'");
    }

    private void betweenRounds(final TwinSession twins) {
        final TwinTable table = anyTable();
        final int dice = random.nextInt(100);
        if (table.kind() == TwinTable.Kind.PLAIN && dice < 25) {
            final String statement = dice < 15 ? table.addColumn(ADDED[random.nextInt(ADDED.length)]) : table.dropColumn();
            if (statement != null) {
                count(dice < 15 ? "add column" : "drop column");
                session.execute(table.of(true, statement));
                session.execute(table.of(false, statement));
            }
        } else if (dice < 28) {
            count("truncate");
            session.execute("TRUNCATE " + TwinTable.KEYSPACE + "." + table.tested());
            session.execute("TRUNCATE " + TwinTable.KEYSPACE + "." + table.stock());
        } else if (dice < 31 && Installation.compacts()) {
            count("compact");
            management.compact(TwinTable.KEYSPACE);
        }
        for (int i = 0; i < 3; i++) {
            final TwinTable searched = anyTable();
            compared += twins.execute(searched, reads.many(searched));
        }
        final TwinTable scanned = anyTable();
        compared += twins.execute(scanned, reads.everything(scanned));
    }

    /** Compares every table row by row. */
    void compareAll() {
        final TwinSession twins = new TwinSession(session);
        for (final TwinTable table : tables) {
            try {
                compared += twins.execute(table, reads.everything(table));
                for (int i = 0; i < 5; i++) {
                    compared += twins.execute(table, reads.many(table));
                }
            } catch (final AssertionError e) {
                writeHistory();
                throw e;
            }
        }
        count("all compared");
    }

    void flush() {
        count("flush of all");
        management.flush(TwinTable.KEYSPACE);
    }

    /** Kills the node and starts it again. */
    void killAndReplay() {
        count("kill and replay");
        disconnect();
        // There are no writes now: the log gets all of them.
        Node.sleep(3 * NodeOptions.COMMIT_LOG_PERIOD_MILLIS);
        node.kill();
        node.start();
        connect();
    }

    /** Drains the node and starts it again. */
    void drainAndRestart() {
        count("drain and restart");
        management.drain();
        disconnect();
        node.stop();
        node.start();
        connect();
    }

    String summary() {
        long written = 0;
        long read = 0;
        long rows = compared;
        for (final TwinWorker worker : workers) {
            written += worker.written();
            read += worker.read();
            rows += worker.rows();
        }
        return rounds + " rounds, " + written + " writes and " + read + " reads to both copies, " + rows + " rows compared, "
                + events;
    }

    int rounds() {
        return rounds;
    }

    int snapshots() {
        return snapshots;
    }

    Map<String, Integer> events() {
        return events;
    }

    NodeManagement management() {
        return management;
    }

    private TwinTable anyTable() {
        return tables.get(random.nextInt(tables.size()));
    }

    private void count(final String event) {
        synchronized (events) {
            events.merge(event, 1, Integer::sum);
        }
    }

    private void writeThreads() {
        try (NodeManagement another = node.manage()) {
            Files.writeString(node.directory().resolve("threads.txt"), another.threads());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void writeHistory() {
        final Path file = node.directory().resolve("statements.log");
        try {
            final List<String> lines = new ArrayList<>();
            for (int i = 0; i < workers.size(); i++) {
                for (final String line : workers.get(i).history()) {
                    lines.add(i + " " + line);
                }
            }
            Files.write(file, lines);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        System.out.println("statements in " + file);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        disconnect();
    }
}
