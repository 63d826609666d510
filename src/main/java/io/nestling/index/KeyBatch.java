/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.Arrays;

/**
 * Keys of one batched operation. It keeps the caller's arrays and copies nothing, so that they must not
 * change while the batch is in use; {@link #clear()} makes it ready for the next batch without allocation.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
public final class KeyBatch {
    private byte[][] arrays;
    private int[] offsets;
    private int[] lengths;
    private int size;

    /** Creates an empty batch. */
    public KeyBatch() {
        this(32);
    }

    /**
     * Creates an empty batch.
     *
     * @param capacity number of keys that it takes before it grows
     */
    public KeyBatch(final int capacity) {
        arrays = new byte[capacity][];
        offsets = new int[capacity];
        lengths = new int[capacity];
    }

    /**
     * Returns a batch of whole arrays.
     *
     * @param keys the keys
     * @return a new batch
     */
    public static KeyBatch of(final byte[]... keys) {
        final KeyBatch batch = new KeyBatch(Math.max(1, keys.length));
        for (final byte[] key : keys) {
            batch.add(key, 0, key.length);
        }
        return batch;
    }

    /**
     * Adds a key.
     *
     * @param array array that holds the key
     * @param offset its first byte
     * @param length its bytes
     */
    public void add(final byte[] array, final int offset, final int length) {
        if (size == arrays.length) {
            final int capacity = size + (size >> 1) + 8;
            offsets = Arrays.copyOf(offsets, capacity);
            lengths = Arrays.copyOf(lengths, capacity);
            arrays = Arrays.copyOf(arrays, capacity);
        }
        arrays[size] = array;
        offsets[size] = offset;
        lengths[size] = length;
        size++;
    }

    /** Removes all keys. */
    public void clear() {
        Arrays.fill(arrays, 0, size, null);
        size = 0;
    }

    /**
     * Returns the number of keys.
     *
     * @return keys added since the last {@link #clear()}
     */
    public int size() {
        return size;
    }

    /**
     * Returns the array that holds a key.
     *
     * @param i number of the key
     * @return the array
     */
    public byte[] array(final int i) {
        return arrays[i];
    }

    /**
     * Returns the offset of a key in its array.
     *
     * @param i number of the key
     * @return the index of its first byte
     */
    public int offset(final int i) {
        return offsets[i];
    }

    /**
     * Returns the length of a key.
     *
     * @param i number of the key
     * @return the length in bytes
     */
    public int length(final int i) {
        return lengths[i];
    }
}
