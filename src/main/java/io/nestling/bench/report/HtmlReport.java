/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.BenchmarkReport;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Writes what a run found out as one HTML page that needs nothing else: styles and charts are inside, a reader without scripts
 * misses nothing but sorting and highlighting, and the page's own policy forbids it to load anything.
 * <h2>Thread safety</h2>
 * Any thread; nothing is kept between calls.
 */
public final class HtmlReport {
    private static final String TITLE = "Nestling benchmark";
    private static final String POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

    private final BenchmarkReport report;
    private final Measurements measurements;
    private final List<Section> sections;
    private final Markup out = new Markup();

    private HtmlReport(final BenchmarkReport report) {
        this.report = report;
        measurements = new Measurements(report);
        sections = Stream.of(new GlanceSection(measurements), new ReadingSection(), new ThroughputSection(measurements),
            new SpaceSection(measurements), new ScalingSection(measurements), new LatencySection(measurements),
            new MemoryLimitSection(measurements), new NumbersSection(measurements), new SubjectsSection(measurements),
            new MachineSection(report.machine())).filter(Section::isPresent).toList();
    }

    /**
     * Writes a report.
     *
     * @param report what to show; anything optional may be missing, and numbers that are not finite are shown as dashes
     * @param out where to; gets ASCII characters only
     * @throws IOException if {@code out} throws it
     */
    public static void write(final BenchmarkReport report, final Appendable out) throws IOException {
        Objects.requireNonNull(report, "report");
        out.append(new HtmlReport(report).page());
    }

    private String page() {
        out.open("html", "lang", "en");
        writeHead();
        out.open("body");
        writeBanner();
        out.open("main");
        if (report.results().isEmpty()) {
            out.element("p", "This run has no results.");
        }
        for (final Section section : sections) {
            out.open("section", "id", section.id()).element("h2", section.title());
            section.write(out);
            out.closeLine();
        }
        out.closeLine();
        out.open("script").verbatim(resource("report.js")).close();
        out.close().close();
        return out.page();
    }

    private void writeHead() {
        out.open("head").empty("meta", "charset", "utf-8");
        out.empty("meta", "http-equiv", "Content-Security-Policy", "content", POLICY);
        out.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        out.empty("meta", "name", "color-scheme", "content", "light dark");
        out.element("title", String.join(", ", headline()));
        out.open("style").verbatim(resource("report.css")).close();
        out.closeLine();
    }

    private void writeBanner() {
        out.open("header").element("h1", TITLE);
        final List<String> what = headline();
        out.element("p", String.join(" \u00b7 ", what.subList(1, what.size())), "class", "lead");
        final List<String> where = new ArrayList<>();
        MachineSection.fact(report.machine(), "date").ifPresent(where::add);
        MachineSection.fact(report.machine(), "processor").ifPresent(where::add);
        MachineSection.fact(report.machine(), "jdk").ifPresent(jdk -> where.add("JDK " + jdk));
        MachineSection.fact(report.machine(), "bridge").ifPresent(bridge -> where.add("bridge " + bridge));
        out.element("p", String.join(" \u00b7 ", where), "class", "muted");
        out.open("ul", "class", "legend");
        for (final SubjectStyle subject : measurements.subjects()) {
            out.open("li", "data-s", subject.index() < SubjectStyle.COLOURS ? "s" + subject.index() : null);
            Blocks.subject(out, subject);
            out.element("small", (subject.peer() ? " peer" : "") + (subject.baseline() ? " (baseline)" : "")).close();
        }
        out.closeLine();
        out.open("nav", "aria-label", "Sections");
        sections.forEach(section -> out.element("a", section.title(), "href", "#" + section.id()).text(" "));
        out.close().closeLine();
    }

    private List<String> headline() {
        final List<String> parts = new ArrayList<>(List.of(TITLE));
        measurements.settings().stream().map(Setting::dataset).map(measurements::datasetLabel).distinct().forEach(parts::add);
        measurements.settings().stream().mapToInt(Setting::keys).distinct().sorted()
            .forEach(keys -> parts.add(Quantity.counted(keys, "key")));
        report.baseline().ifPresent(baseline -> parts.add("baseline " + baseline));
        return parts;
    }

    private static String resource(final String name) {
        try (InputStream in = Objects.requireNonNull(HtmlReport.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }
}
