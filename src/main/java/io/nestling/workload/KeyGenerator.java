/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

/** Generates keys from numbers, always the same key from the same number. Not thread-safe: it has scratch space. */
interface KeyGenerator {
    /** Returns the greatest length of a key. */
    int maxKeyBytes();

    /** Returns the number of numbers, which begin with 0. */
    default long numbers() {
        return Long.MAX_VALUE;
    }

    /** Returns whether different numbers always generate different keys. */
    default boolean distinct() {
        return false;
    }

    /** Generates the key of a number below {@code numbers()} at offset 0 of an array; returns its length. */
    int generate(long number, byte[] target);
}
