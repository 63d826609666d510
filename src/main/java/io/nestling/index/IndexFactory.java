/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** Creates indexes of one type and describes their properties. */
public interface IndexFactory {
    /** Bytes of heap of an index that does not override {@link #heapBytes()}. */
    int DEFAULT_HEAP_BYTES = 8_000;

    /**
     * Creates an empty index. It takes its memory from the context's allocator and budget.
     *
     * @param context memory and records of the index
     * @return a new index; an {@link OrderedIndex} if {@link #ordered()}
     * @throws io.nestling.memory.SpaceExhaustedException if not even an empty one fits
     */
    PointIndex create(IndexContext context);

    /**
     * Returns what the objects of an index that do not grow take of the heap. Its owner charges them.
     *
     * @return bytes, at least 0; 8,000 by default
     */
    default int heapBytes() {
        return DEFAULT_HEAP_BYTES;
    }

    /**
     * Returns the name for users: lower case with underscores.
     *
     * @return the name
     */
    String indexName();

    /**
     * Returns whether the indexes are {@link OrderedIndex}es.
     *
     * @return true if they have cursors
     */
    boolean ordered();

    /**
     * Returns whether the index stores whole keys, so that records need not hold them.
     *
     * @return false if the index reads keys from records
     */
    boolean storesKeys();

    /**
     * Returns whether the index stores whole keys of one length, so that an index of such keys alone needs no records:
     * then payloads are any numbers, and the context's key source may be {@link io.nestling.offheap.KeySource#NONE}. A
     * memtable, whose keys have any length, uses {@link #storesKeys()}.
     *
     * @param keyLength length of every key in bytes
     * @return false if the index reads keys of that length from records
     */
    default boolean storesKeys(final int keyLength) {
        return storesKeys();
    }

    /**
     * Returns whether several threads may write one index at the same time.
     *
     * @return false if writers must take turns
     */
    boolean concurrentWriters();
}
