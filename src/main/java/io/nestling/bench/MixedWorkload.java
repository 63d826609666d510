/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;
import io.nestling.index.PointIndex;
import io.nestling.workload.Operation;

/**
 * Reads, writes and scans as in YCSB. Scans skip keys that were added since the load, so that their result is known: a skipped
 * entry does not count towards the length of a scan.
 */
record MixedWorkload(OperationTrace[] traces, boolean inserts, boolean scans) implements Workload {
    /** Number of operations of a chunk. */
    static final int CHUNK = 512;
    /** Greatest number of passes over the operations of a workload with updates. */
    static final int UPDATE_PASSES = 2;

    private static final long WRONG = 1L << 40;
    /* Three workloads of which half of the operations are updates, and one of updates alone, which counts twice. */
    private static final long UPDATING_WORKLOADS = 5;

    /** Returns the greatest number of updates in one run with a number of keys of an average length. */
    static long maxUpdates(final long keys, final long averageBytes) {
        return UPDATING_WORKLOADS * UPDATE_PASSES * KeyMaterial.queries(keys, averageBytes) / 2;
    }

    @Override
    public int chunks() {
        return traces[0].size() / CHUNK;
    }

    /* An update may append a record. */
    @Override
    public int passes() {
        return inserts ? 1 : UPDATE_PASSES;
    }

    @Override
    public int operations(final int thread, final int chunk) {
        return CHUNK;
    }

    @Override
    public long expected(final int thread, final int chunk) {
        return traces[thread].expected(chunk * CHUNK, (chunk + 1) * CHUNK);
    }

    @Override
    public ChunkRunner open(final Target target, final int thread) {
        return new MixedRunner(target, traces[thread], scans);
    }

    /** One thread's reads and writes. */
    private static final class MixedRunner implements ChunkRunner {
        private final Target target;
        private final OperationTrace trace;
        private final EntryCursor cursor;
        private long generation;

        MixedRunner(final Target target, final OperationTrace trace, final boolean scans) {
            this.target = target;
            this.trace = trace;
            this.cursor = scans ? target.ordered().cursor() : null;
        }

        @Override
        public long run(final int chunk) {
            // Each pass over the trace writes another generation than the previous one.
            generation ^= chunk == 0 ? Payloads.GENERATION : 0;
            long sum = 0;
            for (int i = chunk * CHUNK; i < (chunk + 1) * CHUNK; i++) {
                sum += run(i, trace.operation(i));
            }
            return sum;
        }

        private long run(final int i, final Operation operation) {
            return switch (operation) {
                case READ -> read(i);
                case UPDATE -> update(i);
                case READ_MODIFY_WRITE -> read(i) + update(i);
                case INSERT -> write(i, Payloads.ADDED);
                case SCAN -> scan(i);
            };
        }

        private long read(final int i) {
            final QueryStream keys = trace.keys();
            return target.read(keys.keys(), keys.offset(i), keys.length(i)) & Payloads.BASE_MASK;
        }

        /*
         * A peer that writes blindly does not know the previous payload; one that returns it must return the
         * right one.
         */
        private long update(final int i) {
            final long previous = write(i, generation);
            return previous == PointIndex.NONE || (previous & Payloads.BASE_MASK) == trace.keys().expected(i) ? 0 : WRONG;
        }

        private long write(final int i, final long flags) {
            final QueryStream keys = trace.keys();
            return target.write(keys.keys(), keys.offset(i), keys.length(i), keys.expected(i) | flags);
        }

        private long scan(final int i) {
            final int guard = target.enterGuard();
            try {
                final QueryStream keys = trace.keys();
                int left = trace.scanLength(i);
                long sum = 0;
                for (boolean valid = cursor.seek(keys.keys(), keys.offset(i), keys.length(i)); valid && left > 0;
                    valid = left > 0 && cursor.next()) {
                    if ((cursor.payload() & Payloads.ADDED) == 0) {
                        sum += Payloads.digest(cursor);
                        left--;
                    }
                }
                return sum;
            } finally {
                target.exitGuard(guard);
            }
        }

        @Override
        public void close() {
            if (cursor != null) {
                cursor.close();
            }
        }
    }
}
