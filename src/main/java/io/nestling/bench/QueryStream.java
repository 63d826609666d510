/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.workload.KeySet;

/**
 * Keys to look up, stored one after the other in the order of access: the queries are read sequentially, so that the time
 * of a lookup is that of the index, without cache misses of the benchmark itself.
 * <h2>Thread safety</h2>
 * Immutable.
 */
final class QueryStream {
    private final byte[] keys;
    private final int[] offsets;
    private final int[] expected;

    /** Copies the keys in the order of access, given by their numbers; those of added keys continue those of loaded ones. */
    QueryStream(final KeySet loaded, final KeySet added, final int[] order) {
        final int first = loaded.size();
        long bytes = 0;
        for (final int i : order) {
            bytes += i < first ? loaded.length(i) : added.length(i - first);
        }
        keys = new byte[Math.toIntExact(bytes)];
        offsets = new int[order.length + 1];
        expected = new int[order.length];
        for (int q = 0; q < order.length; q++) {
            offsets[q + 1] = order[q] < first ? lay(q, loaded, order[q]) : lay(q, added, order[q] - first);
        }
    }

    private int lay(final int query, final KeySet source, final int i) {
        final int length = source.length(i);
        System.arraycopy(source.array(i), source.offset(i), keys, offsets[query], length);
        expected[query] = Payloads.of(keys, offsets[query], length);
        return offsets[query] + length;
    }

    /** Returns the keys of a set in its order. */
    static QueryStream of(final KeySet source) {
        final int[] order = new int[source.size()];
        java.util.Arrays.setAll(order, i -> i);
        return new QueryStream(source, source, order);
    }

    /** Returns the number of queries. */
    int size() {
        return expected.length;
    }

    /** Returns the array with all keys. */
    byte[] keys() {
        return keys;
    }

    /** Returns the offset of a query's key. */
    int offset(final int query) {
        return offsets[query];
    }

    /** Returns the length of a query's key. */
    int length(final int query) {
        return offsets[query + 1] - offsets[query];
    }

    /** Returns the derived bits of a query's key. */
    int expected(final int query) {
        return expected[query];
    }
}
