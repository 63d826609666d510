/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import java.util.List;

/** Bytes per key to the right, speed upwards: each subject with all its memory and, hollow, with its index alone. */
final class SpaceSpeedChart {
    private static final double HEIGHT = 268;
    private static final double TOP = 22;
    private static final double BOTTOM = HEIGHT - 34;
    private static final double LEFT = 34;
    private static final double RIGHT = Panel.WIDTH - 8;
    private static final double MARK = 6;
    private static final double GAP = 4;
    private static final double MOST_LABEL = 128;
    private static final double HEADROOM = 1.12;
    private static final double WIDE = 20;
    private static final int INTERVALS = 6;

    private final List<Point> points;
    private final RateUnit unit;
    private final boolean isSteep;
    private final boolean isWide;
    private final Axis horizontal;
    private final Axis vertical;

    SpaceSpeedChart(final List<Point> points) {
        this.points = points;
        final double fastest = points.stream().mapToDouble(Point::opsPerSecond).max().orElse(0);
        unit = RateUnit.of(fastest);
        final double slowest = points.stream().mapToDouble(Point::opsPerSecond).filter(speed -> speed > 0).min().orElse(1);
        isSteep = fastest > WIDE * slowest;
        vertical = isSteep ? Axis.logarithmic(slowest / HEADROOM, fastest * HEADROOM)
            : Axis.linear(fastest * HEADROOM, INTERVALS - 1);
        final double greatest = points.stream().mapToDouble(Point::totalBytes).max().orElse(1);
        final double leastTotal = points.stream().mapToDouble(Point::totalBytes).filter(bytes -> bytes > 0).min().orElse(1);
        final double least = Math.min(leastTotal,
            points.stream().mapToDouble(Point::indexBytes).filter(bytes -> bytes > 0).min().orElse(1));
        isWide = greatest > WIDE * leastTotal;
        horizontal = isWide ? Axis.logarithmic(least / HEADROOM, greatest * HEADROOM)
            : Axis.linear(greatest * HEADROOM, INTERVALS);
    }

    /**
     * One subject.
     *
     * @param subject whose point it is
     * @param indexBytes bytes per key of the index alone; NaN if unknown
     * @param totalBytes bytes per key of all but the values
     * @param opsPerSecond its speed
     */
    record Point(SubjectStyle subject, double indexBytes, double totalBytes, double opsPerSecond) {
        boolean hasIndex() {
            return Quantity.isPresent(indexBytes) && Math.abs(totalBytes - indexBytes) > 0;
        }

        /** The point in words. */
        String note() {
            return subject.name() + " " + Quantity.rate(opsPerSecond) + ", " + Quantity.bytesPerKey(totalBytes)
                + " B/key in all, index " + Quantity.bytesPerKey(indexBytes) + " B/key";
        }
    }

    double height() {
        return HEIGHT;
    }

    /** The chart in words. */
    String description() {
        return String.join("; ", points.stream().map(Point::note).toList());
    }

    void draw(final Panel panel) {
        drawAxes(panel);
        final LabelPlacement labels = new LabelPlacement(LEFT, TOP - MARK, RIGHT + MARK, BOTTOM);
        for (final Point point : points) {
            final double x = x(point.totalBytes());
            final double y = y(point.opsPerSecond());
            labels.block(x - MARK, y - MARK, x + MARK, y + MARK);
            if (point.hasIndex()) {
                final double indexX = x(point.indexBytes());
                labels.block(Math.min(indexX, x) - MARK, y - 2, Math.max(x, indexX), y + 2);
                labels.block(indexX - MARK, y - MARK, indexX + MARK, y + MARK);
            }
        }
        for (final Point point : points) {
            drawPoint(panel, point, labels);
        }
    }

    private void drawAxes(final Panel panel) {
        panel.text(0, GAP * 2, unit.symbol() + ", up is faster" + (isSteep ? ", logarithmic" : ""), "tick");
        for (final double tick : vertical.ticks()) {
            panel.line(LEFT, y(tick), RIGHT, y(tick), "grid");
            panel.text(LEFT - GAP, y(tick), unit.tick(tick), "tick end");
        }
        horizontal.ticks().forEach(tick -> panel.line(x(tick), TOP, x(tick), BOTTOM, "grid"));
        panel.tickLabels(horizontal.ticks().stream().mapToDouble(this::x).toArray(), BOTTOM + Panel.LINE / 2 + 2,
            horizontal.ticks().stream().map(Quantity::compact).toArray(String[]::new));
        panel.text(RIGHT, BOTTOM + Panel.LINE * 2 - 2, "bytes per key, left is smaller" + (isWide ? ", logarithmic" : ""),
            "tick end");
    }

    private void drawPoint(final Panel panel, final Point point, final LabelPlacement labels) {
        final SubjectStyle subject = point.subject();
        final double x = x(point.totalBytes());
        final double y = y(point.opsPerSecond());
        final String name = Panel.fit(subject.name(), MOST_LABEL);
        final LabelPlacement.Spot spot = labels.place(x, y, Panel.textWidth(name));
        panel.group(subject.classes(), point.note());
        if (spot.isFar()) {
            panel.line(x, y, spot.nearX(x), spot.y(), "leader");
        }
        if (point.hasIndex()) {
            panel.line(x(point.indexBytes()), y, x, y, "spread");
            panel.mark(subject.shape(), subject.classes() + " hollow", x(point.indexBytes()), y);
        }
        panel.mark(subject.shape(), subject.classes(), x, y);
        panel.text(spot.x(), spot.y(), name, "lab halo");
        panel.endGroup();
    }

    private double x(final double bytes) {
        return LEFT + horizontal.position(bytes) * (RIGHT - LEFT);
    }

    private double y(final double opsPerSecond) {
        return BOTTOM - vertical.position(opsPerSecond) * (BOTTOM - TOP);
    }
}
