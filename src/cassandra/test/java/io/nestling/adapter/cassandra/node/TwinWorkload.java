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
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

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
    private static final int STATEMENTS = 300;
    private static final int CHANGES = 2;
    /** Tables whose columns change: few, so that each of them sees many changes. */
    private static final int ALTERED = 3;
    private static final int ROUND_SECONDS = 150;
    private static final ValueType[] ADDED = {ValueType.INT, ValueType.TEXT, ValueType.MAP, ValueType.FROZEN_LIST};

    private final Node node;
    private final List<String> memtables;
    private final Random random;
    private final ReadGenerator reads;
    private final List<TwinTable> tables;
    private final List<TwinTable> altered;
    /** Tables whose memtables may be switched while rows are written. */
    private final List<TwinTable> switched;
    private final List<TwinWorker> workers = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(WORKERS + 1);
    private final Map<String, Integer> events = new TreeMap<>();
    private final Map<String, Integer> refused = new ConcurrentHashMap<>();
    private final TwinSession.Found found = new TwinSession.Found();
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
        this.altered = tables.stream().filter(TwinTable::isAltered).limit(ALTERED).toList();
        this.switched = tables.stream().filter(TwinTable::isSwitchedBesideWrites).toList();
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
        session.execute("CREATE " + TwinSchema.FUNCTION.replace("$K", TwinTable.KEYSPACE));
        TwinSchema.AGGREGATE.forEach(part -> session.execute("CREATE " + part.replace("$K", TwinTable.KEYSPACE)));
        int next = 0;
        for (final TwinTable table : tables) {
            table.create(true, memtables.get(next++ % memtables.size())).forEach(session::execute);
            table.create(false, "skiplist").forEach(session::execute);
        }
    }

    /** Runs rounds until the time is over and each configuration has had so many statements, but at least two. */
    void run(final double seconds, final int statements) {
        final long end = System.nanoTime() + (long) (seconds * 1e9);
        for (int done = 0; done < MIN_ROUNDS || System.nanoTime() < end || fewest() < statements; done++) {
            round();
        }
    }

    private Map<String, Integer> executed() {
        final Map<String, Integer> executed = new TreeMap<>();
        workers.forEach(worker -> worker.executed().forEach((memtable, count) -> executed.merge(memtable, count, Integer::sum)));
        return executed;
    }

    /** Returns the configuration with the fewest statements. */
    private String rarest() {
        final Map<String, Integer> executed = executed();
        return Collections.min(memtables, Comparator.comparing(memtable -> executed.getOrDefault(memtable, 0)));
    }

    /** Returns the number of statements of the configuration with the fewest. */
    private int fewest() {
        return executed().getOrDefault(rarest(), 0);
    }

    void round() {
        rounds++;
        final TwinSession twins = new TwinSession(session, refused, found);
        for (int i = 0; i < CHANGES && memtables.size() > 1; i++) {
            changeMemtable(anyTable(), rarest());
        }
        final List<Runnable> tasks = new ArrayList<>(List.of(this::besideWrites));
        workers.forEach(worker -> tasks.add(() -> worker.run(twins, STATEMENTS)));
        runAll(tasks);
        final List<TwinTable> some = new ArrayList<>(tables);
        some.removeIf(table -> random.nextBoolean());
        flush(some);
        betweenRounds(twins);
    }

    /** Runs tasks beside each other and waits for them. */
    private void runAll(final List<Runnable> tasks) {
        final List<Future<?>> running = tasks.stream().<Future<?>>map(threads::submit).toList();
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
    }

    /** Flushes tested tables and executes again what the workers have read from them before. */
    private void flush(final List<TwinTable> flushed) {
        if (flushed.isEmpty()) {
            return;
        }
        management.flush(TwinTable.KEYSPACE, flushed.stream().map(TwinTable::tested).toArray(String[]::new));
        final TwinSession twins = new TwinSession(session, refused, found);
        runAll(workers.stream().<Runnable>map(worker -> () -> worker.repeatReads(twins, flushed)).toList());
    }

    private void besideWrites() {
        final TwinTable table = switched.get(random.nextInt(switched.size()));
        switch (random.nextInt(8)) {
            case 0:
            case 1:
            case 2:
                count("flush");
                management.flush(TwinTable.KEYSPACE, table.tested());
                break;
            case 3:
                count("snapshot");
                management.snapshot("s" + snapshots++, TwinTable.KEYSPACE, switched.stream()
                        .flatMap(other -> Stream.of(other.tested(), other.stock())).toArray(String[]::new));
                break;
            case 4:
                changeMemtable(table, random.nextBoolean() ? "trie" : "skiplist");
                break;
            case 5:
                changeMemtable(table, memtables.get(random.nextInt(memtables.size())));
                break;
            case 6:
                count("scan beside writes");
                session.execute("SELECT * FROM " + TwinTable.KEYSPACE + "." + table.tested()).forEach(row -> compared++);
                break;
            default:
                break;
        }
    }

    private void changeMemtable(final TwinTable table, final String memtable) {
        count(memtables.contains(memtable) ? "to another memtable" : "to a stock memtable");
        session.execute(table.changeMemtable(memtable));
    }

    private void betweenRounds(final TwinSession twins) {
        alter(altered.get(random.nextInt(altered.size())));
        final TwinTable table = anyTable();
        final int dice = random.nextInt(100);
        if (dice < 3 && table.kind() != TwinTable.Kind.VIEW) {
            count("truncate");
            session.execute("TRUNCATE " + TwinTable.KEYSPACE + "." + table.tested());
            session.execute("TRUNCATE " + TwinTable.KEYSPACE + "." + table.stock());
        } else if (dice < 6 && Installation.compacts()) {
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

    /** Adds a column, drops the one that was added first, or adds a dropped one again. */
    private void alter(final TwinTable table) {
        final boolean more = random.nextInt(3) == 0;
        String event = "add column again";
        String statement = more ? null : table.addColumnAgain();
        if (statement == null && !more) {
            event = "drop column";
            statement = table.dropColumn(workers.stream().mapToLong(TwinWorker::clock).max().orElseThrow());
        }
        if (statement == null) {
            event = "add column";
            statement = table.addColumn(ADDED[random.nextInt(ADDED.length)]);
        }
        count(event);
        session.execute(table.of(true, statement));
        session.execute(table.of(false, statement));
    }

    /** Compares every table row by row. */
    void compareAll() {
        final TwinSession twins = new TwinSession(session, refused, found);
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
        flush(tables);
    }

    /**
     * Kills the node and starts it again. Tables of vectors are flushed before: Cassandra 5.0.9 does not start if it replays more
     * writes to an index of vectors at a time than that has work spaces, with any memtable.
     */
    void killAndReplay() {
        count("kill and replay");
        for (final TwinTable table : tables) {
            if (table.vector() != null) {
                management.flush(TwinTable.KEYSPACE, table.tested(), table.stock());
            }
        }
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
        long repeated = 0;
        long rows = compared;
        for (final TwinWorker worker : workers) {
            written += worker.written();
            read += worker.read();
            repeated += worker.repeated();
            rows += worker.rows();
        }
        return rounds + " rounds, " + written + " writes and " + read + " reads to both copies, " + repeated
                + " reads again after a flush, " + rows + " rows compared, " + events + ", statements by memtable "
                + executed() + ", " + refused.values().stream().mapToInt(count -> count).sum() + " refused, approximate searches "
                + found;
    }

    /** Returns the number of statements that the node refused, by its message. */
    Map<String, Integer> refused() {
        return refused;
    }

    TwinSession.Found found() {
        return found;
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
