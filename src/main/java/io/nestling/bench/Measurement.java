/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.ArrayList;
import java.util.List;

/** The measurements of one subject in one workload. */
final class Measurement {
    private final String subject;
    private final List<Double> throughputs = new ArrayList<>();
    private LatencyPercentiles latency;
    private double indexBytesPerKey;
    private double totalBytesPerKey;
    private Long checksum;

    Measurement(final String subject) {
        this.subject = subject;
    }

    /** Returns the name of the subject. */
    String subject() {
        return subject;
    }

    /** Returns whether no round was counted. */
    boolean isEmpty() {
        return throughputs.isEmpty();
    }

    /** Adds the throughput of a round. */
    void add(final double opsPerSecond) {
        throughputs.add(opsPerSecond);
    }

    /** Returns the median, least and greatest throughput of the rounds. */
    Spread spread() {
        final double[] sorted = throughputs.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        final int half = sorted.length / 2;
        final double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    /** Returns the percentiles, or null if single operations are not timed. */
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

    /** Sets the memory to that of a subject. */
    void bytes(final Subject measured, final int keys) {
        bytes((double) measured.indexBytes() / keys, (double) measured.totalBytes() / keys);
    }

    void bytes(final double indexPerKey, final double totalPerKey) {
        indexBytesPerKey = indexPerKey;
        totalBytesPerKey = totalPerKey;
    }

    /** Sets the memory to that after the load. */
    void bytes(final Measurement load) {
        bytes(load.indexBytesPerKey, load.totalBytesPerKey);
    }

    /** Takes the throughput and latency of another state of the same subject if they are better, and returns whether they are. */
    boolean takeBetter(final Measurement other) {
        if (other.spread().median() <= spread().median()) {
            return false;
        }
        throughputs.clear();
        throughputs.addAll(other.throughputs);
        latency = other.latency;
        return true;
    }

    /** Returns the checksum, or null of a subject that checks its answers itself. */
    Long checksum() {
        return checksum;
    }

    void checksum(final long sum) {
        checksum = sum;
    }
}
