/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/** Is told how far a run is. */
@FunctionalInterface
public interface BenchmarkListener {
    /**
     * Something begins.
     *
     * @param step what it is, in a few words
     */
    void begins(String step);

    /**
     * A subject cannot take the keys; the run goes on without it.
     *
     * @param reason which subject, and why
     */
    default void leavesOut(final String reason) {
        // The report has it too.
    }
}
