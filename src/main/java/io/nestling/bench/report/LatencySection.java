/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.Result;

import java.util.List;
import java.util.function.ToLongFunction;

/** How long single operations took, as charts and as a table. */
final class LatencySection implements Section {
    private final Measurements measurements;

    LatencySection(final Measurements measurements) {
        this.measurements = measurements;
    }

    @Override
    public String id() {
        return "latency";
    }

    @Override
    public String title() {
        return "Latency of single operations";
    }

    @Override
    public boolean isPresent() {
        return !settings().isEmpty();
    }

    @Override
    public void write(final Markup out) {
        out.element("p", "Dot: median. Strokes: 90th, 99th and 99.9th percentile. Ring: longest. Logarithmic. From a pass of its "
            + "own that times each operation; the clock\u2019s cost is in the numbers.", "class", "muted");
        Blocks.settings(out, measurements, settings(), setting -> {
            Blocks.grid(out);
            measurements.workloads(setting).stream().filter(workload -> !rows(setting, workload).isEmpty())
                .forEach(workload -> writeChart(out, setting, workload));
            out.closeLine();
            out.open("details").open("summary").text("All percentiles").close();
            writeTable(out, setting);
            out.closeLine();
        });
    }

    private void writeChart(final Markup out, final Setting setting, final String workload) {
        final LatencyChart chart = new LatencyChart(rows(setting, workload));
        Blocks.figure(out, workload, WorkloadNotes.of(workload));
        try (Panel panel = new Panel(out, chart.height(), "Latency of " + workload + ", " + measurements.label(setting),
                chart.description())) {
            chart.draw(panel);
        }
        out.closeLine();
    }

    private void writeTable(final Markup out, final Setting setting) {
        Blocks.table(out, "Latency percentiles, " + measurements.label(setting), "numbers sortable");
        out.open("thead").open("tr").element("th", "subject", "scope", "col").element("th", "workload", "scope", "col");
        for (final String percentile : List.of("p50", "p90", "p99", "p99.9", "max")) {
            Blocks.numberHeading(out, percentile + ", ns", null);
        }
        out.close().close().open("tbody");
        for (final String workload : measurements.workloads(setting)) {
            for (final LatencyChart.Row row : rows(setting, workload)) {
                out.open("tr").open("th", "scope", "row");
                Blocks.subject(out, row.subject());
                out.close().element("td", workload);
                number(out, row, chosen -> chosen.latency().p50());
                number(out, row, chosen -> chosen.latency().p90());
                number(out, row, chosen -> chosen.latency().p99());
                number(out, row, chosen -> chosen.latency().p999());
                number(out, row, chosen -> chosen.latency().max());
                out.closeLine();
            }
        }
        out.close();
        Blocks.endTable(out);
    }

    private static void number(final Markup out, final LatencyChart.Row row, final ToLongFunction<LatencyChart.Row> percentile) {
        final long nanos = percentile.applyAsLong(row);
        Blocks.number(out, Quantity.exact(nanos), nanos);
    }

    private List<Setting> settings() {
        return measurements.settings().stream().filter(setting -> measurements.workloads(setting).stream()
            .anyMatch(workload -> !rows(setting, workload).isEmpty())).toList();
    }

    private List<LatencyChart.Row> rows(final Setting setting, final String workload) {
        return measurements.row(setting, workload).stream().filter(result -> result.latency().isPresent())
            .map(this::row).toList();
    }

    private LatencyChart.Row row(final Result result) {
        return new LatencyChart.Row(measurements.subject(result.subject()), result.latency().get());
    }
}
