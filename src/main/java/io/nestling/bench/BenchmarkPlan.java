/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.workload.Dataset;
import io.nestling.workload.RequestDistribution;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
 * @param cpuTime whether throughput is by the processor time of the threads that work, in place of wall time
 * @param peers programs that take part too
 * @param rate puts, and as many gets, a second of {@link WorkloadType#SUSTAINED_PUT}
 */
public record BenchmarkPlan(
    List<SubjectFactory> subjects, Optional<String> baseline, List<Dataset> datasets, List<Integer> keyCounts,
    List<WorkloadType> workloads, RequestDistribution distribution, int threads, int rounds, long nanos, boolean model,
    String command, boolean cpuTime, List<PeerCommand> peers, int rate) {
    private static final int MAX_THREADS = 1024;
    private static final int MAX_RATE = 10_000_000;

    /** Checks that the parts fit together; the message of the {@link IllegalArgumentException} is for users. */
    public BenchmarkPlan {
        subjects = List.copyOf(subjects);
        datasets = List.copyOf(datasets);
        keyCounts = List.copyOf(keyCounts);
        workloads = WorkloadType.inOrder(workloads);
        peers = List.copyOf(peers);
        require(!subjects.isEmpty() && !datasets.isEmpty() && !keyCounts.isEmpty() && !workloads.isEmpty(), "nothing to measure");
        require(threads >= 1, "--threads " + threads + " is less than 1");
        require(threads <= MAX_THREADS, "--threads " + threads + " is more than " + MAX_THREADS);
        require(rounds >= 1, "--rounds " + rounds + " is less than 1");
        for (final int count : keyCounts) {
            require(count >= 1, "--keys " + count + " is less than 1");
            require(peers.isEmpty() || count >= SubjectServer.MIN_KEYS,
                "--keys " + count + " is less than the " + SubjectServer.MIN_KEYS + " that --peer-command needs");
        }
        require(rate >= 1 && rate <= MAX_RATE, "--rate " + rate + " is outside 1 to " + MAX_RATE);
        final List<String> all = Stream.concat(
            subjects.stream().map(SubjectFactory::subjectName), peers.stream().map(PeerCommand::name)).toList();
        final String names = String.join(", ", all);
        require(all.stream().distinct().count() == all.size(), "a subject is named twice: " + names);
        require(baseline.isEmpty() || all.contains(baseline.get()),
            "the baseline '" + baseline.orElse("") + "' is not among the subjects: " + names);
        if (!peers.isEmpty()) {
            checkPeers(workloads, threads, distribution);
        }
        for (final WorkloadType workload : workloads) {
            require(!workload.ordered() || subjects.stream().anyMatch(SubjectFactory::ordered),
                "workload " + workload.workloadName() + " needs an index in key order, none of these is: " + names);
        }
    }

    /** Checks that the protocol of peers that are programs has what is asked for. */
    private static void checkPeers(final List<WorkloadType> workloads, final int threads, final RequestDistribution requests) {
        require(workloads.stream().anyMatch(ServedPeer.COMMANDS::containsKey), "--peer-command needs one of the workloads "
            + ServedPeer.COMMANDS.keySet().stream().map(WorkloadType::workloadName).collect(Collectors.joining(", ")));
        require(threads == 1, "--peer-command is for one thread, not --threads " + threads);
        require(requests == RequestDistribution.UNIFORM, "--peer-command is for the uniform distribution only");
    }

    private static void require(final boolean condition, final String problem) {
        if (!condition) {
            throw new IllegalArgumentException(problem);
        }
    }
}
