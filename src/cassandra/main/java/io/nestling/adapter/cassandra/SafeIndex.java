/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.index.EntryCursor;
import io.nestling.index.MergingCursor;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;

/**
 * An index that takes every key: a sorted map on the heap has those for which the index has no space or which are longer than
 * it allows.
 * <h2>Thread safety</h2> One thread at a time writes; any number of threads read under a guard.
 */
final class SafeIndex implements AutoCloseable {
    private static final int NEAR_PERCENT = 40;
    private static final int ALL_PERCENT = 100;

    private final OrderedIndex index;
    private final boolean storesKeys;
    private final long maxBytes;
    private volatile OverflowMap overflow;
    private volatile boolean isFull;

    /**
     * Creates the wrapper of an index.
     *
     * @param index the index; null if there is no memory for one
     * @param storesKeys whether the index stores keys, so that entries need not
     * @param maxBytes greatest size of the index
     */
    SafeIndex(final OrderedIndex index, final boolean storesKeys, final long maxBytes) {
        this.index = index;
        this.storesKeys = storesKeys;
        this.maxBytes = maxBytes;
    }

    boolean storesKeys() {
        return storesKeys;
    }

    /** Returns the payload of a key, or {@link PointIndex#NONE}. */
    long get(final byte[] key, final int length) {
        final OverflowMap more = overflow;
        if (more != null) {
            final long payload = more.get(key, length);
            if (payload != PointIndex.NONE || length > PointIndex.MAX_KEY_BYTES) {
                return payload;
            }
        } else if (length > PointIndex.MAX_KEY_BYTES) {
            return PointIndex.NONE;
        }
        return index == null ? PointIndex.NONE : index.get(key, 0, length);
    }

    /** Adds an absent key. */
    void add(final byte[] key, final int length, final long payload) {
        if (index != null && length <= PointIndex.MAX_KEY_BYTES) {
            try {
                index.put(key, 0, length, payload);
                return;
            } catch (final SpaceExhaustedException e) {
                isFull = true; // a write that Cassandra has logged must not fail: the map takes the key
            }
        }
        OverflowMap more = overflow;
        if (more == null) {
            more = new OverflowMap();
            more.put(key, length, payload);
            overflow = more;
        } else {
            more.put(key, length, payload);
        }
    }

    /** Returns whether the index had no space for a key. */
    boolean isFull() {
        return index == null || isFull;
    }

    /** Returns whether the index is full or will be soon; a table that it rebuilds needs space beside the old one. */
    boolean isNearLimit() {
        return isFull() || index.bytesUsed() > maxBytes / ALL_PERCENT * NEAR_PERCENT;
    }

    /** Returns a cursor over all keys, to be used within one guard. */
    EntryCursor cursor() {
        final OverflowMap more = overflow;
        if (index == null) {
            return more == null ? new OverflowMap().cursor() : more.cursor();
        }
        return more == null ? index.cursor() : MergingCursor.of(index.cursor(), more.cursor());
    }

    @Override
    public void close() {
        if (index != null) {
            index.close();
        }
    }
}
