/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.nestling.catalog.IndexType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/**
 * Benchmark of the memtables of one node through the driver. Each round writes and reads one-row partitions in a table of each
 * memtable in turn, so that a drift affects all of them. It prints the medians of all rounds but the first.
 */
public final class EndToEndBenchmark {
    private static final int IN_FLIGHT = 128;
    private static final int VALUE_BYTES = 32;
    private static final long SETTLE_MILLIS = 2000;
    private static final List<String> ALLOCATIONS =
            List.of("unslabbed_heap_buffers", "heap_buffers", "offheap_buffers", "offheap_objects");
    private static final String COLUMNS = "%-36s %10s %10s %12s %12s %10s %10s%n";

    private final Node node;
    private final int rows;
    private final List<Subject> subjects = new ArrayList<>();

    private EndToEndBenchmark(final Node node, final int rows) {
        this.node = node;
        this.rows = rows;
    }

    /** The measurements of one memtable, one number per round. */
    private record Subject(String memtable, List<Double> writes, List<Double> reads, List<Double> scans, List<Double> heap,
            List<Double> collection, List<Double> flushes) {
        Subject(final String memtable) {
            this(memtable, new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(),
                    new ArrayList<>());
        }

        void clear() {
            List.of(writes, reads, scans, heap, collection, flushes).forEach(List::clear);
        }
    }

    /**
     * Runs the benchmark.
     *
     * @param arguments rows, rounds, {@code memtable_allocation_type}, and names of memtables instead of all
     */
    public static void main(final String[] arguments) throws Exception {
        final int rows = arguments.length > 0 ? number("ROWS", arguments[0]) : 100_000;
        final int rounds = arguments.length > 1 ? number("ROUNDS", arguments[1]) : 3;
        final String allocation = oneOf("ALLOCATION_TYPE", arguments.length > 2 ? arguments[2] : "offheap_objects", ALLOCATIONS);
        final List<MemtableConfiguration> nestling = new ArrayList<>();
        for (final IndexType index : MemtableConfiguration.ordered()) {
            nestling.add(MemtableConfiguration.of(index, "off_heap"));
            nestling.add(MemtableConfiguration.of(index, "partitions_on_heap"));
        }
        final NodeOptions options = new NodeOptions().memtables(nestling).allocation(allocation).periodicCommitLog().heap("2g")
                .memtableSpace("1024MiB", "1024MiB").jvm("-Dio.nestling.checks=false");
        final List<String> names = new ArrayList<>(List.of("trie", "skiplist"));
        nestling.forEach(memtable -> names.add(memtable.name()));
        if (arguments.length > 3) {
            final List<String> wanted = Arrays.asList(arguments).subList(3, arguments.length);
            wanted.forEach(name -> oneOf("MEMTABLE", name, names));
            names.retainAll(wanted);
        }
        try (Node node = Node.start("benchmark", options)) {
            final EndToEndBenchmark benchmark = new EndToEndBenchmark(node, rows);
            names.forEach(name -> benchmark.subjects.add(new Subject(name)));
            benchmark.run(rounds);
            benchmark.print();
        }
    }

    private static int number(final String what, final String text) {
        if (text.matches("[1-9][0-9]{0,8}")) {
            return Integer.parseInt(text);
        }
        throw refused(what + " is '" + text + "', which is no number from 1 to 999999999");
    }

    private static String oneOf(final String what, final String text, final List<String> all) {
        if (all.contains(text)) {
            return text;
        }
        throw refused(what + " is '" + text + "', which is none of " + String.join(", ", all));
    }

    /** Ends the process: nothing has been started yet. */
    private static IllegalArgumentException refused(final String message) {
        System.err.println(message);
        System.exit(2);
        return new IllegalArgumentException(message);
    }

    private void run(final int rounds) throws Exception {
        try (CqlSession session = node.connect(); NodeManagement management = node.manage()) {
            session.execute("CREATE KEYSPACE bench WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            for (final Subject subject : subjects) {
                session.execute("CREATE TABLE bench." + subject.memtable + " (k bigint PRIMARY KEY, a blob, b bigint, c text)"
                        + " WITH memtable = '" + subject.memtable + "'");
            }
            for (int round = 0; round <= rounds; round++) {
                for (final Subject subject : subjects) {
                    measure(session, management, subject);
                    if (round == 0) {
                        subject.clear();
                    }
                }
            }
        }
    }

    private void measure(final CqlSession session, final NodeManagement management, final Subject subject) {
        final String table = "bench." + subject.memtable;
        session.execute("TRUNCATE " + table);
        final PreparedStatement insert = session.prepare("INSERT INTO " + table + " (k, a, b, c) VALUES (?, ?, ?, ?)");
        final PreparedStatement select = session.prepare("SELECT a, b, c FROM " + table + " WHERE k = ?");
        final byte[] value = new byte[VALUE_BYTES];
        final Random random = new Random(1);
        random.nextBytes(value);
        // Truncated memtables are freed once they are no longer read.
        Node.sleep(SETTLE_MILLIS);
        final long heapBefore = management.heapAfterCollection();
        final long collectionBefore = management.collectionMillis();
        subject.writes.add(rate(session, false, row ->
                insert.bind(key(row), ByteBuffer.wrap(value), (long) row, "text of row " + row)));
        subject.reads.add(rate(session, true, row -> select.bind(key(random.nextInt(rows)))));
        subject.collection.add((double) (management.collectionMillis() - collectionBefore));
        final long begin = System.nanoTime();
        int scanned = 0;
        for (final var row : session.execute("SELECT k, a FROM " + table)) {
            scanned += row.isNull(1) ? 0 : 1;
        }
        subject.scans.add(rows / ((System.nanoTime() - begin) / 1e9));
        if (scanned != rows) {
            throw new AssertionError(subject.memtable + ": " + scanned + " rows of " + rows);
        }
        subject.heap.add((double) (management.heapAfterCollection() - heapBefore) / rows);
        final long beforeFlush = System.nanoTime();
        management.flush("bench", subject.memtable);
        subject.flushes.add((System.nanoTime() - beforeFlush) / 1e6);
        session.execute("TRUNCATE " + table);
    }

    private static long key(final int row) {
        return row * 0x9E3779B97F4A7C15L;
    }

    /** Returns the number of statements per second. */
    private double rate(final CqlSession session, final boolean expectRow, final IntFunction<BoundStatement> statement) {
        final Semaphore permits = new Semaphore(IN_FLIGHT);
        final AtomicInteger failed = new AtomicInteger();
        final long begin = System.nanoTime();
        for (int row = 0; row < rows; row++) {
            permits.acquireUninterruptibly();
            session.executeAsync(statement.apply(row)).whenComplete((result, error) -> {
                if (error != null || expectRow && result.one() == null) {
                    failed.incrementAndGet();
                }
                permits.release();
            });
        }
        permits.acquireUninterruptibly(IN_FLIGHT);
        if (failed.get() > 0) {
            throw new AssertionError(failed + " statements failed");
        }
        return rows / ((System.nanoTime() - begin) / 1e9);
    }

    private void print() {
        System.out.printf(Locale.ROOT, COLUMNS,
            "memtable", "writes/s", "reads/s", "rows scan/s", "heap B/row", "GC ms", "flush ms");
        for (final Subject subject : subjects) {
            System.out.printf(Locale.ROOT, COLUMNS, subject.memtable, text(subject.writes), text(subject.reads),
                    text(subject.scans), text(subject.heap), text(subject.collection), text(subject.flushes));
        }
    }

    private static String text(final List<Double> numbers) {
        final double[] sorted = numbers.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return String.format(Locale.ROOT, "%.0f", sorted[sorted.length / 2]);
    }
}
