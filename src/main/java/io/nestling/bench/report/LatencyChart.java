/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.LatencyPercentiles;

import java.util.List;

/** One line for each subject from its median to its longest operation, with a mark at each percentile, on a logarithmic axis. */
final class LatencyChart {
    private static final double ROW = 18;
    private static final double TOP = 18;
    private static final double GAP = 6;
    private static final double MOST_LABEL = 128;
    private static final double COLUMN = 52;
    private static final double MARGIN = 1.15;
    private static final double MARK_HALF = 4;

    private final List<Row> rows;
    private final Axis axis;
    private final double left;
    private final double right;

    LatencyChart(final List<Row> rows) {
        this.rows = rows;
        final double least = rows.stream().mapToDouble(row -> row.latency().p50()).filter(nanos -> nanos > 0).min().orElse(1);
        final double greatest = rows.stream().mapToDouble(row -> row.latency().max()).max().orElse(1);
        axis = Axis.logarithmic(least / MARGIN, Math.max(greatest, least) * MARGIN);
        left = GAP + rows.stream().mapToDouble(row -> Math.min(MOST_LABEL, Panel.textWidth(row.subject().name()))).max()
            .orElse(0);
        right = Panel.WIDTH - 2 * COLUMN - GAP;
    }

    /**
     * The latencies of one subject.
     *
     * @param subject whose they are
     * @param latency its percentiles
     */
    record Row(SubjectStyle subject, LatencyPercentiles latency) {
        /** The row in words. */
        String note() {
            return subject.name() + " p50 " + Quantity.nanos(latency.p50()) + ", p90 " + Quantity.nanos(latency.p90()) + ", p99 "
                + Quantity.nanos(latency.p99()) + ", p99.9 " + Quantity.nanos(latency.p999()) + ", max "
                + Quantity.nanos(latency.max());
        }
    }

    double height() {
        return TOP + rows.size() * ROW + Panel.LINE + 2;
    }

    /** The chart in words. */
    String description() {
        return String.join("; ", rows.stream().map(Row::note).toList());
    }

    void draw(final Panel panel) {
        final double bottom = TOP + rows.size() * ROW;
        axis.ticks().forEach(tick -> panel.line(x(tick), TOP, x(tick), bottom, "grid"));
        panel.tickLabels(axis.ticks().stream().mapToDouble(this::x).toArray(), bottom + Panel.LINE / 2 + 1,
            axis.ticks().stream().map(Quantity::compactNanos).toArray(String[]::new));
        panel.text(right + GAP + COLUMN, TOP / 2, "p50", "tick end");
        panel.text(Panel.WIDTH, TOP / 2, "p99.9", "tick end");
        for (int i = 0; i < rows.size(); i++) {
            drawRow(panel, rows.get(i), TOP + i * ROW + ROW / 2);
        }
    }

    private void drawRow(final Panel panel, final Row row, final double y) {
        final SubjectStyle subject = row.subject();
        final LatencyPercentiles latency = row.latency();
        panel.group(subject.classes(), row.note());
        panel.text(left - GAP, y, Panel.fit(subject.name(), MOST_LABEL), subject.baseline() ? "lab end strong" : "lab end");
        panel.line(x(latency.p50()), y, x(latency.p999()), y, "range");
        panel.line(x(latency.p999()), y, x(latency.max()), y, "spread");
        panel.mark(Shape.CIRCLE, subject.classes(), x(latency.p50()), y);
        for (final long nanos : new long[] {latency.p90(), latency.p99(), latency.p999()}) {
            panel.line(x(nanos), y - MARK_HALF, x(nanos), y + MARK_HALF, "range");
        }
        panel.mark(Shape.CIRCLE, subject.classes() + " hollow small", x(latency.max()), y);
        panel.text(right + GAP + COLUMN, y, Quantity.nanos(latency.p50()), "val end");
        panel.text(Panel.WIDTH, y, Quantity.nanos(latency.p999()), "val end");
        panel.endGroup();
    }

    private double x(final double nanos) {
        return left + axis.position(nanos) * (right - left);
    }
}
