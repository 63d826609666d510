/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import java.util.List;
import java.util.function.DoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** One bar for each subject with its name on the left, a whisker from least to greatest round, and the numbers on the right. */
final class BarChart {
    private static final double ROW = 17;
    private static final double BAR = 10;
    private static final double TOP = 3;
    private static final double CAP = 2.5;
    private static final double GAP = 6;
    private static final double MOST_LABEL = 128;
    private static final double VALUE_WIDTH = 46;
    private static final double EXTRA_WIDTH = 50;
    private static final double LONGEST_WHISKER = 1.6;
    private static final double NARROWEST = 40;
    private static final double LEAST_END = 2;
    private static final double MARGIN = 1.1;
    private static final int INTERVALS = 5;

    private final List<Bar> bars;
    private final DoubleFunction<String> tickText;
    private final double origin;
    private final Axis axis;
    private final double left;
    private final double right;
    private final double extraLeft;

    private BarChart(final List<Bar> bars, final double origin, final Axis axis, final DoubleFunction<String> tickText) {
        this.bars = bars;
        this.tickText = tickText;
        this.origin = origin;
        this.axis = axis;
        left = GAP + bars.stream().mapToDouble(bar -> Math.min(MOST_LABEL, Panel.textWidth(bar.subject().name()))).max()
            .orElse(0);
        final double extraWidth = width(bars.stream().map(Bar::extra), EXTRA_WIDTH);
        extraLeft = Panel.WIDTH - extraWidth;
        right = Math.max(left + NARROWEST, extraLeft - width(bars.stream().map(Bar::label), VALUE_WIDTH));
    }

    /**
     * Bars from zero.
     *
     * @param bars the bars from top to bottom
     * @param tickText text of a tick
     */
    static BarChart linear(final List<Bar> bars, final DoubleFunction<String> tickText) {
        final double greatest = greatest(bars.stream().mapToDouble(Bar::value));
        final double whiskers = Math.min(greatest(bars.stream().mapToDouble(Bar::max)), greatest * LONGEST_WHISKER);
        return new BarChart(bars, 0, Axis.linear(Math.max(greatest, whiskers), INTERVALS), tickText);
    }

    /**
     * Bars from one, to the right for what is more and to the left for what is less.
     *
     * @param bars the bars from top to bottom
     * @param tickText text of a tick
     */
    static BarChart logarithmic(final List<Bar> bars, final DoubleFunction<String> tickText) {
        final double least = bars.stream().mapToDouble(Bar::value).filter(value -> value > 0).min().orElse(1);
        final double greatest = Math.max(greatest(bars.stream().mapToDouble(Bar::value)), LEAST_END);
        return new BarChart(bars, 1, Axis.logarithmic(Math.min(least, 1) / MARGIN, greatest * MARGIN), tickText);
    }

    /* Room for a column of texts; none if all are empty. */
    private static double width(final Stream<String> texts, final double least) {
        final double widest = texts.mapToDouble(Panel::textWidth).max().orElse(0);
        return widest == 0 ? 0 : Math.max(least, widest + 2 * GAP);
    }

    private static double greatest(final DoubleStream values) {
        return values.filter(Quantity::isPresent).max().orElse(0);
    }

    /**
     * One bar.
     *
     * @param subject whose it is
     * @param value its length; not drawn unless it is a number
     * @param min beginning of the whisker
     * @param max end of the whisker
     * @param label the value as text
     * @param extra another text behind it, may be empty
     */
    record Bar(SubjectStyle subject, double value, double min, double max, String label, String extra) {
        /** The bar in words. */
        String note() {
            return String.join(" ", Stream.of(subject.name(), label, extra).filter(text -> !text.isEmpty()).toList());
        }
    }

    double height() {
        return TOP + bars.size() * ROW + Panel.LINE + 2;
    }

    /** The chart in words. */
    String description() {
        return String.join("; ", bars.stream().map(Bar::note).toList());
    }

    void draw(final Panel panel) {
        final double bottom = TOP + bars.size() * ROW;
        axis.ticks().forEach(tick -> panel.line(x(tick), TOP, x(tick), bottom, "grid"));
        panel.tickLabels(axis.ticks().stream().mapToDouble(this::x).toArray(), bottom + Panel.LINE / 2 + 1,
            axis.ticks().stream().map(tickText::apply).toArray(String[]::new));
        if (origin > 0) {
            panel.line(x(origin), TOP, x(origin), bottom, "reference");
        }
        for (int i = 0; i < bars.size(); i++) {
            drawBar(panel, bars.get(i), TOP + i * ROW + ROW / 2);
        }
    }

    private void drawBar(final Panel panel, final Bar bar, final double y) {
        final SubjectStyle subject = bar.subject();
        panel.group(subject.classes(), bar.note());
        panel.text(left - GAP, y, Panel.fit(subject.name(), MOST_LABEL), subject.baseline() ? "lab end strong" : "lab end");
        if (Quantity.isPresent(bar.value())) {
            final double from = Math.min(x(origin), x(bar.value()));
            final double to = Math.max(x(origin), x(bar.value()));
            panel.rectangle(from, y - BAR / 2, Math.max(1, to - from), BAR, "bar");
        }
        if (Quantity.isPresent(bar.min()) && Quantity.isPresent(bar.max()) && bar.max() > bar.min()) {
            panel.line(x(bar.min()), y, x(bar.max()), y, "whisker");
            panel.line(x(bar.min()), y - CAP, x(bar.min()), y + CAP, "whisker");
            if (bar.max() <= axis.end()) {
                panel.line(x(bar.max()), y - CAP, x(bar.max()), y + CAP, "whisker");
            }
        }
        panel.text(extraLeft, y, bar.label(), "val end");
        if (!bar.extra().isEmpty()) {
            panel.text(Panel.WIDTH, y, bar.extra(), "val end strong");
        }
        panel.endGroup();
    }

    private double x(final double value) {
        return left + axis.position(value) * (right - left);
    }
}
