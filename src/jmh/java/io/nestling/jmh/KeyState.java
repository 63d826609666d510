/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.workload.Dataset;
import io.nestling.workload.DatasetException;
import io.nestling.workload.KeySet;

import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The keys of a benchmark: which dataset, how many, and which payload each has. */
@State(Scope.Benchmark)
public abstract class KeyState {
    /** So few distinct payloads that the shared values of peers on the heap stay in the processor's cache. */
    static final int PAYLOAD_MASK = (1 << 10) - 1;

    /** Name of a dataset, or a file with one key a line. */
    @Param("rand-8")
    public String dataset;

    /** Number of keys. */
    @Param("1000000")
    public int keys;

    /** The keys in the order in which the dataset gives them, which is random. */
    final KeySet loadKeys() {
        try {
            return Dataset.of(dataset).keys(keys);
        } catch (final DatasetException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** Keys of the same shape that are not among those present. */
    final KeySet absentKeys(final int count, final KeySet present) {
        try {
            return Dataset.of(dataset).absentKeys(count, present);
        } catch (final DatasetException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** The payload of the key that was loaded as number {@code i}. */
    static long payload(final int i) {
        return i & PAYLOAD_MASK;
    }

    /** Sum of the payloads of the first keys. */
    static long payloadSum(final int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += payload(i);
        }
        return sum;
    }

    /** Throws unless an answer is right. */
    static void check(final long found, final long expected, final String what) {
        if (found != expected) {
            throw new IllegalStateException("wrong answer: " + what + " " + found + " instead of " + expected);
        }
    }
}
