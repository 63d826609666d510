/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.Result;
import io.nestling.bench.Spread;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Throughput over the number of keys, and over the number of threads, where a run has more than one of them. */
final class ScalingSection implements Section {
    private final Measurements measurements;
    private final List<Sweep> sweeps = new ArrayList<>();

    ScalingSection(final Measurements measurements) {
        this.measurements = measurements;
        collect(true);
        collect(false);
    }

    /* One chart: settings of one dataset that differ in the number of keys alone, or of threads alone. */
    private record Sweep(boolean byKeys, String heading, String workload, List<Setting> settings) {
    }

    @Override
    public String id() {
        return "scaling";
    }

    @Override
    public String title() {
        return "Scaling";
    }

    @Override
    public boolean isPresent() {
        return !sweeps.isEmpty();
    }

    @Override
    public void write(final Markup out) {
        String heading = "";
        for (final Sweep sweep : sweeps) {
            if (!sweep.heading().equals(heading)) {
                if (!heading.isEmpty()) {
                    out.closeLine();
                }
                heading = sweep.heading();
                out.element("h3", heading);
                Blocks.grid(out);
            }
            writeChart(out, sweep);
        }
        out.closeLine();
    }

    private void collect(final boolean byKeys) {
        final Map<String, List<Setting>> families = new LinkedHashMap<>();
        for (final Setting setting : measurements.settings()) {
            final String fixed = byKeys ? Quantity.counted(setting.threads(), "thread") : Quantity.counted(setting.keys(), "key");
            final String heading = "By number of " + (byKeys ? "keys" : "threads") + ": "
                + measurements.datasetLabel(setting.dataset()) + " \u00b7 " + fixed;
            families.computeIfAbsent(heading, key -> new ArrayList<>()).add(setting);
        }
        families.forEach((heading, family) -> {
            family.sort(Comparator.comparingInt(setting -> byKeys ? setting.keys() : setting.threads()));
            for (final String workload : measurements.workloads()) {
                final List<Setting> ran = family.stream()
                    .filter(setting -> measurements.workloads(setting).contains(workload)).toList();
                if (ran.size() > 1) {
                    sweeps.add(new Sweep(byKeys, heading, workload, ran));
                }
            }
        });
    }

    private void writeChart(final Markup out, final Sweep sweep) {
        final List<LineChart.Series> lines = new ArrayList<>();
        for (final SubjectStyle subject : measurements.subjects()) {
            final List<LineChart.Point> points = points(sweep, subject);
            if (!points.isEmpty()) {
                lines.add(new LineChart.Series(subject.name(), subject.classes(), subject.dashes(), subject.shape(), points));
            }
        }
        final RateUnit unit = RateUnit.of(lines.stream().flatMap(line -> line.points().stream()).mapToDouble(LineChart.Point::y)
            .filter(Quantity::isPresent).max().orElse(0));
        final LineChart chart = new LineChart(lines, unit.symbol(), unit::tick);
        Blocks.figure(out, sweep.workload(), WorkloadNotes.of(sweep.workload()));
        try (Panel panel = new Panel(out, chart.height(), sweep.workload() + ". " + sweep.heading(), chart.description())) {
            chart.draw(panel);
        }
        out.closeLine();
    }

    private List<LineChart.Point> points(final Sweep sweep, final SubjectStyle subject) {
        final List<LineChart.Point> points = new ArrayList<>();
        for (final Setting setting : sweep.settings()) {
            final int size = sweep.byKeys() ? setting.keys() : setting.threads();
            measurements.find(setting, sweep.workload(), subject).map(Result::opsPerSecond)
                .ifPresent(spread -> points.add(point(size, spread, sweep.byKeys())));
        }
        return points;
    }

    private static LineChart.Point point(final int size, final Spread spread, final boolean byKeys) {
        final String note = Quantity.counted(size, byKeys ? "key" : "thread") + " " + Quantity.rate(spread.median());
        return new LineChart.Point(size, spread.median(), spread.min(), spread.max(), note);
    }
}
