/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.CqlSession;
import io.nestling.adapter.cassandra.node.StatementLoad.Operation;
import io.nestling.adapter.cassandra.node.StatementLoad.Sent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.HdrHistogram.Histogram;

/**
 * Benchmark of the memtables of one node, which is a process of its own, through the driver. Each round measures a table of each
 * memtable, in a random order, after rounds of warm-up until the node's processor time no longer falls. It prints medians,
 * and in brackets those of the ratios to the first memtable in the same round.
 * <p>
 * Times of the node are its processor time an operation, collection included, compilation left out.
 */
public final class EndToEndBenchmark {
    /** A round is stable if it takes no less than this part of the processor time of the round before. */
    private static final double STABLE = 0.95;
    private static final long SETTLE_MILLIS = 500;
    private static final int STEADY_SECONDS = 4;
    private static final double STEADY_PART = 0.5;

    private final BenchmarkOptions options;
    private final Node node;
    private final CqlSession session;
    private final NodeManagement management;
    private final List<BenchmarkTable> tables = new ArrayList<>();
    private final Random order = new Random(1);
    /** For each memtable, for each figure, its values in all rounds. */
    private final Map<String, Map<String, List<Double>>> figures = new LinkedHashMap<>();
    /** Processor time of the node in the current round, with compilation: of writes, of reads. */
    private final double[] spent = new double[2];
    /** The statements a second of the part at a fixed rate; 0 in the first rounds, which have none. */
    private double steadyRate;

    private EndToEndBenchmark(
            final BenchmarkOptions options, final Node node, final CqlSession session, final NodeManagement management) {
        this.options = options;
        this.node = node;
        this.session = session;
        this.management = management;
    }

    /**
     * Runs the benchmark.
     *
     * @param arguments as {@code bin/cassandra-smoke --help} lists them
     * @throws Exception if a statement fails
     */
    public static void main(final String[] arguments) throws Exception {
        final BenchmarkOptions options;
        try {
            options = new BenchmarkOptions(arguments);
        } catch (final IllegalArgumentException e) {
            System.err.println("bench: " + e.getMessage());
            System.exit(2);
            return;
        }
        try (Node node = Node.start("benchmark", options.node());
                CqlSession session = node.connect();
                NodeManagement management = node.manage()) {
            final EndToEndBenchmark benchmark = new EndToEndBenchmark(options, node, session, management);
            benchmark.run();
            benchmark.print();
        }
    }

    private void run() {
        session.execute("CREATE KEYSPACE " + BenchmarkTable.KEYSPACE
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        for (final String memtable : options.memtables()) {
            tables.add(new BenchmarkTable(
                    session, memtable, options.number("rows"), options.number("width"), options.number("value")));
        }
        warmUp();
        final double slowest = figures.values().stream().mapToDouble(of -> last(of.get("writes/s"))).min().orElseThrow();
        steadyRate = options.number("rate") > 0 ? options.number("rate") : Math.max(1, Math.floor(slowest * STEADY_PART));
        figures.clear();
        for (int round = 1; round <= options.number("rounds"); round++) {
            measure("round " + round);
        }
    }

    private void warmUp() {
        double writes = Double.MAX_VALUE;
        double reads = Double.MAX_VALUE;
        for (int round = 1; round <= options.number("warmup"); round++) {
            measure("warm-up " + round);
            if (spent[0] >= writes * STABLE && spent[1] >= reads * STABLE) {
                System.out.printf(Locale.ROOT, "stable after %d rounds of warm-up%n", round);
                return;
            }
            writes = spent[0];
            reads = spent[1];
        }
        System.out.printf(Locale.ROOT, "NOT stable after %d rounds of warm-up%n", options.number("warmup"));
    }

    private void measure(final String round) {
        spent[0] = 0;
        spent[1] = 0;
        for (final BenchmarkTable table : tables) {
            table.truncate();
            Node.sleep(SETTLE_MILLIS); // truncated memtables are freed once they are no longer read
            final Map<String, List<Double>> of = figures.computeIfAbsent(table.memtable(), name -> new LinkedHashMap<>());
            if (options.number("seconds") > 0) {
                sustain(table, of);
            } else {
                measure(table, of);
            }
            table.truncate();
            final StringBuilder line = new StringBuilder(round + " " + table.memtable() + ":");
            of.forEach((name, values) -> line.append(String.format(Locale.ROOT, " %s %.4g,", name, last(values))));
            System.out.println(line.substring(0, line.length() - 1));
        }
        Collections.shuffle(tables, order);
    }

    /** Writes all rows, reads as many, then at a fixed rate, scans, and flushes. */
    private void measure(final BenchmarkTable table, final Map<String, List<Double>> of) {
        final int rows = options.number("rows");
        final long heap = management.heapAfterCollection();
        fast("write", table.writes(), Long.MAX_VALUE, of);
        fast("read", table.reads(), Long.MAX_VALUE, of);
        steady(List.of(table.writes(), table.reads()), 0, STEADY_SECONDS, of);
        ProcessTimes before = times();
        final int scanned = table.scan();
        add(of, "scan us", times().since(before).work() / (double) rows);
        if (scanned != rows) {
            throw new AssertionError(table.memtable() + ": " + scanned + " rows of " + rows);
        }
        add(of, "heap B", (management.heapAfterCollection() - heap) / (double) rows);
        before = times();
        final long begin = System.nanoTime();
        management.flush(BenchmarkTable.KEYSPACE, table.memtable());
        add(of, "flush ms", (System.nanoTime() - begin) / 1e6);
        add(of, "flush us", times().since(before).work() / (double) rows);
    }

    /** Writes for some seconds, with all the flushes and compactions that come, then half as long at a fixed rate. */
    private void sustain(final BenchmarkTable table, final Map<String, List<Double>> of) {
        management.heapAfterCollection();
        final int seconds = options.number("seconds");
        final long flushes = flushes(table);
        final long collections = management.collections();
        final long collection = management.collectionMillis();
        final Sent sent = fast("write", table.writes(), seconds * 1_000_000_000L, of);
        add(of, "GCs a 1M", (management.collections() - collections) * 1e6 / sent.count());
        add(of, "GC ms a 1M", (management.collectionMillis() - collection) * 1e6 / sent.count());
        add(of, "flushes", flushes(table) - flushes);
        steady(List.of(table.writes()), sent.count(), Math.max(1, seconds / 2), of);
    }

    private long flushes(final BenchmarkTable table) {
        return management.tableMetric(BenchmarkTable.KEYSPACE, table.memtable(), "MemtableSwitchCount", "Count");
    }

    /** Sends as fast as the node answers: all rows, or in the time rows with numbers that go on. */
    private Sent fast(final String what, final Operation operation, final long nanos, final Map<String, List<Double>> of) {
        final int count = nanos == Long.MAX_VALUE ? options.number("rows") : Integer.MAX_VALUE;
        final ProcessTimes before = times();
        final Sent sent = new StatementLoad(session).fast(operation, 0, count, nanos);
        final ProcessTimes times = times().since(before);
        spent[operation.expectsRow() ? 1 : 0] += times.total() / (double) sent.count();
        add(of, what + "s/s", sent.rate());
        add(of, what + " us", times.work() / (double) sent.count());
        add(of, what + " GC us", times.collection() / (double) sent.count());
        return sent;
    }

    private void steady(
            final List<Operation> operations, final int first, final int seconds, final Map<String, List<Double>> of) {
        if (steadyRate == 0) {
            return;
        }
        final List<Histogram> latencies =
                new StatementLoad(session).steady(operations, first, (int) (steadyRate * seconds), steadyRate);
        for (int i = 0; i < operations.size(); i++) {
            final String what = operations.get(i).expectsRow() ? "read" : "write";
            add(of, what + " p50 ms", latencies.get(i).getValueAtPercentile(50) / 1e3);
            add(of, what + " p99 ms", latencies.get(i).getValueAtPercentile(99) / 1e3);
        }
    }

    private ProcessTimes times() {
        return ProcessTimes.of(node.pid());
    }

    private static void add(final Map<String, List<Double>> of, final String figure, final double value) {
        of.computeIfAbsent(figure, name -> new ArrayList<>()).add(value);
    }

    private static double last(final List<Double> values) {
        return values.get(values.size() - 1);
    }

    private void print() {
        System.out.printf(Locale.ROOT, "latency at %.0f statements/s%n", steadyRate);
        final List<String> names = options.memtables();
        final Map<String, List<Double>> base = figures.get(names.get(0));
        System.out.println("| | " + String.join(" | ", base.keySet()) + " |");
        System.out.println("|---|" + "---|".repeat(base.size()));
        for (final String name : names) {
            final StringBuilder line = new StringBuilder("| `" + name + "` |");
            figures.get(name).forEach((figure, values) -> {
                final List<Double> ratios = new ArrayList<>();
                for (int i = 0; i < values.size(); i++) {
                    if (base.get(figure).get(i) != 0) {
                        ratios.add(values.get(i) / base.get(figure).get(i));
                    }
                }
                line.append(String.format(Locale.ROOT, median(values) >= 100 ? " %.0f" : " %.1f", median(values)));
                line.append(ratios.isEmpty() ? " |" : String.format(Locale.ROOT, " (%.2f) |", median(ratios)));
            });
            System.out.println(line);
        }
    }

    private static double median(final List<Double> values) {
        final double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}
