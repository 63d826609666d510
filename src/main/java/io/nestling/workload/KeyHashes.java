/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import io.nestling.bytes.Hashing;

/**
 * The 64-bit hashes of the keys that were met, in an open table of 12 bytes a key. Two keys with one hash pass
 * for the same: a loss of one key in a set of thirty million with a chance of 1 to 40,000, and always the same
 * one.
 * <p>
 * Used by one thread.
 */
final class KeyHashes {
    private static final int HASH_SEED = 0;
    private static final double SPARE = 1.5;
    private static final long MAX_KEYS = (long) (Integer.MAX_VALUE / SPARE) - Long.BYTES;
    /** Stands for the hash 0, which marks free places. */
    private static final long HASH_FOR_ZERO = 1;

    private final long[] table;

    /**
     * Makes room.
     *
     * @param keys most keys that will be added
     * @throws IllegalArgumentException if they are too many for an array
     */
    KeyHashes(final long keys) {
        if (keys > MAX_KEYS) {
            throw new IllegalArgumentException("cannot tell apart " + keys + " keys, at most " + MAX_KEYS);
        }
        table = new long[(int) (keys * SPARE) + Long.BYTES];
    }

    /**
     * Adds a key.
     *
     * @return false if it was there
     */
    boolean add(final byte[] array, final int offset, final int length) {
        return add(Hashing.hash64(array, offset, length, HASH_SEED));
    }

    void addAll(final KeySet keys) {
        for (int i = 0; i < keys.size(); i++) {
            add(keys.array(i), keys.offset(i), keys.length(i));
        }
    }

    private boolean add(final long hash) {
        final long stored = hash == 0 ? HASH_FOR_ZERO : hash;
        for (int i = Hashing.reduce(stored, table.length);; i = i + 1 == table.length ? 0 : i + 1) {
            if (table[i] == 0) {
                table[i] = stored;
                return true;
            }
            if (table[i] == stored) {
                return false;
            }
        }
    }
}
