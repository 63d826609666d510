/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.Random;

/** Random numbers of the product, which follow from the seed of the scenario. */
public final class Randomness {
    private static Random seeds = new Random(0);

    private Randomness() {
    }

    static void reset(final long seed) {
        seeds = new Random(seed ^ 0x5DEECE66DL);
    }

    /**
     * In place of {@code nextLong} of the generators of a thread and of secrets.
     *
     * @param random not used
     * @return a number
     */
    public static long nextLong(final Random random) {
        return seeds.nextLong();
    }

    /**
     * In place of {@code SecureRandom.nextBytes}.
     *
     * @param random not used
     * @param bytes receives random bytes
     */
    public static void nextBytes(final Random random, final byte[] bytes) {
        seeds.nextBytes(bytes);
    }
}
