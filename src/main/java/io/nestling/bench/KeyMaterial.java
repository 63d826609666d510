/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.workload.Dataset;
import io.nestling.workload.DatasetException;
import io.nestling.workload.KeySet;

/**
 * A number of keys of one dataset: those to load, and absent ones for misses and inserts.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class KeyMaterial {
    /** Greatest total length of a workload's query keys. */
    static final long MAX_QUERY_BYTES = 96L << 20;
    /** Greatest number of a workload's queries: enough to exceed caches. */
    static final int MAX_QUERIES = 1 << 20;

    private static final int MIN_QUERIES = 1 << 10;
    private static final long QUERIES_PER_KEY = 4;

    private final Dataset dataset;
    private final KeySet keys;
    private final int[] payloads;
    private final int toAdd;
    private SortedKeys sorted;
    private KeySet absent;
    private int added;

    /** Reads the keys to load. Workloads will add up to {@code toAdd} keys, besides a tenth of {@link #queries()}. */
    KeyMaterial(final Dataset dataset, final int count, final int toAdd) throws DatasetException {
        this.dataset = dataset;
        this.toAdd = toAdd;
        this.keys = dataset.keys(count);
        this.payloads = Payloads.of(keys);
    }

    /** Returns the name of the dataset. */
    String dataset() {
        return dataset.name();
    }

    /** Returns the number of keys to load. */
    int count() {
        return keys.size();
    }

    /** Returns the keys to load in the order of their insertion. */
    KeySet keys() {
        return keys;
    }

    /** Returns the payload of each key. */
    int[] payloads() {
        return payloads;
    }

    /** Returns the keys in unsigned order. */
    SortedKeys sorted() {
        if (sorted == null) {
            sorted = new SortedKeys(keys);
        }
        return sorted;
    }

    /** Returns absent keys of the same shape, at least {@link #queries()}. */
    KeySet absent() throws DatasetException {
        if (absent == null) {
            absent = dataset.absentKeys(queries() + toAdd, keys);
        }
        return absent;
    }

    /** Returns a number of absent keys, which may be those that workloads add. */
    KeySet absent(final int count) throws DatasetException {
        return dataset.absentKeys(count, keys);
    }

    /** Returns absent keys that no workload has added yet; they count as added afterwards. */
    KeySet takeAbsent(final int count) throws DatasetException {
        final int from = added;
        added += count;
        return absent().slice(from, added);
    }

    /** Returns the number of keys that a workload requests before it starts over: a power of two. */
    int queries() {
        return queries(count(), keys.keyBytes() / Math.max(1, count()));
    }

    /** Returns the number of queries for a number of keys and their average length. */
    static int queries(final long keys, final long averageBytes) {
        final long most = Math.min(MAX_QUERY_BYTES / Math.max(1, averageBytes), QUERIES_PER_KEY * keys);
        return (int) Math.max(MIN_QUERIES, Math.min(MAX_QUERIES, Long.highestOneBit(most)));
    }
}
