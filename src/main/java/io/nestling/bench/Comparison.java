/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.bench.MachineModel.ParallelReads;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Turns the measurements of all subjects into results: with ratios to the baseline, and times in units of a memory read. */
final class Comparison {
    private final BenchmarkPlan plan;
    private final Optional<Double> roundTripNanos;
    private final List<Result> results = new ArrayList<>();

    Comparison(final BenchmarkPlan plan, final Optional<MachineModel> model) {
        this.plan = plan;
        this.roundTripNanos = model.flatMap(Comparison::roundTripNanos);
    }

    private static Optional<Double> roundTripNanos(final MachineModel model) {
        return model.hugePages().stream().filter(reads -> reads.reads() == 1).map(ParallelReads::nanos).findFirst();
    }

    /**
     * Adds the measurements of each subject in a workload; throws a {@link BenchmarkException} if subjects have read different
     * entries.
     */
    void add(final KeyMaterial material, final WorkloadType workload, final List<Measurement> measurements) {
        final Optional<Measurement> baseline = measurements.stream()
            .filter(measurement -> plan.baseline().equals(Optional.of(measurement.subject()))).findFirst();
        for (final Measurement measurement : measurements) {
            requireSameSum(workload, measurements.get(0), measurement);
            final Spread spread = measurement.spread();
            results.add(new Result(measurement.subject(), material.dataset(), workload.workloadName(),
                material.count(), plan.threads(), spread, measurement.indexBytesPerKey(), measurement.totalBytesPerKey(),
                baseline.map(base -> spread.median() / base.spread().median()),
                workload.sustained() ? Optional.empty() : roundTrips(spread), Optional.ofNullable(measurement.latency()),
                Optional.ofNullable(measurement.checksum())));
        }
    }

    private static void requireSameSum(final WorkloadType workload, final Measurement first, final Measurement other) {
        if (first.checksum() != null && other.checksum() != null && !first.checksum().equals(other.checksum())) {
            throw new BenchmarkException(first.subject() + " and " + other.subject()
                + " have read different things in workload " + workload.workloadName(), null);
        }
    }

    private Optional<Double> roundTrips(final Spread spread) {
        return roundTripNanos.map(nanos -> plan.threads() * 1e9 / spread.median() / nanos);
    }

    /** Returns all results so far. */
    List<Result> results() {
        return results;
    }
}
