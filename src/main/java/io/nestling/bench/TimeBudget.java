/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.function.LongSupplier;

/**
 * Shares the time of a run out to its workloads by weight. What one leaves goes to those after it.
 * <h2>Thread safety</h2>
 * Used by one thread.
 */
final class TimeBudget {
    private final LongSupplier clock;
    private final long deadline;
    private double weightLeft;

    /**
     * Begins now.
     *
     * @param nanos time for everything
     * @param weight sum of the weights that will be asked for
     * @param clock nanoseconds
     */
    TimeBudget(final long nanos, final double weight, final LongSupplier clock) {
        this.clock = clock;
        this.deadline = clock.getAsLong() + nanos;
        this.weightLeft = weight;
    }

    /** Time that something may take; 0 if there is none left. */
    long take(final double weight) {
        final long left = Math.max(0, deadline - clock.getAsLong());
        final long share = (long) (left * Math.min(1, weight / weightLeft));
        weightLeft = Math.max(weight, weightLeft - weight);
        return share;
    }
}
