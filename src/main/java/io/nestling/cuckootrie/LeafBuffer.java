/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

/**
 * Leaves that a cursor shows next, in the order of its walk: batches or a stream of leaves fill it, the cursor goes through it
 * and tells how much of their records it reads.
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

    /** Makes room for a number of leaves and drops those that are there. */
    long[] empty(final int room) {
        clear();
        if (payloads.length < room) {
            payloads = new long[Math.max(room, 2 * payloads.length)];
        }
        return payloads;
    }

    /** Tells how many leaves were written to what {@link #empty} returned. */
    void filled(final int leaves) {
        size = leaves;
    }

    /** Returns the number of bytes of a key, as far as keys are read: so many lines of a record are requested. */
    int keyBytes() {
        return keyBytes;
    }

    /** The cursor reads keys, of which most are about so long. */
    void expectKeys(final int bytes) {
        keyBytes = bytes;
    }

    /** Returns the leaf where the cursor stands. */
    long payload() {
        return payloads[at];
    }

    /** Goes to the next leaf; false if there is none. */
    boolean next() {
        return ++at < size;
    }
}
