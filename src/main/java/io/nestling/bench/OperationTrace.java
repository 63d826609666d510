/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.PointIndex;
import io.nestling.workload.DatasetException;
import io.nestling.workload.KeySet;
import io.nestling.workload.Operation;
import io.nestling.workload.OperationMix;
import io.nestling.workload.OperationStream;
import io.nestling.workload.RequestDistribution;

import java.util.Arrays;

/**
 * The operations of one thread of a mixed workload, drawn in advance, with the expected result of each.
 * <h2>Thread safety</h2>
 * Immutable.
 */
final class OperationTrace {
    private static final long SEED = 0x79_6373_62L;
    private static final Operation[] OPERATIONS = Operation.values();

    private final byte[] operations;
    private final byte[] scanLengths;
    private final QueryStream keys;
    private final long[] expected;

    private OperationTrace(final Draft draft, final KeyMaterial material, final KeySet added) {
        this.operations = draft.operations;
        this.scanLengths = draft.scanLengths;
        this.keys = new QueryStream(material.keys(), added, draft.keys);
        this.expected = new long[operations.length];
        for (int i = 0; i < operations.length; i++) {
            expected[i] = expectedOf(i, draft.keys[i], material, added);
        }
    }

    /** The operations before the keys to add are known. */
    private static final class Draft {
        private final byte[] operations;
        private final byte[] scanLengths;
        private final int[] keys;
        private int end;

        Draft(final OperationStream stream, final int count) {
            operations = new byte[count];
            scanLengths = new byte[count];
            keys = new int[count];
            for (int i = 0; i < count; i++) {
                operations[i] = (byte) stream.next().ordinal();
                keys[i] = stream.key();
                scanLengths[i] = (byte) stream.scanLength();
                end = Math.max(end, keys[i] + 1);
            }
        }
    }

    /**
     * Draws the operations of all threads, {@code count} each; throws a {@link DatasetException} if there are too few keys to
     * insert.
     */
    static OperationTrace[] draw(
        final OperationMix mix, final RequestDistribution distribution, final KeyMaterial material, final int count,
        final int threads) throws DatasetException {
        final Draft[] drafts = new Draft[threads];
        for (int thread = 0; thread < threads; thread++) {
            drafts[thread] = new Draft(mix.stream(material.count(), distribution, SEED, thread, threads), count);
        }
        final int end = Arrays.stream(drafts).mapToInt(draft -> draft.end).max().orElse(0);
        final int inserted = mix.inserts() ? Math.max(0, end - material.count()) : 0;
        final KeySet added = inserted == 0 ? material.keys() : material.takeAbsent(inserted);
        final OperationTrace[] traces = new OperationTrace[threads];
        for (int thread = 0; thread < threads; thread++) {
            traces[thread] = new OperationTrace(drafts[thread], material, added);
            drafts[thread] = null;
        }
        return traces;
    }

    private long expectedOf(final int i, final int key, final KeyMaterial material, final KeySet added) {
        return switch (operation(i)) {
            case READ, READ_MODIFY_WRITE -> keys.expected(i);
            case UPDATE -> 0;
            case INSERT -> PointIndex.NONE;
            case SCAN -> {
                final SortedKeys sorted = material.sorted();
                final int first = material.count();
                final int rank = key < first ? sorted.rank(material.keys(), key) : sorted.rank(added, key - first);
                yield sorted.digest(rank, rank + scanLength(i));
            }
        };
    }

    /** Returns the number of operations. */
    int size() {
        return operations.length;
    }

    /** Returns an operation. */
    Operation operation(final int i) {
        return OPERATIONS[operations[i]];
    }

    /** Returns the number of entries of a scan. */
    int scanLength(final int i) {
        return scanLengths[i];
    }

    /** Returns the keys of all operations. */
    QueryStream keys() {
        return keys;
    }

    /** Returns the expected sum of the operations from one, inclusive, to another, exclusive. */
    long expected(final int from, final int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += expected[i];
        }
        return sum;
    }
}
