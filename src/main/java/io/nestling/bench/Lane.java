/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import org.HdrHistogram.Histogram;

/**
 * What one thread does to one subject in one workload. A lane runs the workload's chunks in the order in
 * which it is told to.
 * <h2>Thread safety</h2>
 * One thread.
 */
interface Lane extends AutoCloseable {
    /**
     * Does the operations of a chunk.
     *
     * @param chunk number of the chunk
     * @return sum of what was read, which must be {@link Workload#expected}
     */
    long run(int chunk);

    /**
     * Does the operations of a chunk and takes the time of each.
     *
     * @param chunk number of the chunk
     * @param histogram receives nanoseconds
     * @return as {@link #run}
     */
    default long runTimed(final int chunk, final Histogram histogram) {
        throw new UnsupportedOperationException("single operations are not timed");
    }

    /** Ends the lane. */
    @Override
    default void close() {
        // Most lanes hold nothing.
    }
}
