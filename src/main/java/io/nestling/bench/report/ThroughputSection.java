/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.Result;
import io.nestling.bench.Spread;

import java.util.List;
import java.util.Optional;

/** A bar chart for each workload, for each setting. */
final class ThroughputSection implements Section {
    private final Measurements measurements;

    ThroughputSection(final Measurements measurements) {
        this.measurements = measurements;
    }

    @Override
    public String id() {
        return "throughput";
    }

    @Override
    public String title() {
        return "Throughput by workload";
    }

    @Override
    public boolean isPresent() {
        return !measurements.settings().isEmpty();
    }

    @Override
    public void write(final Markup out) {
        out.element("p", "Bars: median of the rounds. Whiskers: slowest to fastest round. Pale bars with an outline are peers."
            + (measurements.hasRatios() ? " On the right: times the baseline." : ""), "class", "muted");
        Blocks.settings(out, measurements, measurements.settings(), setting -> {
            Blocks.grid(out);
            measurements.workloads(setting).forEach(workload -> writeChart(out, setting, workload));
            out.closeLine();
        });
    }

    private void writeChart(final Markup out, final Setting setting, final String workload) {
        final RateUnit unit = RateUnit.of(measurements.row(setting, workload).stream()
            .mapToDouble(result -> result.opsPerSecond().median()).filter(Quantity::isPresent).max().orElse(0));
        final List<BarChart.Bar> bars = measurements.subjects(setting).stream()
            .map(subject -> bar(subject, measurements.find(setting, workload, subject), unit)).toList();
        final BarChart chart = BarChart.linear(bars, unit::tick);
        Blocks.figure(out, workload, WorkloadNotes.withUnit(workload, unit));
        try (Panel panel = new Panel(out, chart.height(), "Throughput of " + workload + ", " + measurements.label(setting),
                chart.description())) {
            chart.draw(panel);
        }
        out.closeLine();
    }

    private BarChart.Bar bar(final SubjectStyle subject, final Optional<Result> found, final RateUnit unit) {
        if (found.isEmpty()) {
            return new BarChart.Bar(subject, Double.NaN, Double.NaN, Double.NaN, Quantity.ABSENT, "");
        }
        final Result result = found.get();
        final Spread spread = result.opsPerSecond();
        return new BarChart.Bar(subject, spread.median(), spread.min(), spread.max(), unit.format(spread.median()),
            extra(result, subject));
    }

    private String extra(final Result result, final SubjectStyle subject) {
        if (subject.baseline()) {
            return measurements.hasRatios() ? "base" : "";
        }
        return result.ratioToBaseline()
            .map(ratio -> (measurements.overlapsBaseline(result) ? "\u2248" : "") + Quantity.ratio(ratio)).orElse("");
    }
}
