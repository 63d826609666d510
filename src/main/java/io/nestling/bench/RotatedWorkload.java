/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/** A workload of which all threads run the same chunks; they begin at different ones, spread evenly. */
abstract class RotatedWorkload implements Workload {
    private final int threads;
    private final int[] operations;
    private final long[] expected;

    RotatedWorkload(final int threads, final int chunks) {
        this.threads = threads;
        this.operations = new int[chunks];
        this.expected = new long[chunks];
    }

    /** Adds operations and the sum of their reads to a chunk. */
    final void expect(final int chunk, final int count, final long sum) {
        operations[chunk] += count;
        expected[chunk] += sum;
    }

    /** Returns the chunk that a thread runs as its {@code chunk}th. */
    final int rotated(final int thread, final int chunk) {
        return (int) ((chunk + (long) thread * expected.length / threads) % expected.length);
    }

    @Override
    public final int chunks() {
        return expected.length;
    }

    @Override
    public final int operations(final int thread, final int chunk) {
        return operations[rotated(thread, chunk)];
    }

    @Override
    public final long expected(final int thread, final int chunk) {
        return expected[rotated(thread, chunk)];
    }
}
