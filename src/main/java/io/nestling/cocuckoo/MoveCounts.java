/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import io.nestling.offheap.Slab;

/**
 * Counts the moves of keys between their buckets: a reader that looked into one bucket before its key came there, and into the
 * other one after the key had left, finds the count changed. Keys share a word by the top eight bits of their hash.
 * <pre>
 *  word: 8 bytes, compareAndSetLong / getLongAcquire
 * </pre>
 * The words stand behind the first entries of the directory, in 32 lines that stay in the caches. So a get reads one before it
 * looks for its key, at little cost, and need not look again if there is none.
 * <h2>Thread safety</h2>
 * Any thread may count and read.
 */
final class MoveCounts {
    static final int WORDS = 256;
    /** Offset of the first word in the slab of the regions. */
    static final int OFFSET = RegionDirectory.FIRST_BYTES;
    static final int BYTES = WORDS * Long.BYTES;
    /* Shifts the top bits of a hash to where they give the offset of a word. */
    private static final int WORD_SHIFT = 53;

    private MoveCounts() {
    }

    private static long offset(final long hash) {
        return OFFSET + (hash >>> WORD_SHIFT & -Long.BYTES);
    }

    /** Returns the count for the key of a hash. */
    static long of(final Slab slab, final long hash) {
        return slab.getLongAcquire(offset(hash));
    }

    /** Counts a move of the key of a hash. */
    static void count(final Slab slab, final long hash) {
        final long offset = offset(hash);
        long count;
        do {
            count = slab.getLongAcquire(offset);
        } while (!slab.compareAndSetLong(offset, count, count + 1));
    }
}
