/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

/**
 * Makes keys from numbers: always the same key from the same number. Holds scratch space, so each thread needs
 * its own.
 */
interface KeyGenerator {
    /** Longest key in bytes. */
    int maxKeyBytes();

    /** How many numbers there are, from 0. */
    default long numbers() {
        return Long.MAX_VALUE;
    }

    /** Whether different numbers always make different keys. */
    boolean distinct();

    /**
     * Makes the key of a number.
     *
     * @param number 0 to {@code numbers() - 1}
     * @param target where the key goes, from position 0
     * @return bytes of the key
     */
    int generate(long number, byte[] target);
}
