/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.Result;
import io.nestling.bench.Spread;

import java.util.List;

/** Every result of the run as a row. */
final class NumbersSection implements Section {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Measurements measurements;

    NumbersSection(final Measurements measurements) {
        this.measurements = measurements;
    }

    @Override
    public String id() {
        return "numbers";
    }

    @Override
    public String title() {
        return "All numbers";
    }

    @Override
    public boolean isPresent() {
        return !measurements.report().results().isEmpty();
    }

    @Override
    public void write(final Markup out) {
        final RateUnit unit = RateUnit.of(measurements.report().results().stream()
            .mapToDouble(result -> result.opsPerSecond().median()).filter(Quantity::isPresent).max().orElse(0));
        Blocks.table(out, "All results", "numbers sortable");
        writeHead(out, unit);
        out.open("tbody");
        measurements.report().results().forEach(result -> writeRow(out, result, unit));
        out.close();
        Blocks.endTable(out);
    }

    private static void writeHead(final Markup out, final RateUnit unit) {
        out.open("thead").open("tr");
        List.of("subject", "workload", "dataset").forEach(name -> out.element("th", name, "scope", "col"));
        Blocks.numberHeading(out, "keys", "keys loaded");
        Blocks.numberHeading(out, "threads", "threads that worked");
        Blocks.numberHeading(out, unit.symbol(), "median of the rounds; entries of scans, keys of loads and batches");
        Blocks.numberHeading(out, "min", "slowest round");
        Blocks.numberHeading(out, "max", "fastest round");
        Blocks.numberHeading(out, "ratio", "median over that of the baseline; \u2248: rounds of both overlap");
        Blocks.numberHeading(out, "ns/op", "time of one thread for one operation");
        Blocks.numberHeading(out, "round trips", "time per operation in dependent reads on 2 MiB pages");
        Blocks.numberHeading(out, "index B/key", "memory without keys and values");
        Blocks.numberHeading(out, "total B/key", "memory without values");
        out.element("th", "checksum", "scope", "col", "title", "of everything read; equal for all subjects");
        out.close().closeLine();
    }

    private void writeRow(final Markup out, final Result result, final RateUnit unit) {
        final Spread spread = result.opsPerSecond();
        out.open("tr").open("th", "scope", "row");
        Blocks.subject(out, measurements.subject(result.subject()));
        out.close().element("td", result.workload());
        out.element("td", measurements.datasetLabel(result.dataset()), "class", "dataset", "title", result.dataset());
        Blocks.number(out, Quantity.exact(result.keys()), result.keys());
        Blocks.number(out, Quantity.exact(result.threads()), result.threads());
        out.open("td", "class", "num", "data-v", raw(spread.median())).element("b", unit.format(spread.median())).close();
        Blocks.number(out, unit.format(spread.min()), spread.min());
        Blocks.number(out, unit.format(spread.max()), spread.max());
        final double ratio = result.ratioToBaseline().orElse(Double.NaN);
        Blocks.number(out, (measurements.overlapsBaseline(result) ? "\u2248" : "") + Quantity.ratio(ratio), ratio);
        final double nanos = NANOS_PER_SECOND * result.threads() / spread.median();
        Blocks.number(out, Quantity.number(nanos), nanos);
        final double trips = result.roundTrips().orElse(Double.NaN);
        Blocks.number(out, Quantity.number(trips), trips);
        Blocks.number(out, Quantity.bytesPerKey(result.indexBytesPerKey()), result.indexBytesPerKey());
        Blocks.number(out, Quantity.bytesPerKey(result.totalBytesPerKey()), result.totalBytesPerKey());
        out.open("td").element("code", Long.toHexString(result.checksum())).close().closeLine();
    }

    private static String raw(final double value) {
        return Double.isFinite(value) ? Double.toString(value) : null;
    }
}
