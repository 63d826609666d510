/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/** Receives the progress of a run. */
@FunctionalInterface
public interface BenchmarkListener {
    /** Called when a step begins, which is described in a few words. */
    void begins(String step);

    /** Called when a subject cannot take the keys, with the subject and the problem; the run continues without it. */
    default void leavesOut(final String reason) {
        // The report has it too.
    }

    /**
     * Called when a peer that is a program has died, hung, or said something wrong, with its last line; the run continues without
     * it.
     */
    default void fails(final String reason) {
        // The report has it too.
    }
}
