/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.Optional;

/**
 * One workload on one subject.
 *
 * @param subject name of the subject
 * @param dataset name of the dataset, or of the file it was read from
 * @param workload name of the workload
 * @param keys number of keys loaded
 * @param threads threads that worked
 * @param opsPerSecond operations in a second; entries for scans and iterations, keys for batches
 * @param indexBytesPerKey memory without keys and values; for a subject that spells keys itself, of the whole structure
 * @param totalBytesPerKey memory without values
 * @param ratioToBaseline median throughput over that of the baseline in the same run; empty if there is none
 * @param roundTrips time per operation in units of one dependent DRAM read on 2 MiB pages; empty if no model was measured
 * @param latency percentiles; empty where single operations are not timed
 * @param checksum of what the first operations have read, which all subjects did; equal for all of them
 */
public record Result(
    String subject, String dataset, String workload, int keys, int threads, Spread opsPerSecond, double indexBytesPerKey,
    double totalBytesPerKey, Optional<Double> ratioToBaseline, Optional<Double> roundTrips,
    Optional<LatencyPercentiles> latency, long checksum) {
}
