/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import io.nestling.bytes.Hashing;

/**
 * A pseudorandom permutation of the numbers below a bound, computed for each number: a mix of as many bits as the bound
 * has, applied again while the result is not below the bound (cycle walking).
 * <p>
 * Immutable.
 */
final class Permutation {
    private static final long MULTIPLIER_1 = 0x9E3779B97F4A7C15L;
    private static final long MULTIPLIER_2 = 0xD6E8FEB86659FD93L;

    private final long bound;
    private final long mask;
    private final int shift;
    private final long offset1;
    private final long offset2;

    /** Creates a permutation of 1 to 2^62 numbers; another seed gives another one. */
    Permutation(final long bound, final long seed) {
        if (bound < 1 || bound > 1L << Long.SIZE - 2) {
            throw new IllegalArgumentException("cannot permute " + bound + " numbers");
        }
        this.bound = bound;
        final int bits = Math.max(Long.SIZE - Long.numberOfLeadingZeros(bound - 1), 2);
        this.mask = (1L << bits) - 1;
        this.shift = (bits + 1) / 2;
        this.offset1 = Hashing.mix64(seed ^ MULTIPLIER_1);
        this.offset2 = Hashing.mix64(seed ^ MULTIPLIER_2);
    }

    /** Returns the number to which a number is mapped; both are from 0 to less than the bound. */
    long apply(final long number) {
        long mixed = number;
        do {
            // Each step is invertible within the mask: sums, products with odd numbers, xor of higher bits.
            mixed = (mixed + offset1) * MULTIPLIER_1 & mask;
            mixed ^= mixed >>> shift;
            mixed = (mixed + offset2) * MULTIPLIER_2 & mask;
            mixed ^= mixed >>> shift;
            mixed = mixed * MULTIPLIER_1 & mask;
            mixed ^= mixed >>> shift;
        } while (mixed >= bound);
        return mixed;
    }
}
