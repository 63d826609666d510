/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.bench.BenchmarkReport;
import io.nestling.bench.LatencyPercentiles;
import io.nestling.bench.MachineModel;
import io.nestling.bench.MachineModel.ParallelReads;
import io.nestling.bench.Result;
import io.nestling.bench.Spread;
import io.nestling.bench.SubjectDescription;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reports with numbers that are all different, and changes to them. */
final class ReportFixture {
    static final String BASELINE = "cassandra_trie";

    private final Map<String, Object> machine = new LinkedHashMap<>();
    private final List<SubjectDescription> subjects = new ArrayList<>();
    private final List<Result> results = new ArrayList<>();
    private Optional<MachineModel> model = Optional.empty();
    private Optional<String> baseline = Optional.empty();

    /** A run with everything in it: three subjects, three workloads, two numbers of keys. */
    static ReportFixture full() {
        final ReportFixture report = new ReportFixture().subject("trie", false).subject("cuckoo_trie", false)
            .subject(BASELINE, true).baseline(BASELINE).model();
        report.machine.put("processor", "Some Processor 9000");
        report.machine.put("memoryBytes", 24L << 30);
        report.machine.put("flags", List.of("-Xmx4g", "-Xss1m"));
        report.machine.put("command", "bin/nestling bench --peers --html report.html");
        for (final int keys : new int[] {1_000_000, 3_000_000}) {
            for (final String workload : List.of("load", "c", "scan")) {
                report.runAll(workload, keys);
            }
        }
        return report;
    }

    private void runAll(final String workload, final int keys) {
        for (final SubjectDescription subject : subjects) {
            final double median = 1_234_567 + 321_987.0 * results.size();
            results.add(new Result(subject.name(), "rand-8", workload, keys, 1,
                new Spread(median, median * 0.97, median * 1.04), 20.1 + results.size(), 44.3 + results.size(),
                Optional.of(0.5 + 0.31 * results.size()), Optional.of(1.25 + 0.37 * results.size()),
                workload.equals("c") ? Optional.of(latency(results.size())) : Optional.empty(),
                Optional.of((long) workload.hashCode())));
        }
    }

    static LatencyPercentiles latency(final long seed) {
        return new LatencyPercentiles(281 + seed, 407 + seed, 1_009 + seed, 9_001 + seed, 1_234_501 + seed);
    }

    static Result result(final String subject, final String workload, final double median) {
        return new Result(subject, "rand-8", workload, 1_000_000, 1, new Spread(median, median * 0.9, median * 1.1), 20, 44,
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(1L));
    }

    ReportFixture subject(final String name, final boolean peer) {
        subjects.add(new SubjectDescription(name, peer, "configuration of " + name));
        return this;
    }

    ReportFixture baseline(final String name) {
        baseline = Optional.of(name);
        return this;
    }

    ReportFixture model() {
        return model(new MachineModel(
            List.of(new ParallelReads(1, 285), new ParallelReads(8, 293), new ParallelReads(16, 361)),
            List.of(new ParallelReads(1, 432), new ParallelReads(8, 612)), 84.6e6));
    }

    ReportFixture model(final MachineModel measured) {
        model = Optional.of(measured);
        return this;
    }

    ReportFixture fact(final String name, final Object value) {
        machine.put(name, value);
        return this;
    }

    ReportFixture add(final Result result) {
        results.add(result);
        return this;
    }

    BenchmarkReport report() {
        return new BenchmarkReport(machine, model, baseline, List.copyOf(subjects), List.copyOf(results));
    }
}
