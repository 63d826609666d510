/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.workload.Dataset;
import io.nestling.workload.DatasetException;
import io.nestling.workload.KeySet;

/**
 * The keys of one dataset in one number: those to load, and those that are not there, for misses and for
 * inserts.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class KeyMaterial {
    /** Bytes of query keys that a workload lays out at most. */
    static final long MAX_QUERY_BYTES = 96L << 20;
    /** Queries that a workload lays out at most: many enough that caches do not know them. */
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

    /**
     * Takes the keys to load.
     *
     * @param dataset where they come from
     * @param count how many
     * @param toAdd most keys that workloads will add beside a tenth of {@link #queries()}
     * @throws DatasetException if the dataset has not so many
     */
    KeyMaterial(final Dataset dataset, final int count, final int toAdd) throws DatasetException {
        this.dataset = dataset;
        this.toAdd = toAdd;
        this.keys = dataset.keys(count);
        this.payloads = Payloads.of(keys);
    }

    /** Name of the dataset. */
    String dataset() {
        return dataset.name();
    }

    /** Number of keys to load. */
    int count() {
        return keys.size();
    }

    /** The keys to load, in the order of their insertion. */
    KeySet keys() {
        return keys;
    }

    /** What follows from each key. */
    int[] payloads() {
        return payloads;
    }

    /** The keys in unsigned order. */
    SortedKeys sorted() {
        if (sorted == null) {
            sorted = new SortedKeys(keys);
        }
        return sorted;
    }

    /** Keys of the same shape that are not loaded, at least as many as {@link #queries()}. */
    KeySet absent() throws DatasetException {
        if (absent == null) {
            absent = dataset.absentKeys(queries() + toAdd, keys);
        }
        return absent;
    }

    /** Some of the absent keys that no workload has added yet; from now on they count as added. */
    KeySet takeAbsent(final int count) throws DatasetException {
        final int from = added;
        added += count;
        return absent().slice(from, added);
    }

    /** How many keys a workload asks for before it begins anew: a power of two. */
    int queries() {
        return queries(count(), keys.keyBytes() / Math.max(1, count()));
    }

    /** How many queries there are for keys of some number and average length. */
    static int queries(final long keys, final long averageBytes) {
        final long most = Math.min(MAX_QUERY_BYTES / Math.max(1, averageBytes), QUERIES_PER_KEY * keys);
        return (int) Math.max(MIN_QUERIES, Math.min(MAX_QUERIES, Long.highestOneBit(most)));
    }
}
