/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import io.nestling.bench.WorkloadType;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the names of well-known workloads stand for, and which of them tell most about an index. */
final class WorkloadNotes {
    private static final List<String> READS = List.of("c", "get", "get-dependent", "b", "a", "d", "f", "getall");
    private static final List<String> INSERTS = List.of("load", "load-batched", "load-sorted", "load-reversed");
    private static final List<String> SCANS = List.of("scan", "iterate", "e");

    private WorkloadNotes() {
    }

    /** A few words, empty for a workload that is not known. */
    static String of(final String workload) {
        return find(workload).map(WorkloadType::description).orElse("");
    }

    /** What it does and what is counted. */
    static String withUnit(final String workload, final RateUnit unit) {
        final String counted = find(workload).map(WorkloadType::unit).filter(name -> !name.equals("operations"))
            .map(name -> name + ", ").orElse("");
        return Stream.of(of(workload), counted + unit.symbol()).filter(text -> !text.isEmpty())
            .collect(Collectors.joining(" \u00b7 "));
    }

    /**
     * Tells whether a workload goes through entries in order, one after the other, so that a round trip of its own for each of
     * them is not to be expected.
     */
    static boolean countsEntries(final String workload) {
        return find(workload).filter(type -> type.unit().equals("entries") || type == WorkloadType.E).isPresent();
    }

    private static Optional<WorkloadType> find(final String workload) {
        return Arrays.stream(WorkloadType.values()).filter(type -> type.workloadName().equals(workload)).findFirst();
    }

    /** One workload of each kind, or the first one if none is known: reads, inserts, scans. */
    static List<String> telling(final List<String> workloads) {
        final List<String> found = List.of(READS, INSERTS, SCANS).stream()
            .flatMap(kind -> kind.stream().filter(workloads::contains).limit(1)).toList();
        return found.isEmpty() ? workloads.subList(0, Math.min(1, workloads.size())) : found;
    }
}
