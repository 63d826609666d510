/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import io.nestling.bytes.Hashing;

/**
 * A fast pseudorandom number generator with the same sequence on every machine: SplitMix64, a mixed counter with
 * large odd steps (Steele, Lea and Flood, OOPSLA 2014).
 * <p>
 * Not thread-safe.
 */
final class Randomness {
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final double DOUBLE_UNIT = 0x1.0p-53;
    private static final int DOUBLE_SHIFT = Long.SIZE - 53;

    private long state;

    Randomness(final long seed) {
        restart(seed, 0);
    }

    /** Starts the sequence of a number under a seed. */
    void restart(final long seed, final long number) {
        state = Hashing.mix64(Hashing.mix64(seed + STEP) ^ number * STEP);
    }

    long next() {
        state += STEP;
        return Hashing.mix64(state);
    }

    /** Draws a number uniformly from 0 to {@code bound - 1}. */
    int below(final int bound) {
        return Hashing.reduce(next(), bound);
    }

    /** Draws a number uniformly from 0, inclusive, to 1, exclusive. */
    double fraction() {
        return (next() >>> DOUBLE_SHIFT) * DOUBLE_UNIT;
    }
}
