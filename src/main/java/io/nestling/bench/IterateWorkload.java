/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;
import io.nestling.workload.KeySet;

/** Reads all entries in order, chunk by chunk; each chunk begins with a seek to its first key. */
final class IterateWorkload implements Workload {
    private static final int CHUNK = 1 << 15;

    private final SortedKeys sorted;
    private final int threads;
    private final int chunks;

    /**
     * Prepares an iteration.
     *
     * @param sorted all loaded keys, at least one
     * @param threads number of threads
     */
    IterateWorkload(final SortedKeys sorted, final int threads) {
        this.sorted = sorted;
        this.threads = threads;
        this.chunks = (sorted.keys().size() + CHUNK - 1) / CHUNK;
    }

    @Override
    public int chunks() {
        return chunks;
    }

    private int start(final int thread, final int chunk) {
        return Workload.rotated(thread, threads, chunk, chunks) * CHUNK;
    }

    @Override
    public int operations(final int thread, final int chunk) {
        return Math.min(CHUNK, sorted.keys().size() - start(thread, chunk));
    }

    @Override
    public long expected(final int thread, final int chunk) {
        final int start = start(thread, chunk);
        return sorted.digest(start, start + CHUNK);
    }

    @Override
    public ChunkRunner open(final Target target, final int thread) {
        final EntryCursor cursor = target.ordered().cursor();
        return new ChunkRunner() {
            @Override
            public long run(final int chunk) {
                return iterate(cursor, start(thread, chunk));
            }

            @Override
            public void close() {
                cursor.close();
            }
        };
    }

    private long iterate(final EntryCursor cursor, final int start) {
        final KeySet keys = sorted.keys();
        long sum = 0;
        boolean valid = start == 0 ? cursor.first() : cursor.seek(keys.array(start), keys.offset(start), keys.length(start));
        for (int left = CHUNK; valid; valid = --left > 0 && cursor.next()) {
            sum += Payloads.digest(cursor);
        }
        return sum;
    }
}
