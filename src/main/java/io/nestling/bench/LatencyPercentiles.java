/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import org.HdrHistogram.Histogram;

/**
 * Percentiles of the latencies of single operations in nanoseconds, from a pass that times each one. They include the cost of the
 * clock.
 */
public record LatencyPercentiles(long p50, long p90, long p99, long p999, long max) {
    private static final long HIGHEST_NANOS = 60_000_000_000L;
    private static final int DIGITS = 3;

    /** Returns an empty histogram of nanoseconds. */
    static Histogram newHistogram() {
        final Histogram histogram = new Histogram(1, HIGHEST_NANOS, DIGITS);
        histogram.setAutoResize(true);
        return histogram;
    }

    static LatencyPercentiles of(final Histogram histogram) {
        return new LatencyPercentiles(histogram.getValueAtPercentile(50), histogram.getValueAtPercentile(90),
            histogram.getValueAtPercentile(99), histogram.getValueAtPercentile(99.9), histogram.getMaxValue());
    }
}
