/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import java.util.Random;

/**
 * Seeds of random tests. A seed is printed when it is taken; {@code -Dseed=N} replays a run with it.
 */
public final class Seeds {
    /** System property that fixes the seed of every random test. */
    public static final String SEED_PROP_NAME = "seed";

    private Seeds() {
    }

    /**
     * Takes the seed for one test and prints it with the flag that replays it.
     *
     * @param test what the seed is for
     * @return the seed
     */
    public static long seed(final String test) {
        final Long fixed = Long.getLong(SEED_PROP_NAME);
        final long seed = fixed != null ? fixed : System.nanoTime() ^ test.hashCode();
        System.out.println(test + ": replay with -D" + SEED_PROP_NAME + "=" + seed);
        return seed;
    }

    /**
     * A generator over a seed taken with {@link #seed}.
     *
     * @param test what the numbers are for
     * @return a new generator
     */
    public static Random random(final String test) {
        return new Random(seed(test));
    }
}
