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
import io.nestling.bench.SubjectDescription;
import io.nestling.bench.WorkloadType;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts a benchmark's report to JSON, as maps and lists. */
final class BenchJson {
    private static final int DIGITS = 3;

    private BenchJson() {
    }

    /** Returns the whole report. */
    static Map<String, Object> of(final BenchmarkReport report) {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("machine", report.machine());
        json.put("model", report.model().map(BenchJson::of).orElse(null));
        json.put("baseline", report.baseline().orElse(null));
        json.put("subjects", report.subjects().stream().map(BenchJson::of).toList());
        json.put("workloads", Arrays.stream(WorkloadType.values()).filter(type -> report.results().stream()
            .anyMatch(result -> result.workload().equals(type.workloadName()))).map(BenchJson::of).toList());
        json.put("results", report.results().stream().map(BenchJson::of).toList());
        return json;
    }

    private static Map<String, Object> of(final MachineModel model) {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("hugePages", reads(model.hugePages()));
        json.put("smallPages", reads(model.smallPages()));
        json.put("linesPerSecond", Math.rint(model.linesPerSecond()));
        return json;
    }

    private static List<Map<String, Object>> reads(final List<ParallelReads> reads) {
        return reads.stream().map(read -> Map.<String, Object>of("reads", read.reads(), "nanos", rounded(read.nanos()))).toList();
    }

    private static Map<String, Object> of(final SubjectDescription subject) {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", subject.name());
        json.put("peer", subject.peer());
        json.put("configuration", subject.configuration());
        return json;
    }

    private static Map<String, Object> of(final WorkloadType workload) {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", workload.workloadName());
        json.put("description", workload.description());
        json.put("unit", workload.unit());
        return json;
    }

    private static Map<String, Object> of(final Result result) {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("subject", result.subject());
        json.put("dataset", result.dataset());
        json.put("workload", result.workload());
        json.put("keys", result.keys());
        json.put("threads", result.threads());
        final Map<String, Object> spread = new LinkedHashMap<>();
        spread.put("median", rounded(result.opsPerSecond().median()));
        spread.put("min", rounded(result.opsPerSecond().min()));
        spread.put("max", rounded(result.opsPerSecond().max()));
        json.put("opsPerSecond", spread);
        json.put("indexBytesPerKey", rounded(result.indexBytesPerKey()));
        json.put("totalBytesPerKey", rounded(result.totalBytesPerKey()));
        json.put("ratioToBaseline", result.ratioToBaseline().map(BenchJson::rounded).orElse(null));
        json.put("roundTrips", result.roundTrips().map(BenchJson::rounded).orElse(null));
        json.put("latency", result.latency().map(BenchJson::of).orElse(null));
        json.put("checksum", Long.toHexString(result.checksum())); // most JSON readers keep fewer bits of a number
        return json;
    }

    private static Map<String, Object> of(final LatencyPercentiles latency) {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("p50", latency.p50());
        json.put("p90", latency.p90());
        json.put("p99", latency.p99());
        json.put("p999", latency.p999());
        json.put("max", latency.max());
        return json;
    }

    private static double rounded(final double value) {
        return Figures.rounded(value, DIGITS);
    }
}
