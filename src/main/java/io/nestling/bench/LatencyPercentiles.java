/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/**
 * Latencies of single operations in nanoseconds, from a pass that times each one. They include the cost of the clock.
 *
 * @param p50 median
 * @param p90 90th percentile
 * @param p99 99th percentile
 * @param p999 99.9th percentile
 * @param max longest
 */
public record LatencyPercentiles(long p50, long p90, long p99, long p999, long max) {
}
