/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.bench.BenchmarkReport;
import io.nestling.bench.MachineModel;
import io.nestling.bench.MachineModel.ParallelReads;
import io.nestling.bench.Result;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Formats a benchmark's report as a table. */
final class BenchTable {
    private static final List<String> FACTS = List.of("processor", "cores", "jdk", "bridge", "hugePages", "heapBytes", "options");
    private static final String[] HEADER = {
        "workload", "subject", "M ops/s", "min", "max", "ratio", "trips", "p50 ns", "p99 ns", "p99.9 ns", "longest ns"};
    private static final int TEXT_COLUMNS = 2;
    private static final double MILLION = 1e6;
    private static final String NOTHING = "-";
    private static final String PROCESSOR_TIME = "processor time";

    private BenchTable() {
    }

    /** Returns the lines of the table. */
    static List<String> lines(final BenchmarkReport report) {
        final List<String> lines = new ArrayList<>();
        lines.add(facts(report.machine()));
        report.model().ifPresent(model -> lines.add(model(model)));
        final Set<String> groups = new LinkedHashSet<>();
        report.results().forEach(result -> groups.add(group(result)));
        for (final String group : groups) {
            final List<Result> results = report.results().stream().filter(result -> group(result).equals(group)).toList();
            lines.add("");
            lines.add(group + report.baseline().map(name -> "; ratio to " + name).orElse("")
                + (PROCESSOR_TIME.equals(report.machine().get("clock")) ? byProcessorTime(results) : ""));
            lines.addAll(aligned(speeds(results)));
            lines.add("");
            lines.addAll(aligned(sizes(results)));
        }
        return lines;
    }

    private static String byProcessorTime(final List<Result> results) {
        final boolean sustained = results.stream().anyMatch(result -> result.workload().startsWith("sustained"));
        return "; by " + PROCESSOR_TIME + (sustained ? ", sustained ones by wall time" : "");
    }

    private static String facts(final Map<String, Object> machine) {
        final List<String> words = new ArrayList<>();
        for (final String fact : FACTS) {
            final Object value = machine.get(fact);
            if (value != null && !value.equals("")) {
                words.add(switch (fact) {
                    case "processor", "options" -> value.toString();
                    case "cores" -> Figures.countOf(((Number) value).longValue(), "core", "cores");
                    case "hugePages" -> "2 MiB pages " + (Boolean.TRUE.equals(value) ? "yes" : "no");
                    case "heapBytes" -> "heap " + Figures.bytes(((Number) value).longValue());
                    default -> fact + " " + value;
                });
            }
        }
        return String.join(", ", words);
    }

    private static String model(final MachineModel model) {
        return String.format(Locale.ROOT, "dependent read of memory: %.0f ns on 2 MiB pages, %.0f ns on 4 KiB; "
            + "10 reads together: %.0f ns; at most %.0f M lines/s", nanos(model.hugePages(), 1), nanos(model.smallPages(), 1),
            nanos(model.hugePages(), 10), model.linesPerSecond() / MILLION);
    }

    private static double nanos(final List<ParallelReads> reads, final int number) {
        return reads.stream().filter(read -> read.reads() == number).mapToDouble(ParallelReads::nanos).findFirst()
            .orElse(Double.NaN);
    }

    private static String group(final Result result) {
        return result.dataset() + ", " + Figures.countOf(result.keys(), "key", "keys") + ", "
            + Figures.countOf(result.threads(), "thread", "threads");
    }

    private static List<String[]> speeds(final List<Result> results) {
        final List<String[]> rows = new ArrayList<>(List.<String[]>of(HEADER));
        String last = "";
        for (final Result result : results) {
            rows.add(new String[] {
                result.workload().equals(last) ? "" : result.workload(), result.subject(),
                number(result.opsPerSecond().median() / MILLION, 3), number(result.opsPerSecond().min() / MILLION, 3),
                number(result.opsPerSecond().max() / MILLION, 3),
                result.ratioToBaseline().map(ratio -> number(ratio, 2)).orElse(NOTHING),
                result.roundTrips().map(trips -> number(trips, 2)).orElse(NOTHING),
                result.latency().map(latency -> Figures.count(latency.p50())).orElse(NOTHING),
                result.latency().map(latency -> Figures.count(latency.p99())).orElse(NOTHING),
                result.latency().map(latency -> Figures.count(latency.p999())).orElse(NOTHING),
                result.latency().map(latency -> Figures.count(latency.max())).orElse(NOTHING)});
            last = result.workload();
        }
        return rows;
    }

    /** Returns the bytes per key of each subject's last result; those of earlier loads are in the results alone. */
    private static List<String[]> sizes(final List<Result> results) {
        final List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"", "subject", "index bytes/key", "with keys and values"});
        final Set<String> seen = new LinkedHashSet<>();
        for (int i = results.size() - 1; i >= 0; i--) {
            final Result result = results.get(i);
            if (seen.add(result.subject())) {
                rows.add(1, new String[] {"", result.subject(), number(result.indexBytesPerKey(), 1),
                    number(result.totalBytesPerKey(), 1)});
            }
        }
        return rows;
    }

    private static String number(final double value, final int digits) {
        return String.format(Locale.ROOT, "%,." + digits + "f", value);
    }

    /** Aligns text to the left and numbers to the right. */
    private static List<String> aligned(final List<String[]> rows) {
        final int[] widths = new int[rows.get(0).length];
        for (final String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        final List<String> lines = new ArrayList<>();
        for (final String[] row : rows) {
            final StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.length; i++) {
                final String format = "%" + (i < TEXT_COLUMNS ? "-" : "") + Math.max(1, widths[i]) + "s";
                line.append(i == 0 ? "" : "  ").append(String.format(Locale.ROOT, format, row[i]));
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
