/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.Arrays;

/** What one subject gave in one workload, before it is compared with others. */
final class Measurement {
    private final SubjectFactory factory;
    private double[] throughputs = new double[0];
    private LatencyPercentiles latency;
    private double indexBytesPerKey;
    private double totalBytesPerKey;
    private long checksum;

    Measurement(final SubjectFactory factory) {
        this.factory = factory;
    }

    SubjectFactory factory() {
        return factory;
    }

    /** Adds the throughput of a round. */
    void add(final double opsPerSecond) {
        throughputs = Arrays.copyOf(throughputs, throughputs.length + 1);
        throughputs[throughputs.length - 1] = opsPerSecond;
    }

    /** Middle, least and greatest of the rounds. */
    Spread spread() {
        return spreadOf(throughputs);
    }

    /** Middle (of an even number the mean of two), least and greatest of some numbers. */
    static Spread spreadOf(final double... values) {
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        final int half = sorted.length / 2;
        final double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    /** Percentiles, or null where single operations are not timed. */
    LatencyPercentiles latency() {
        return latency;
    }

    void latency(final LatencyPercentiles percentiles) {
        latency = percentiles;
    }

    double indexBytesPerKey() {
        return indexBytesPerKey;
    }

    double totalBytesPerKey() {
        return totalBytesPerKey;
    }

    /** Takes over what the subject says of its memory. */
    void bytes(final Subject subject, final int keys) {
        indexBytesPerKey = (double) subject.indexBytes() / keys;
        totalBytesPerKey = (double) subject.totalBytes() / keys;
    }

    /** Takes over what was measured of the memory after the load. */
    void bytes(final Measurement load) {
        indexBytesPerKey = load.indexBytesPerKey;
        totalBytesPerKey = load.totalBytesPerKey;
    }

    long checksum() {
        return checksum;
    }

    void checksum(final long sum) {
        checksum = sum;
    }
}
