/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import io.nestling.bytes.Hashing;

/**
 * A fast sequence of random numbers that is the same on every machine: a counter with large odd steps, mixed
 * (SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
 * <p>
 * Used by one thread.
 */
final class Randomness {
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final double DOUBLE_UNIT = 0x1.0p-53;
    private static final int DOUBLE_SHIFT = Long.SIZE - 53;

    private long state;

    Randomness(final long seed) {
        restart(seed, 0);
    }

    /** Begins the sequence that belongs to a number under a seed. */
    void restart(final long seed, final long number) {
        state = Hashing.mix64(Hashing.mix64(seed + STEP) ^ number * STEP);
    }

    long next() {
        state += STEP;
        return Hashing.mix64(state);
    }

    /** Evenly from 0 to {@code bound - 1}. */
    int below(final int bound) {
        return Hashing.reduce(next(), bound);
    }

    /** Evenly from 0 to less than 1. */
    double fraction() {
        return (next() >>> DOUBLE_SHIFT) * DOUBLE_UNIT;
    }
}
