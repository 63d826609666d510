/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;

/** Lookups of 32 keys at a time. */
final class BatchWorkload extends RotatedWorkload {
    private static final int BATCH = 32;
    private static final int BATCHES = 32;
    private static final int CHUNK = BATCH * BATCHES;

    private final QueryStream queries;

    /** Prepares lookups of at least 1024 keys; those after the last multiple of 1024 are not used. */
    BatchWorkload(final QueryStream queries, final int threads) {
        super(threads, queries.size() / CHUNK);
        this.queries = queries;
        for (int query = 0; query < chunks() * CHUNK; query++) {
            expect(query / CHUNK, 1, queries.expected(query));
        }
    }

    @Override
    public ChunkRunner open(final Target target, final int thread) {
        final PointIndex index = target.index();
        final KeyBatch batch = new KeyBatch(BATCH);
        final long[] payloads = new long[BATCH];
        return chunk -> {
            final int from = rotated(thread, chunk) * CHUNK;
            long sum = 0;
            for (int first = from; first < from + CHUNK; first += BATCH) {
                sum += look(index, batch, payloads, first);
            }
            return sum;
        };
    }

    private long look(final PointIndex index, final KeyBatch batch, final long[] payloads, final int first) {
        batch.clear();
        for (int query = first; query < first + BATCH; query++) {
            batch.add(queries.keys(), queries.offset(query), queries.length(query));
        }
        index.getAll(batch, payloads);
        long sum = 0;
        for (final long payload : payloads) {
            sum += payload & Payloads.BASE_MASK;
        }
        return sum;
    }
}
