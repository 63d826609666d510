/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/**
 * Work on loaded subjects, cut into chunks of operations. It is the same for all subjects, and what each
 * chunk must read is known beforehand: a subject that reads anything else fails the run.
 * <h2>Thread safety</h2>
 * Immutable; each thread has a {@link Lane} of its own.
 */
interface Workload {
    /**
     * Number of chunks of one thread.
     *
     * @return at least 1
     */
    int chunks();

    /**
     * How often the chunks can be gone through, all warm-ups and rounds together. Where there is one pass
     * only, keys are added; where there are few, memory is used up.
     *
     * @return at least 1
     */
    default int passes() {
        return Integer.MAX_VALUE;
    }

    /**
     * Operations in a chunk, as they are counted for the throughput.
     *
     * @param thread number of the thread
     * @param chunk number of the chunk
     * @return at least 1
     */
    int operations(int thread, int chunk);

    /**
     * What a chunk must read.
     *
     * @param thread number of the thread
     * @param chunk number of the chunk
     * @return the sum of all reads
     */
    long expected(int thread, int chunk);

    /**
     * Tells whether lanes can time single operations.
     *
     * @return true if {@link Lane#runTimed} may be called
     */
    default boolean timesOperations() {
        return false;
    }

    /**
     * Begins a thread's work on a subject.
     *
     * @param target the subject
     * @param thread number of the thread, from 0
     * @return a new lane
     */
    Lane open(Target target, int thread);
}
