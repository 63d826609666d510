/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/** Where the threads of a workload begin. */
final class Lanes {
    private Lanes() {
    }

    /**
     * The chunk that a thread takes: each begins at another place, so that no two do the same at the same
     * time.
     */
    static int place(final int thread, final int threads, final int chunk, final int chunks) {
        return (int) ((chunk + (long) thread * chunks / threads) % chunks);
    }
}
