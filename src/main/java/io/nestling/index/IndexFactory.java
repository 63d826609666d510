/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** Makes indexes of one kind and says what they can do. */
public interface IndexFactory {
    /**
     * Makes an empty index. It draws its memory from the context's allocator and budget.
     *
     * @param context memory and records that the index works with
     * @return a new index; an {@link OrderedIndex} if {@link #ordered()}
     * @throws io.nestling.memory.SpaceExhaustedException if not even an empty one fits
     */
    PointIndex create(IndexContext context);

    /**
     * Name for users: lower case with underscores.
     *
     * @return the name
     */
    String indexName();

    /**
     * Tells whether the indexes are {@link OrderedIndex}es.
     *
     * @return true if they have cursors
     */
    boolean ordered();

    /**
     * Tells whether the index spells whole keys itself, so that records can leave them out.
     *
     * @return false if the index reads keys from records
     */
    boolean storesKeys();

    /**
     * Tells whether the index spells keys of one length itself, so that an index of such keys alone needs no records:
     * any payload will do then, and the context's key source may be {@link io.nestling.memory.KeySource#NONE}. A
     * memtable, which has keys of any length, goes by {@link #storesKeys()}.
     *
     * @param keyLength bytes of every key
     * @return false if the index reads keys of that length from records
     */
    default boolean storesKeys(final int keyLength) {
        return storesKeys();
    }

    /**
     * Tells whether several threads may write one index at the same time.
     *
     * @return false if writers must take turns
     */
    boolean concurrentWriters();
}
