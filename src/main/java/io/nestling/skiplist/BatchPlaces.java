/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.index.KeyBatch;

import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * The places in the directory that a writer's batch of new keys was found to belong to, until these keys are put, in the order
 * of the batch: so that a put does not look for its place again. It has copies of the keys, and only a put of the same key
 * takes a place.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class BatchPlaces {
    private static final WeakReference<Directory> NOBODY = new WeakReference<>(null);
    private static final int MOST_BYTES = 1 << 16;
    private static final int MOST_KEYS = 1 << 9;

    /* What the places are in. It may be gone at any time, and must not be kept from that. */
    private WeakReference<Directory> directory = NOBODY;
    private byte[] bytes = new byte[1 << 10];
    private int[] ends = new int[32];
    private long[] floors = new long[32];
    private long[] nears = new long[32];
    private int size;
    private int taken;

    /** Forgets all places and begins with those in a directory. */
    void begin(final Directory of) {
        directory = of == null ? NOBODY : of.reference();
        size = 0;
        taken = 0;
    }

    /** Adds a key of a batch; one that is too much for this is put without help. */
    void add(final KeyBatch batch, final int key, final long floor, final long near) {
        final int length = batch.length(key);
        final int from = end(size);
        if (length > MOST_BYTES - from || size == MOST_KEYS) {
            return;
        }
        if (size == ends.length) {
            floors = Arrays.copyOf(floors, 2 * size);
            nears = Arrays.copyOf(nears, 2 * size);
            ends = Arrays.copyOf(ends, 2 * size); // the last one, as its length tells what fits
        }
        if (length > bytes.length - from) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, from + length));
        }
        System.arraycopy(batch.array(key), batch.offset(key), bytes, from, length);
        ends[size] = from + length;
        floors[size] = floor;
        nears[size] = near;
        size++;
    }

    /** Whether the next place is that of a key in a directory; if so it is the one to be read until the next call. */
    boolean take(final Directory of, final byte[] key, final int offset, final int length) {
        if (taken == size) {
            return false;
        }
        final int from = end(taken);
        if (!Arrays.equals(key, offset, offset + length, bytes, from, ends[taken])) {
            return false;
        }
        taken++;
        return directory.refersTo(of);
    }

    /** Number of places that were not taken. */
    int left() {
        return size - taken;
    }

    private int end(final int keys) {
        return keys == 0 ? 0 : ends[keys - 1];
    }

    /** What {@link Directory#floor} said of the key whose place was taken. */
    long floor() {
        return floors[taken - 1];
    }

    /** What {@link Directory#narrow} said of it. */
    long near() {
        return nears[taken - 1];
    }
}
