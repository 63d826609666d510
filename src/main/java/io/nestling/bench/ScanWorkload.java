/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;

/** Scans that begin at a present key and read a number of entries, with key and payload. */
final class ScanWorkload extends RotatedWorkload {
    private final QueryStream queries;
    private final int length;
    private final int chunk;

    /** Prepares scans that begin at the queries' keys, of which {@code ranks} has the ranks among all loaded keys. */
    ScanWorkload(
        final QueryStream queries, final SortedKeys sorted, final int[] ranks, final int length, final int scansInChunk,
        final int threads) {
        super(threads, queries.size() / scansInChunk);
        this.queries = queries;
        this.length = length;
        this.chunk = scansInChunk;
        for (int query = 0; query < chunks() * scansInChunk; query++) {
            expect(query / scansInChunk, Math.min(length, sorted.keys().size() - ranks[query]),
                sorted.digest(ranks[query], ranks[query] + length));
        }
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
