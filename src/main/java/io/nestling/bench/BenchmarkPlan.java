/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.workload.Dataset;
import io.nestling.workload.RequestDistribution;

import java.util.List;
import java.util.Optional;

/**
 * Configuration of a run.
 *
 * @param subjects the subjects in this order; at least one
 * @param baseline name of the subject that ratios refer to; empty for none
 * @param datasets sources of the keys
 * @param keyCounts numbers of keys, each measured separately
 * @param workloads the workloads, which run in the order of {@link WorkloadType}
 * @param distribution distribution of the requested keys, for workloads without their own
 * @param threads number of threads
 * @param rounds greatest number of measured rounds
 * @param nanos time that the run should take; loads take what they need
 * @param model whether to measure the model of the memory
 * @param command the user's command, for the report
 */
public record BenchmarkPlan(
    List<SubjectFactory> subjects, Optional<String> baseline, List<Dataset> datasets, List<Integer> keyCounts,
    List<WorkloadType> workloads, RequestDistribution distribution, int threads, int rounds, long nanos, boolean model,
    String command) {
    private static final int MAX_THREADS = 1024;

    /**
     * Checks that the parts fit together.
     *
     * @throws IllegalArgumentException if not; the message is for users
     */
    public BenchmarkPlan {
        subjects = List.copyOf(subjects);
        datasets = List.copyOf(datasets);
        keyCounts = List.copyOf(keyCounts);
        workloads = WorkloadType.inOrder(workloads);
        require(!subjects.isEmpty() && !datasets.isEmpty() && !keyCounts.isEmpty() && !workloads.isEmpty(), "nothing to measure");
        require(threads >= 1, "--threads " + threads + " is less than 1");
        require(threads <= MAX_THREADS, "--threads " + threads + " is more than " + MAX_THREADS);
        require(rounds >= 1, "--rounds " + rounds + " is less than 1");
        for (final int count : keyCounts) {
            require(count >= 1, "--keys " + count + " is less than 1");
        }
        final String names = Subjects.namesOf(subjects);
        require(subjects.stream().map(SubjectFactory::subjectName).distinct().count() == subjects.size(),
            "a subject is named twice: " + names);
        require(baseline.isEmpty() || subjects.stream().anyMatch(subject -> subject.subjectName().equals(baseline.get())),
            "the baseline '" + baseline.orElse("") + "' is not among the subjects: " + names);
        for (final WorkloadType workload : workloads) {
            require(!workload.ordered() || subjects.stream().anyMatch(SubjectFactory::ordered),
                "workload " + workload.workloadName() + " needs an index in key order, none of these is: " + names);
        }
    }

    private static void require(final boolean condition, final String problem) {
        if (!condition) {
            throw new IllegalArgumentException(problem);
        }
    }
}
