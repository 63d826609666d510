/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import org.HdrHistogram.Histogram;

/**
 * Runs chunks of a workload on one subject in one thread.
 * <h2>Thread safety</h2>
 * One thread.
 */
interface ChunkRunner extends AutoCloseable {
    /** Runs the operations of a chunk and returns the sum of the reads, which must be {@link Workload#expected}. */
    long run(int chunk);

    /** Runs the operations of a chunk and times each one in nanoseconds; returns as {@link #run} does. */
    default long runTimed(final int chunk, final Histogram histogram) {
        throw new UnsupportedOperationException("single operations are not timed");
    }

    /** Releases the resources. */
    @Override
    default void close() {
        // Most runners have none.
    }
}
