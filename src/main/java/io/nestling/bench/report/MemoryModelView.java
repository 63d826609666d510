/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.MachineModel;
import io.nestling.bench.MachineModel.ParallelReads;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** What the machine's memory gives: in words, as a chart of the time for K reads at once, and as a table. */
final class MemoryModelView {
    private static final int MANY = 16;
    private static final double NANOS_PER_SECOND = 1e9;

    private final MachineModel model;

    MemoryModelView(final MachineModel model) {
        this.model = model;
    }

    /** Nanoseconds of one dependent read on 2 MiB pages, the unit of all round trips; NaN if it was not measured. */
    static double roundTripNanos(final Optional<MachineModel> model) {
        return model.map(measured -> nanos(measured.hugePages(), 1)).orElse(Double.NaN);
    }

    void write(final Markup out) {
        out.element("p", facts());
        if (model.hugePages().isEmpty() && model.smallPages().isEmpty()) {
            return;
        }
        Blocks.grid(out);
        final LineChart chart = new LineChart(lines(), "ns", Quantity::tick);
        Blocks.figure(out, "Time for K reads at once", "K across, ns up");
        try (Panel panel = new Panel(out, chart.height(), "Time for K independent reads of random lines", chart.description())) {
            chart.draw(panel);
        }
        out.close();
        writeTable(out);
        out.closeLine();
    }

    private String facts() {
        final List<String> facts = new ArrayList<>();
        final double huge = nanos(model.hugePages(), 1);
        final double small = nanos(model.smallPages(), 1);
        if (Quantity.isPresent(huge)) {
            facts.add("One round trip, a dependent read of a random line of 1 GiB on 2 MiB pages, took " + Quantity.nanos(huge)
                + " in this run.");
        }
        if (Quantity.isPresent(small)) {
            facts.add("On 4 KiB pages it took " + Quantity.nanos(small)
                + (huge > 0 ? ", " + Quantity.number(small / huge) + " times as long." : "."));
        }
        final double many = nanos(model.hugePages(), MANY);
        if (Quantity.isPresent(many) && huge > 0) {
            facts.add(MANY + " independent reads together took " + Quantity.number(many / huge) + " round trips: reads side by "
                + "side are cheap, reads one after the other are not.");
        }
        if (model.linesPerSecond() > 0 && Double.isFinite(model.linesPerSecond())) {
            facts.add("At most " + Quantity.prefixed(model.linesPerSecond()) + " random lines a second came in, one in "
                + Quantity.nanos(NANOS_PER_SECOND / model.linesPerSecond()) + ".");
        }
        return facts.isEmpty() ? "The memory\u2019s model holds no numbers." : String.join(" ", facts);
    }

    private List<LineChart.Series> lines() {
        final List<LineChart.Series> lines = new ArrayList<>();
        addLine(lines, "2 MiB pages", "pages-huge", null, model.hugePages());
        addLine(lines, "4 KiB pages", "pages-small", "6 3", model.smallPages());
        return lines;
    }

    private static void addLine(final List<LineChart.Series> lines, final String name, final String classes, final String dashes,
            final List<ParallelReads> reads) {
        final List<LineChart.Point> points = reads.stream().map(step -> new LineChart.Point(step.reads(), step.nanos(),
            Double.NaN, Double.NaN, step.reads() + " reads " + Quantity.nanos(step.nanos()))).toList();
        if (!points.isEmpty()) {
            lines.add(new LineChart.Series(name, classes, dashes, Shape.CIRCLE, points));
        }
    }

    private void writeTable(final Markup out) {
        Blocks.table(out, "Time for K independent reads", "numbers narrow");
        out.open("thead").open("tr");
        Blocks.numberHeading(out, "K", "independent reads in a step");
        Blocks.numberHeading(out, "2 MiB, ns", null);
        Blocks.numberHeading(out, "round trips", "over one read on 2 MiB pages");
        Blocks.numberHeading(out, "4 KiB, ns", null);
        out.close().close().open("tbody");
        final TreeSet<Integer> steps = new TreeSet<>();
        model.hugePages().forEach(step -> steps.add(step.reads()));
        model.smallPages().forEach(step -> steps.add(step.reads()));
        for (final int reads : steps) {
            final double huge = nanos(model.hugePages(), reads);
            final double trips = huge / nanos(model.hugePages(), 1);
            out.open("tr").element("th", String.valueOf(reads), "scope", "row", "class", "num");
            Blocks.number(out, Quantity.number(huge), huge);
            Blocks.number(out, Quantity.number(trips), trips);
            Blocks.number(out, Quantity.number(nanos(model.smallPages(), reads)), nanos(model.smallPages(), reads));
            out.closeLine();
        }
        out.close();
        Blocks.endTable(out);
    }

    private static double nanos(final List<ParallelReads> steps, final int reads) {
        return steps.stream().filter(step -> step.reads() == reads).mapToDouble(ParallelReads::nanos).findFirst()
            .orElse(Double.NaN);
    }
}
