/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;

import java.util.Arrays;

/**
 * Keys of a flush, equally many entries apart: how the keys of a memtable are distributed. {@link Sharding#learned} takes the
 * boundaries of the next memtable's ranges from it.
 * <h2>Thread safety</h2>
 * Immutable: any thread.
 */
public final class KeySample {
    /** Maximum number of keys. */
    public static final int MAX_KEYS = 255;
    /** Of a longer key, only so many leading bytes are kept. */
    public static final int MAX_KEY_BYTES = 256;

    private final byte[][] keys;

    private KeySample(final byte[][] keys) {
        this.keys = keys;
    }

    /**
     * Returns the number of keys, which differ and ascend.
     *
     * @return 0 to {@link #MAX_KEYS}
     */
    public int size() {
        return keys.length;
    }

    /** Returns the boundaries between ranges with equally many keys of this sample; its size is at least their number. */
    byte[][] boundaries(final int ranges) {
        final byte[][] boundaries = new byte[ranges - 1][];
        for (int i = 1; i < ranges; i++) {
            boundaries[i - 1] = keys[(int) ((long) i * (keys.length + 1) / ranges) - 1];
        }
        return boundaries;
    }

    /** Returns the number of keys in the range that has most of them, of a sharding by ranges. */
    int mostInOneRange(final Sharding sharding) {
        final int[] counts = new int[sharding.rangeCount()];
        for (final byte[] key : keys) {
            counts[sharding.rangeOf(key, 0, key.length)]++;
        }
        return Arrays.stream(counts).max().orElse(0);
    }

    /** Takes the sample while the entries pass in order. */
    static final class Collector {
        private final long entries;
        private final byte[][] keys = new byte[MAX_KEYS][];
        private int size;
        private long taken;
        private long next;

        /** Creates a collector for a number of entries. */
        Collector(final long entries) {
            this.entries = entries;
            this.next = place(1);
        }

        /** Returns the number of the entry after which the i-th key is taken. */
        private long place(final long i) {
            return Math.max(i, Math.round((double) entries * i / (MAX_KEYS + 1)));
        }

        /** Returns whether the entry of a number, from 1, belongs to the sample. */
        boolean wants(final long entry) {
            return entry >= next;
        }

        /** Adds the key of an entry that belongs to the sample, unless it is there. */
        void add(final byte[] key, final int length) {
            next = ++taken < MAX_KEYS ? place(taken + 1) : Long.MAX_VALUE;
            final int kept = Math.min(length, MAX_KEY_BYTES);
            if (size == 0 || ByteComparison.compare(keys[size - 1], 0, keys[size - 1].length, key, 0, kept) < 0) {
                keys[size++] = Arrays.copyOf(key, kept);
            }
        }

        KeySample sample() {
            return new KeySample(Arrays.copyOf(keys, size));
        }
    }
}
