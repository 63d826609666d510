/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;

/** Scans that begin at a present key and read a number of entries, with key and payload. */
final class ScanWorkload implements Workload {
    private final QueryStream queries;
    private final int length;
    private final int threads;
    private final int chunk;
    private final int[] operations;
    private final long[] expected;

    /**
     * Prepares scans.
     *
     * @param queries first keys of the scans
     * @param sorted all loaded keys
     * @param ranks rank of each query's key among the sorted ones
     * @param length number of entries of a scan
     * @param scansInChunk number of scans of a chunk, at most that of the queries
     * @param threads number of threads
     */
    ScanWorkload(
        final QueryStream queries, final SortedKeys sorted, final int[] ranks, final int length, final int scansInChunk,
        final int threads) {
        this.queries = queries;
        this.length = length;
        this.threads = threads;
        this.chunk = scansInChunk;
        final int chunks = queries.size() / scansInChunk;
        this.operations = new int[chunks];
        this.expected = new long[chunks];
        for (int query = 0; query < chunks * scansInChunk; query++) {
            operations[query / scansInChunk] += Math.min(length, sorted.keys().size() - ranks[query]);
            expected[query / scansInChunk] += sorted.digest(ranks[query], ranks[query] + length);
        }
    }

    @Override
    public int chunks() {
        return expected.length;
    }

    @Override
    public int operations(final int thread, final int number) {
        return operations[rotated(thread, number)];
    }

    @Override
    public long expected(final int thread, final int number) {
        return expected[rotated(thread, number)];
    }

    private int rotated(final int thread, final int number) {
        return Workload.rotated(thread, threads, number, chunks());
    }

    @Override
    public ChunkRunner open(final Target target, final int thread) {
        final EntryCursor cursor = target.ordered().cursor();
        return new ChunkRunner() {
            @Override
            public long run(final int number) {
                return scan(cursor, rotated(thread, number) * chunk);
            }

            @Override
            public void close() {
                cursor.close();
            }
        };
    }

    private long scan(final EntryCursor cursor, final int from) {
        final byte[] keys = queries.keys();
        long sum = 0;
        for (int query = from; query < from + chunk; query++) {
            boolean valid = cursor.seek(keys, queries.offset(query), queries.length(query));
            for (int left = length; valid; valid = --left > 0 && cursor.next()) {
                sum += Payloads.digest(cursor);
            }
        }
        return sum;
    }
}
