/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/**
 * Work on loaded subjects, divided into chunks of operations. It is the same for all subjects, and the result of each chunk is
 * known in advance: a subject with another result fails the run.
 * <h2>Thread safety</h2>
 * Immutable; each thread has its own {@link ChunkRunner}.
 */
interface Workload {
    /** Returns the number of chunks of one thread, at least 1. */
    int chunks();

    /**
     * Returns the greatest number of passes over the chunks in all warm-ups and rounds together: one if keys are added, few if
     * memory is used up.
     */
    default int passes() {
        return Integer.MAX_VALUE;
    }

    /** Returns the number of operations of a chunk, at least 1, as counted for the throughput. */
    int operations(int thread, int chunk);

    /** Returns the expected result of a chunk: the sum of all reads. */
    long expected(int thread, int chunk);

    /** Returns whether single operations can be timed, by {@link ChunkRunner#runTimed}. */
    default boolean timesOperations() {
        return false;
    }

    /** Opens a runner for one thread on a subject. */
    ChunkRunner open(Target target, int thread);
}
