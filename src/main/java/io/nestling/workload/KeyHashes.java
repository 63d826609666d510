/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import io.nestling.bytes.Hashing;

/**
 * A set of keys, represented by their 64-bit hashes in a hash table with open addressing, 12 bytes a key. Two keys with the
 * same hash count as equal: this loses a key in a set of thirty million with a probability of 1 to 40,000, always the same one.
 * <p>
 * Not thread-safe.
 */
final class KeyHashes {
    private static final int HASH_SEED = 0;
    private static final double SPARE = 1.5;
    private static final long MAX_KEYS = (long) (Integer.MAX_VALUE / SPARE) - Long.BYTES;
    /** Replaces the hash 0, which marks free slots. */
    private static final long HASH_FOR_ZERO = 1;

    private final long[] table;

    /** Creates an empty set for a greatest number of keys; throws if they do not fit into an array. */
    KeyHashes(final long keys) {
        if (keys > MAX_KEYS) {
            throw new IllegalArgumentException("cannot tell apart " + keys + " keys, at most " + MAX_KEYS);
        }
        table = new long[(int) (keys * SPARE) + Long.BYTES];
    }

    /** Adds a key; returns false if it was present. */
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
