/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.Result;
import io.nestling.bench.Spread;

import java.util.List;
import java.util.Optional;

/** How far each subject is from what the memory allows: the machine's model, and time per operation in DRAM round trips. */
final class MemoryLimitSection implements Section {
    private final Measurements measurements;

    MemoryLimitSection(final Measurements measurements) {
        this.measurements = measurements;
    }

    @Override
    public String id() {
        return "limit";
    }

    @Override
    public String title() {
        return "Distance from the memory\u2019s limit";
    }

    @Override
    public boolean isPresent() {
        return measurements.report().model().isPresent() || !settings().isEmpty();
    }

    @Override
    public void write(final Markup out) {
        measurements.report().model().ifPresent(model -> new MemoryModelView(model).write(out));
        if (settings().isEmpty()) {
            return;
        }
        out.element("p", "Below: time per operation in DRAM round trips, on a logarithmic axis. Bars begin at one round trip, "
            + "the upright line: a lookup whose key depends on the last answer cannot be much faster. Independent lookups "
            + "overlap in the processor and batched ones are made to, so their bars may go to the left. Small or skewed sets "
            + "live in caches and say nothing here.", "class", "muted");
        Blocks.settings(out, measurements, settings(), setting -> {
            Blocks.grid(out);
            measurements.workloads(setting).stream().filter(workload -> hasTrips(setting, workload))
                .forEach(workload -> writeChart(out, setting, workload));
            out.closeLine();
        });
    }

    private void writeChart(final Markup out, final Setting setting, final String workload) {
        final List<BarChart.Bar> bars = measurements.subjects(setting).stream()
            .map(subject -> bar(subject, measurements.find(setting, workload, subject))).toList();
        final BarChart chart = BarChart.logarithmic(bars, Quantity::tick);
        Blocks.figure(out, workload, WorkloadNotes.of(workload));
        try (Panel panel = new Panel(out, chart.height(), "DRAM round trips per operation of " + workload + ", "
                + measurements.label(setting), chart.description())) {
            chart.draw(panel);
        }
        out.closeLine();
    }

    private BarChart.Bar bar(final SubjectStyle subject, final Optional<Result> found) {
        final double trips = found.flatMap(Result::roundTrips).orElse(Double.NaN);
        if (!Quantity.isPresent(trips)) {
            return new BarChart.Bar(subject, Double.NaN, Double.NaN, Double.NaN, "", Quantity.ABSENT);
        }
        final Spread spread = found.orElseThrow().opsPerSecond();
        final double nanos = trips * MemoryModelView.roundTripNanos(measurements.report().model());
        return new BarChart.Bar(subject, trips, trips * spread.median() / spread.max(), trips * spread.median() / spread.min(),
            Quantity.isPresent(nanos) ? Quantity.nanos(nanos) : "", Quantity.number(trips));
    }

    private List<Setting> settings() {
        return measurements.settings().stream()
            .filter(setting -> measurements.workloads(setting).stream().anyMatch(workload -> hasTrips(setting, workload)))
            .toList();
    }

    private boolean hasTrips(final Setting setting, final String workload) {
        return !WorkloadNotes.countsEntries(workload) && measurements.row(setting, workload).stream()
            .anyMatch(result -> Quantity.isPresent(result.roundTrips().orElse(Double.NaN)));
    }
}
