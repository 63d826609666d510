/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import io.nestling.offheap.Slab;

/**
 * Keys as pairs of their first eight bytes and a record that holds the whole key. Sorted pairs do not change.
 * <pre>
 *  byte 0               8               16
 *       +---------------+---------------+
 *       | prefix        | record        |     prefix: big-endian number of the first eight bytes, padded with zeroes
 *       +---------------+---------------+     record: its pointer
 * </pre>
 * <h2>Thread safety</h2>
 * Any number of threads read; several threads may write different pairs.
 */
abstract class KeyEntries {
    /** Bytes of a pair. */
    static final int ENTRY_BYTES = 16;
    /** Offset of the pointer in a pair. */
    static final int RECORD_OFFSET = 8;
    private static final int ENTRY_SHIFT = 4;

    private final long size;

    private KeyEntries(final long size) {
        this.size = size;
    }

    /** Returns zeroed pairs on the heap. */
    static KeyEntries onHeap(final int size) {
        return new HeapEntries(size);
    }

    /** Returns the first pairs of a slab. */
    static KeyEntries inSlab(final Slab slab, final long size) {
        return new SlabEntries(slab, size);
    }

    /** Returns a copy on the heap. */
    KeyEntries copyOnHeap() {
        final KeyEntries copy = onHeap((int) size);
        for (int i = 0; i < size; i++) {
            copy.set(i, prefix(i), record(i));
        }
        return copy;
    }

    long size() {
        return size;
    }

    abstract long prefix(long i);

    abstract long record(long i);

    abstract void set(long i, long prefix, long record);

    /** Pairs in an array. */
    private static final class HeapEntries extends KeyEntries {
        private final long[] words;

        HeapEntries(final int size) {
            super(size);
            this.words = new long[2 * size];
        }

        @Override
        long prefix(final long i) {
            return words[(int) i << 1];
        }

        @Override
        long record(final long i) {
            return words[((int) i << 1) + 1];
        }

        @Override
        void set(final long i, final long prefix, final long record) {
            words[(int) i << 1] = prefix;
            words[((int) i << 1) + 1] = record;
        }
    }

    /** Pairs in a slab. */
    private static final class SlabEntries extends KeyEntries {
        private final Slab slab;

        SlabEntries(final Slab slab, final long size) {
            super(size);
            this.slab = slab;
        }

        @Override
        long prefix(final long i) {
            return slab.getLong(i << ENTRY_SHIFT);
        }

        @Override
        long record(final long i) {
            return slab.getLong((i << ENTRY_SHIFT) + RECORD_OFFSET);
        }

        @Override
        void set(final long i, final long prefix, final long record) {
            slab.putLong(i << ENTRY_SHIFT, prefix);
            slab.putLong((i << ENTRY_SHIFT) + RECORD_OFFSET, record);
        }
    }
}
