/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.Arrays;

/**
 * Keys of one batched operation. It refers to the caller's arrays and copies nothing, so that they must stay
 * unchanged while the batch is in use; {@link #clear()} makes it ready for the next batch without allocation.
 * <h2>Thread safety</h2>
 * None.
 */
public final class KeyBatch {
    private byte[][] arrays;
    private int[] offsets;
    private int[] lengths;
    private int size;

    /** Makes an empty batch. */
    public KeyBatch() {
        this(32);
    }

    /**
     * Makes an empty batch.
     *
     * @param capacity number of keys that it takes before it grows
     */
    public KeyBatch(final int capacity) {
        arrays = new byte[capacity][];
        offsets = new int[capacity];
        lengths = new int[capacity];
    }

    /**
     * A batch of whole arrays.
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

    /** Drops all keys. */
    public void clear() {
        Arrays.fill(arrays, 0, size, null);
        size = 0;
    }

    /**
     * Number of keys.
     *
     * @return keys added since the last {@link #clear()}
     */
    public int size() {
        return size;
    }

    /**
     * Array that holds a key.
     *
     * @param i number of the key
     * @return the array
     */
    public byte[] array(final int i) {
        return arrays[i];
    }

    /**
     * Where a key begins in its array.
     *
     * @param i number of the key
     * @return the index of its first byte
     */
    public int offset(final int i) {
        return offsets[i];
    }

    /**
     * Bytes of a key.
     *
     * @param i number of the key
     * @return the length
     */
    public int length(final int i) {
        return lengths[i];
    }
}
