/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.Result;

import java.util.List;
import java.util.Optional;

/** Subjects down, workloads across: the ratio to the baseline and the median throughput, and the memory of each subject. */
final class GlanceSection implements Section {
    private static final double[] STEPS = {1.1, 1.5, 3};

    private final Measurements measurements;

    GlanceSection(final Measurements measurements) {
        this.measurements = measurements;
    }

    @Override
    public String id() {
        return "glance";
    }

    @Override
    public String title() {
        return "At a glance";
    }

    @Override
    public boolean isPresent() {
        return !measurements.settings().isEmpty();
    }

    @Override
    public void write(final Markup out) {
        out.open("p", "class", "muted");
        measurements.report().baseline().filter(baseline -> measurements.hasRatios()).ifPresentOrElse(
            baseline -> out.text("Large: times the throughput of ").element("b", baseline).text(" in the same run. Small: "
                + "median. \u2248: the rounds of both overlap, so read no difference."),
            () -> out.text("Median throughput; nothing was compared with a baseline."));
        out.closeLine();
        Blocks.settings(out, measurements, measurements.settings(), setting -> writeTable(out, setting));
    }

    private void writeTable(final Markup out, final Setting setting) {
        final List<String> workloads = measurements.workloads(setting);
        final RateUnit unit = RateUnit.of(workloads.stream().flatMap(workload -> measurements.row(setting, workload).stream())
            .mapToDouble(result -> result.opsPerSecond().median()).filter(Quantity::isPresent).max().orElse(0));
        Blocks.table(out, "Throughput and memory, " + measurements.label(setting), "glance");
        out.open("thead").open("tr").element("th", unit.symbol(), "scope", "col");
        workloads.forEach(workload -> Blocks.numberHeading(out, workload, WorkloadNotes.of(workload)));
        Blocks.numberHeading(out, "B/key", "bytes per key: index and keys without values; below, the index without keys");
        out.close().close().open("tbody");
        for (final SubjectStyle subject : measurements.subjects(setting)) {
            out.open("tr").open("th", "scope", "row");
            Blocks.subject(out, subject);
            out.close();
            workloads.forEach(workload -> writeCell(out, measurements.find(setting, workload, subject), unit));
            writeMemory(out, setting, subject);
            out.closeLine();
        }
        out.close();
        Blocks.endTable(out);
    }

    private void writeCell(final Markup out, final Optional<Result> found, final RateUnit unit) {
        if (found.isEmpty()) {
            out.element("td", Quantity.ABSENT, "class", "num muted");
            return;
        }
        final Result result = found.get();
        final String rate = unit.format(result.opsPerSecond().median());
        if (result.ratioToBaseline().isEmpty() || !measurements.hasRatios()) {
            out.open("td", "class", "num").element("b", rate).close();
            return;
        }
        final double ratio = result.ratioToBaseline().get();
        final boolean overlaps = measurements.overlapsBaseline(result);
        out.open("td", "class", "num " + (overlaps ? "" : shade(ratio)));
        out.element("b", (overlaps ? "\u2248" : "") + Quantity.ratio(ratio)).element("small", rate).close();
    }

    private void writeMemory(final Markup out, final Setting setting, final SubjectStyle subject) {
        out.open("td", "class", "num");
        out.element("b", Quantity.bytesPerKey(measurements.first(setting, subject, Result::totalBytesPerKey)));
        out.element("small", "index " + Quantity.bytesPerKey(measurements.first(setting, subject, Result::indexBytesPerKey)));
        out.close();
    }

    /* Stronger the further from 1; faster and slower differ in colour and in their numbers. */
    private static String shade(final double ratio) {
        final double distance = ratio >= 1 ? ratio : 1 / ratio;
        int strength = 0;
        while (strength < STEPS.length && distance >= STEPS[strength]) {
            strength++;
        }
        return strength == 0 ? "" : (ratio >= 1 ? "faster" : "slower") + strength;
    }
}
