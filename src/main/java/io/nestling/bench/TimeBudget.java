/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.function.LongSupplier;

/**
 * Divides the time of a run among its workloads by weight. What one leaves of its share, up to the next call, goes to the
 * following ones; what it takes beyond its share comes on top.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class TimeBudget {
    private final LongSupplier clock;
    private long left;
    private double weightLeft;
    private long share;
    private long since;

    /** Starts the time of a run, to be divided by weights with a given sum. */
    TimeBudget(final long nanos, final double weight, final LongSupplier clock) {
        this.clock = clock;
        this.left = nanos;
        this.weightLeft = weight;
        this.since = clock.getAsLong();
    }

    /** Returns the time in nanoseconds for a weight, which begins now; the one before has ended. */
    long take(final double weight) {
        final long now = clock.getAsLong();
        left -= Math.min(share, now - since);
        since = now;
        share = (long) (left * Math.min(1, weight / weightLeft));
        weightLeft = Math.max(weight, weightLeft - weight);
        return share;
    }
}
