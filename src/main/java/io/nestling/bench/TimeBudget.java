/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.function.LongSupplier;

/**
 * Divides the time of a run among its workloads by weight. Unused time goes to the following ones.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class TimeBudget {
    private final LongSupplier clock;
    private final long deadline;
    private double weightLeft;

    /** Starts the time of a run, to be divided by weights with a given sum. */
    TimeBudget(final long nanos, final double weight, final LongSupplier clock) {
        this.clock = clock;
        this.deadline = clock.getAsLong() + nanos;
        this.weightLeft = weight;
    }

    /** Returns the time in nanoseconds for a weight; 0 if none is left. */
    long take(final double weight) {
        final long left = Math.max(0, deadline - clock.getAsLong());
        final long share = (long) (left * Math.min(1, weight / weightLeft));
        weightLeft = Math.max(weight, weightLeft - weight);
        return share;
    }
}
