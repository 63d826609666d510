/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.Optional;

/**
 * The result of one workload on one subject.
 *
 * @param subject name of the subject
 * @param dataset name of the dataset or of its file
 * @param workload name of the workload
 * @param keys number of keys loaded
 * @param threads number of threads
 * @param opsPerSecond operations per second; entries for scans and iterations, keys for batches
 * @param indexBytesPerKey memory without keys and values; for a subject that stores keys itself, of the whole structure
 * @param totalBytesPerKey memory with keys and values
 * @param ratioToBaseline median throughput divided by that of the baseline in the same run; empty without a baseline
 * @param roundTrips time per operation in units of one dependent DRAM read on 2 MiB pages; empty if no model was measured
 * @param latency percentiles; empty if single operations are not timed
 * @param checksum checksum of the first operations' reads, equal for all subjects; empty for those that check their answers
 *     themselves
 */
public record Result(
    String subject, String dataset, String workload, int keys, int threads, Spread opsPerSecond, double indexBytesPerKey,
    double totalBytesPerKey, Optional<Double> ratioToBaseline, Optional<Double> roundTrips,
    Optional<LatencyPercentiles> latency, Optional<Long> checksum) {
}
