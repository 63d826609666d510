/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

/**
 * The next leaves of a cursor, in the order of its walk. Batches or a stream of leaves fill it; the cursor takes the leaves and
 * says how much of their records it reads.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class LeafBuffer {
    private static final int SIZE = 64;

    private long[] payloads = new long[SIZE];
    private int at;
    private int size;
    private int keyBytes;

    /** Drops all leaves. */
    void clear() {
        at = 0;
        size = 0;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Drops all leaves and makes room for a number of them; returns the array to fill. */
    long[] empty(final int room) {
        clear();
        if (payloads.length < room) {
            payloads = new long[Math.max(room, 2 * payloads.length)];
        }
        return payloads;
    }

    /** Sets the number of leaves written to the array of {@link #empty}. */
    void filled(final int leaves) {
        size = leaves;
    }

    /** Returns the number of key bytes that are read, for which the lines of records are requested; 0 if keys are not read. */
    int keyBytes() {
        return keyBytes;
    }

    /** Says that the cursor reads keys, most of them about so long. */
    void expectKeys(final int bytes) {
        keyBytes = bytes;
    }

    /** Returns the current leaf. */
    long payload() {
        return payloads[at];
    }

    /** Moves to the next leaf; returns false if there is none. */
    boolean next() {
        return ++at < size;
    }
}
