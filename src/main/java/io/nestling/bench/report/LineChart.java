/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleFunction;

/** Lines over a logarithmic axis of sizes, each with its name at its right end. */
final class LineChart {
    private static final double HEIGHT = 220;
    private static final double TOP = 22;
    private static final double BOTTOM = HEIGHT - 20;
    private static final double LEFT = 34;
    private static final double GAP = 8;
    private static final double LABEL_STEP = 12.5;
    private static final double TICK_ROOM = 30;
    private static final double MOST_LABEL = 120;
    private static final double CAP = 2;
    private static final double INSET = 10;
    private static final double WIDE = 20;
    private static final double MARGIN = 1.1;
    private static final double LONGEST_WHISKER = 1.3;
    private static final int INTERVALS = 4;

    private final List<Series> series;
    private final Axis horizontal;
    private final Axis vertical;
    private final String unit;
    private final DoubleFunction<String> verticalText;
    private final boolean isSteep;
    private final double right;

    /**
     * A chart to draw.
     *
     * @param series the lines
     * @param unit what the vertical axis counts
     * @param verticalText text of its ticks
     */
    LineChart(final List<Series> series, final String unit, final DoubleFunction<String> verticalText) {
        this.series = series;
        this.unit = unit;
        this.verticalText = verticalText;
        final List<Double> sizes = series.stream().flatMap(line -> line.points().stream()).map(Point::x).distinct()
            .sorted().toList();
        final double greatest = series.stream().flatMap(line -> line.points().stream()).mapToDouble(Point::y)
            .filter(Quantity::isPresent).max().orElse(0);
        horizontal = Axis.logarithmic(sizes.isEmpty() ? 1 : sizes.get(0), sizes.isEmpty() ? 1 : sizes.get(sizes.size() - 1))
            .withTicks(sizes);
        final double whiskers = series.stream().flatMap(line -> line.points().stream()).mapToDouble(Point::max)
            .filter(Quantity::isPresent).max().orElse(0);
        final double end = Math.max(greatest, Math.min(whiskers, greatest * LONGEST_WHISKER));
        final double least = series.stream().flatMap(line -> line.points().stream()).mapToDouble(Point::y)
            .filter(value -> value > 0).min().orElse(1);
        isSteep = greatest > WIDE * least;
        vertical = isSteep ? Axis.logarithmic(least / MARGIN, end * MARGIN) : Axis.linear(end, INTERVALS);
        right = Panel.WIDTH - GAP * 2
            - series.stream().mapToDouble(line -> Math.min(MOST_LABEL, Panel.textWidth(line.name()))).max().orElse(0);
    }

    /**
     * A point of a line.
     *
     * @param x size
     * @param y value
     * @param min least value of the rounds
     * @param max greatest value of the rounds
     * @param note the point in words
     */
    record Point(double x, double y, double min, double max, String note) {
    }

    /**
     * A line.
     *
     * @param name its label
     * @param classes its style
     * @param dashes its dashes, null for none
     * @param shape mark at its points
     * @param points its points by ascending size
     */
    record Series(String name, String classes, String dashes, Shape shape, List<Point> points) {
    }

    private record EndLabel(Series series, double fromX, double fromY) {
    }

    double height() {
        return HEIGHT;
    }

    /** The chart in words. */
    String description() {
        return String.join("; ", series.stream()
            .map(line -> line.name() + ": " + String.join(", ", line.points().stream().map(Point::note).toList())).toList());
    }

    void draw(final Panel panel) {
        drawAxes(panel);
        final List<EndLabel> labels = new ArrayList<>();
        for (final Series line : series) {
            final List<Point> drawn = line.points().stream().filter(point -> Quantity.isPresent(point.y())).toList();
            if (!drawn.isEmpty()) {
                drawLine(panel, line, drawn);
                final Point last = drawn.get(drawn.size() - 1);
                labels.add(new EndLabel(line, x(last.x()), y(last.y())));
            }
        }
        drawLabels(panel, labels);
    }

    private void drawAxes(final Panel panel) {
        panel.text(0, GAP, isSteep ? unit + ", logarithmic" : unit, "tick");
        for (final double tick : vertical.ticks()) {
            panel.line(LEFT, y(tick), right, y(tick), "grid");
            panel.text(LEFT - GAP / 2, y(tick), verticalText.apply(tick), "tick end");
        }
        double lastLabel = -TICK_ROOM;
        for (final double tick : horizontal.ticks()) {
            panel.line(x(tick), TOP, x(tick), BOTTOM, "grid");
            if (x(tick) - lastLabel >= TICK_ROOM) {
                panel.text(x(tick), BOTTOM + Panel.LINE / 2 + 2, Quantity.count((long) tick), "tick mid");
                lastLabel = x(tick);
            }
        }
    }

    private void drawLine(final Panel panel, final Series line, final List<Point> points) {
        final StringBuilder path = new StringBuilder();
        for (final Point point : points) {
            path.append(path.length() == 0 ? "M" : " L").append(Panel.number(x(point.x()))).append(',')
                .append(Panel.number(y(point.y())));
        }
        panel.group(line.classes(), line.name());
        panel.path(path.toString(), "line", line.dashes());
        for (final Point point : points) {
            if (Quantity.isPresent(point.min()) && Quantity.isPresent(point.max()) && point.max() > point.min()) {
                panel.line(x(point.x()), y(point.min()), x(point.x()), y(point.max()), "spread");
                panel.line(x(point.x()) - CAP, y(point.min()), x(point.x()) + CAP, y(point.min()), "spread");
                panel.line(x(point.x()) - CAP, y(point.max()), x(point.x()) + CAP, y(point.max()), "spread");
            }
            panel.group(line.classes(), line.name() + " " + point.note());
            panel.mark(line.shape(), line.classes(), x(point.x()), y(point.y()));
            panel.endGroup();
        }
        panel.endGroup();
    }

    /* Labels keep the order of the ends of the lines and are pushed apart, first downwards, then up from the bottom. */
    private void drawLabels(final Panel panel, final List<EndLabel> labels) {
        labels.sort(Comparator.comparingDouble(EndLabel::fromY));
        final double[] ys = labels.stream().mapToDouble(EndLabel::fromY).toArray();
        for (int i = 1; i < ys.length; i++) {
            ys[i] = Math.max(ys[i], ys[i - 1] + LABEL_STEP);
        }
        double limit = BOTTOM + 2;
        for (int i = ys.length - 1; i >= 0; i--) {
            ys[i] = Math.min(ys[i], limit);
            limit = ys[i] - LABEL_STEP;
        }
        for (int i = 0; i < ys.length; i++) {
            final EndLabel label = labels.get(i);
            panel.group(label.series().classes(), label.series().name());
            panel.line(label.fromX() + GAP * 0.75, label.fromY(), right + GAP, ys[i], "leader");
            panel.text(right + GAP + 2, ys[i], Panel.fit(label.series().name(), MOST_LABEL), "lab");
            panel.endGroup();
        }
    }

    private double x(final double value) {
        return LEFT + INSET + horizontal.position(value) * (right - LEFT - 2 * INSET);
    }

    private double y(final double value) {
        return BOTTOM - vertical.position(value) * (BOTTOM - TOP);
    }
}
