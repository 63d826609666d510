/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A list of objects on the heap that grows without being copied.
 * <h2>Thread safety</h2> One thread at a time adds; any number of threads get and set.
 *
 * @param <T> type of the objects
 */
final class ObjectTable<T> {
    private static final int FIRST_SHIFT = 4;
    private static final int FIRST_SIZE = 1 << FIRST_SHIFT;
    private static final int CHUNKS = Integer.SIZE - FIRST_SHIFT;

    private final AtomicReferenceArray<AtomicReferenceArray<T>> chunks = new AtomicReferenceArray<>(CHUNKS);
    private int size;

    private static int chunk(final int number) {
        return Integer.SIZE - 1 - FIRST_SHIFT - Integer.numberOfLeadingZeros(number + FIRST_SIZE);
    }

    private static int index(final int number) {
        final int shifted = number + FIRST_SIZE;
        return shifted - Integer.highestOneBit(shifted);
    }

    /** Adds an object and returns its number. */
    int add(final T object) {
        final int number = size;
        final int chunk = chunk(number);
        AtomicReferenceArray<T> objects = chunks.get(chunk);
        if (objects == null) {
            objects = new AtomicReferenceArray<>(FIRST_SIZE << chunk);
            chunks.set(chunk, objects);
        }
        objects.set(index(number), object);
        size = number + 1;
        return number;
    }

    T get(final int number) {
        return chunks.get(chunk(number)).get(index(number));
    }

    void set(final int number, final T object) {
        chunks.get(chunk(number)).set(index(number), object);
    }

    /** Returns the number of objects for which arrays have space. */
    long capacity() {
        return size == 0 ? 0 : (2L * FIRST_SIZE << chunk(size - 1)) - FIRST_SIZE;
    }
}
