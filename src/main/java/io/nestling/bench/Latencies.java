/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import org.HdrHistogram.Histogram;

/** Collects the latencies of single operations. */
final class Latencies {
    private static final long HIGHEST_NANOS = 60_000_000_000L;
    private static final int DIGITS = 3;

    private final Histogram histogram = new Histogram(1, HIGHEST_NANOS, DIGITS);

    Latencies() {
        histogram.setAutoResize(true);
    }

    Histogram histogram() {
        return histogram;
    }

    LatencyPercentiles percentiles() {
        return new LatencyPercentiles(at(50), at(90), at(99), at(99.9), histogram.getMaxValue());
    }

    private long at(final double percentile) {
        return histogram.getValueAtPercentile(percentile);
    }
}
