/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.util.Arrays;

/**
 * The operations of one client: {@link #next} draws one, {@link #key} and {@link #scanLength} return its arguments.
 * Allocates nothing.
 * <p>
 * Keys are numbers: 0 to {@code loadedKeys - 1} are loaded; the stream inserts greater ones in ascending order. Reads, updates
 * and scans request loaded keys, and with {@link RequestDistribution#LATEST} also those that this stream has inserted.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
public final class OperationStream {
    /** Greatest number of entries of a scan. */
    public static final int MAX_SCAN_LENGTH = 100;

    private static final int PERCENT = 100;

    /** The operation for a number below 100; each occurs as often as its share. */
    private final Operation[] operations = new Operation[PERCENT];
    private final Randomness randomness;
    private final int loadedKeys;
    private final RequestDistribution distribution;
    private final int client;
    private final int clients;
    /** Null if the distribution of requests is uniform. */
    private final ZipfianGenerator ranks;
    private final Permutation spread;

    private int inserted;
    private int key;
    private int scanLength;

    /** Parameters of the keys that a client requests and inserts. */
    record Requests(int loadedKeys, RequestDistribution distribution, int client, int clients) {
    }

    OperationStream(final OperationMix mix, final Requests requests, final long seed) {
        int filled = 0;
        for (final Operation operation : Operation.values()) {
            Arrays.fill(operations, filled, filled + mix.percent(operation), operation);
            filled += mix.percent(operation);
        }
        loadedKeys = requests.loadedKeys;
        distribution = requests.distribution;
        client = requests.client;
        clients = requests.clients;
        randomness = new Randomness(seed);
        randomness.restart(seed, client);
        final boolean even = loadedKeys == 0 || distribution == RequestDistribution.UNIFORM
            || distribution == RequestDistribution.HOT_KEY;
        ranks = even ? null : new ZipfianGenerator(loadedKeys, randomness);
        // The popular keys are the same for all clients and seeds.
        spread = even ? null : new Permutation(loadedKeys, loadedKeys);
    }

    /** Draws the next operation. */
    public Operation next() {
        final Operation operation = operations[randomness.below(PERCENT)];
        if (operation == Operation.INSERT) {
            key = insertedKey(inserted);
            inserted++;
            if (distribution == RequestDistribution.LATEST && ranks != null) {
                ranks.items((long) loadedKeys + inserted);
            }
        } else {
            key = request();
            scanLength = operation == Operation.SCAN ? 1 + randomness.below(MAX_SCAN_LENGTH) : 0;
        }
        return operation;
    }

    private int request() {
        if (ranks == null) {
            final boolean hot = distribution == RequestDistribution.HOT_KEY && randomness.below(2) == 0;
            return hot ? 0 : randomness.below(loadedKeys);
        }
        final long rank = ranks.next();
        if (distribution == RequestDistribution.ZIPFIAN) {
            return (int) spread.apply(rank);
        }
        return rank < inserted ? insertedKey(inserted - 1 - (int) rank) : loadedKeys - 1 - (int) (rank - inserted);
    }

    /** Returns an inserted key; clients take turns with the absent keys. */
    private int insertedKey(final int number) {
        return Math.addExact(loadedKeys + client, Math.multiplyExact(number, clients));
    }

    /**
     * Returns the number of the key of the operation drawn last; below the number of loaded keys unless it is inserted, now or
     * before.
     */
    public int key() {
        return key;
    }

    /** Returns the number of entries of the scan drawn last, 1 to {@link #MAX_SCAN_LENGTH}. */
    public int scanLength() {
        return scanLength;
    }

    /** Returns the number of keys that this stream has inserted. */
    public int inserted() {
        return inserted;
    }
}
