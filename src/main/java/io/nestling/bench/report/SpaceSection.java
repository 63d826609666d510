/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.Result;

import java.util.ArrayList;
import java.util.List;

/** Memory against speed, for the workloads that tell most. */
final class SpaceSection implements Section {
    private final Measurements measurements;

    SpaceSection(final Measurements measurements) {
        this.measurements = measurements;
    }

    @Override
    public String id() {
        return "space";
    }

    @Override
    public String title() {
        return "Bytes per key against speed";
    }

    @Override
    public boolean isPresent() {
        return !settings().isEmpty();
    }

    @Override
    public void write(final Markup out) {
        out.element("p", "Full marks: index and keys, without values; subjects can be compared only there. Hollow marks: the "
            + "index alone, without keys; a subject that spells keys in its index has no such part, and both marks coincide.",
            "class", "muted");
        Blocks.settings(out, measurements, settings(), setting -> {
            Blocks.grid(out);
            for (final String workload : WorkloadNotes.telling(measurements.workloads(setting))) {
                final List<SpaceSpeedChart.Point> points = points(setting, workload);
                if (!points.isEmpty()) {
                    writeChart(out, setting, workload, points);
                }
            }
            out.closeLine();
        });
    }

    private void writeChart(final Markup out, final Setting setting, final String workload,
            final List<SpaceSpeedChart.Point> points) {
        final SpaceSpeedChart chart = new SpaceSpeedChart(points);
        Blocks.figure(out, workload, WorkloadNotes.of(workload));
        try (Panel panel = new Panel(out, chart.height(), "Bytes per key against throughput of " + workload + ", "
                + measurements.label(setting), chart.description())) {
            chart.draw(panel);
        }
        out.closeLine();
    }

    private List<Setting> settings() {
        return measurements.settings().stream().filter(setting -> WorkloadNotes.telling(measurements.workloads(setting)).stream()
            .anyMatch(workload -> !points(setting, workload).isEmpty())).toList();
    }

    private List<SpaceSpeedChart.Point> points(final Setting setting, final String workload) {
        final List<SpaceSpeedChart.Point> points = new ArrayList<>();
        for (final Result result : measurements.row(setting, workload)) {
            final double total = result.totalBytesPerKey();
            final double speed = result.opsPerSecond().median();
            if (Quantity.isPresent(total) && Quantity.isPresent(speed)) {
                final SubjectStyle subject = measurements.subject(result.subject());
                points.add(new SpaceSpeedChart.Point(subject, result.indexBytesPerKey(), total, speed));
            }
        }
        return points;
    }
}
