/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.PointIndex;
import org.HdrHistogram.Histogram;

/** Lookups of one key at a time. */
final class GetWorkload extends RotatedWorkload {
    private static final int CHUNK = 1024;
    private static final int CHUNK_SHIFT = 10;

    /** The keys that are looked up, and their order. */
    enum Kind {
        /** Present keys, each known before the previous lookup has ended. */
        HIT,
        /** Absent keys. */
        MISS,
        /**
         * Present keys, of which the last answer selects one of two. The other one is skipped: it would often be
         * the next key again, and in the cache.
         */
        DEPENDENT;

        /** Returns the number of queries of which one lookup selects one. */
        private int queriesPerLookup() {
            return this == DEPENDENT ? 2 : 1;
        }
    }

    private final QueryStream queries;
    private final Kind kind;

    /**
     * Prepares lookups of at least 1024 keys, whose threads begin at different chunks; keys after the last multiple of 1024 are
     * not used.
     */
    GetWorkload(final QueryStream queries, final Kind kind, final int threads) {
        super(threads, queries.size() >>> CHUNK_SHIFT);
        this.queries = queries;
        this.kind = kind;
        for (int chunk = 0; chunk < chunks(); chunk++) {
            expect(chunk, CHUNK / kind.queriesPerLookup(), expectedOf(chunk << CHUNK_SHIFT));
        }
    }

    private long expectedOf(final int from) {
        if (kind == Kind.MISS) {
            return CHUNK * Payloads.BASE_MASK;
        }
        final int step = kind.queriesPerLookup();
        long sum = 0;
        long last = 0;
        for (int query = from; query < from + CHUNK; query += step) {
            last = queries.expected(query + choice(step, last));
            sum += last;
        }
        return sum;
    }

    /** Returns the query of a lookup: the first one, or one that depends on the last answer. */
    private static int choice(final int step, final long last) {
        return step == 1 ? 0 : (int) last & 1;
    }

    @Override
    public boolean timesOperations() {
        return true;
    }

    @Override
    public ChunkRunner open(final Target target, final int thread) {
        final PointIndex index = target.index();
        return new ChunkRunner() {
            @Override
            public long run(final int chunk) {
                final int from = rotated(thread, chunk) << CHUNK_SHIFT;
                return kind == Kind.DEPENDENT ? oneByOne(index, from, null) : independent(index, from);
            }

            @Override
            public long runTimed(final int chunk, final Histogram histogram) {
                return oneByOne(index, rotated(thread, chunk) << CHUNK_SHIFT, histogram);
            }
        };
    }

    private long independent(final PointIndex index, final int from) {
        final byte[] keys = queries.keys();
        long sum = 0;
        for (int query = from; query < from + CHUNK; query++) {
            sum += index.get(keys, queries.offset(query), queries.length(query)) & Payloads.BASE_MASK;
        }
        return sum;
    }

    /** Looks up keys, each after the last answer; times each lookup unless the histogram is null. */
    private long oneByOne(final PointIndex index, final int from, final Histogram histogram) {
        final byte[] keys = queries.keys();
        final int step = kind.queriesPerLookup();
        long sum = 0;
        long last = 0;
        for (int first = from; first < from + CHUNK; first += step) {
            final int query = first + choice(step, last);
            final long start = histogram == null ? 0 : System.nanoTime();
            last = index.get(keys, queries.offset(query), queries.length(query)) & Payloads.BASE_MASK;
            if (histogram != null) {
                histogram.recordValue(Math.max(0, System.nanoTime() - start));
            }
            sum += last;
        }
        return sum;
    }
}
