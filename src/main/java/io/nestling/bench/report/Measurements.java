/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.BenchmarkReport;
import io.nestling.bench.Result;
import io.nestling.bench.Spread;
import io.nestling.bench.SubjectDescription;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** The results of a run, found by setting, workload and subject, each list in the order of the run. */
final class Measurements {
    private final BenchmarkReport report;
    private final Map<String, SubjectStyle> subjects = new LinkedHashMap<>();
    private final Map<Setting, Set<String>> workloads = new LinkedHashMap<>();
    private final Map<Cell, Result> results = new LinkedHashMap<>();

    Measurements(final BenchmarkReport report) {
        this.report = report;
        for (final SubjectDescription subject : report.subjects()) {
            addSubject(subject.name(), subject.peer(), subject.configuration());
        }
        for (final Result result : report.results()) {
            addSubject(result.subject(), false, "");
            workloads.computeIfAbsent(Setting.of(result), setting -> new LinkedHashSet<>()).add(result.workload());
            results.putIfAbsent(new Cell(Setting.of(result), result.workload(), result.subject()), result);
        }
    }

    private record Cell(Setting setting, String workload, String subject) {
    }

    private void addSubject(final String name, final boolean peer, final String configuration) {
        final boolean isBaseline = report.baseline().filter(name::equals).isPresent();
        subjects.putIfAbsent(name, new SubjectStyle(name, subjects.size(), peer, isBaseline, configuration));
    }

    BenchmarkReport report() {
        return report;
    }

    /** All subjects, also those that the report names only in results. */
    Collection<SubjectStyle> subjects() {
        return subjects.values();
    }

    SubjectStyle subject(final String name) {
        return subjects.get(name);
    }

    List<Setting> settings() {
        return new ArrayList<>(workloads.keySet());
    }

    /** The workloads that ran in a setting. */
    List<String> workloads(final Setting setting) {
        return new ArrayList<>(workloads.getOrDefault(setting, Set.of()));
    }

    /** The workloads of all settings. */
    List<String> workloads() {
        final Set<String> all = new LinkedHashSet<>();
        workloads.values().forEach(all::addAll);
        return new ArrayList<>(all);
    }

    Optional<Result> find(final Setting setting, final String workload, final SubjectStyle subject) {
        return Optional.ofNullable(results.get(new Cell(setting, workload, subject.name())));
    }

    /** The results of one workload in one setting, in the order of the subjects. */
    List<Result> row(final Setting setting, final String workload) {
        final List<Result> row = new ArrayList<>();
        subjects.values().forEach(subject -> find(setting, workload, subject).ifPresent(row::add));
        return row;
    }

    /** The subjects that ran in a setting. */
    List<SubjectStyle> subjects(final Setting setting) {
        final List<SubjectStyle> present = new ArrayList<>();
        for (final SubjectStyle subject : subjects.values()) {
            if (workloads(setting).stream().anyMatch(workload -> find(setting, workload, subject).isPresent())) {
                present.add(subject);
            }
        }
        return present;
    }

    /** Some number of a subject in a setting, from the first workload that has it; NaN if there is none. */
    double first(final Setting setting, final SubjectStyle subject, final ToDoubleFunction<Result> number) {
        return workloads(setting).stream().map(workload -> find(setting, workload, subject)).flatMap(Optional::stream)
            .mapToDouble(number).filter(Quantity::isPresent).findFirst().orElse(Double.NaN);
    }

    /** Tells whether anything is compared with a baseline. */
    boolean hasRatios() {
        return report.results().stream().anyMatch(result -> result.ratioToBaseline().isPresent()
            && !report.baseline().equals(Optional.of(result.subject())));
    }

    /** The result of the baseline in the same setting and workload, unless that is the result itself. */
    Optional<Result> baselineOf(final Result result) {
        return report.baseline().filter(name -> !name.equals(result.subject()))
            .map(name -> results.get(new Cell(Setting.of(result), result.workload(), name)));
    }

    /** Tells whether the rounds of a result and those of the baseline overlap, so that the run shows no difference. */
    boolean overlapsBaseline(final Result result) {
        return baselineOf(result).filter(baseline -> overlap(result.opsPerSecond(), baseline.opsPerSecond())).isPresent();
    }

    private static boolean overlap(final Spread a, final Spread b) {
        return a.min() <= b.max() && b.min() <= a.max();
    }

    /** Name of a dataset for charts: the file's name without its directories, as long as that tells datasets apart. */
    String datasetLabel(final String dataset) {
        final String shortened = lastStep(dataset);
        final boolean isClear = workloads.keySet().stream().map(Setting::dataset).distinct()
            .filter(other -> lastStep(other).equals(shortened)).count() <= 1;
        return isClear ? shortened : dataset;
    }

    private static String lastStep(final String path) {
        final String name = path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
        return name.isEmpty() ? path : name;
    }

    /** Heading of a setting. */
    String label(final Setting setting) {
        return setting.label(datasetLabel(setting.dataset()));
    }
}
