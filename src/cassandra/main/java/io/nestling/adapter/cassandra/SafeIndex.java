/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.index.EntryCursor;
import io.nestling.index.MergingCursor;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.index.small.SmallIndex;
import io.nestling.memory.SpaceExhaustedException;

import java.util.function.Supplier;

/**
 * An index that takes every key: a sorted map on the heap has those for which the index has no space or which are longer than
 * it allows.
 * <h2>Thread safety</h2> One thread at a time writes; any number of threads read under a guard.
 */
final class SafeIndex implements AutoCloseable {
    private static final int NEAR_PERCENT = 40;
    private static final int ALL_PERCENT = 100;

    /* The index of the first keys, which stays for those that read it; null if there is none. */
    private final SmallIndex small;
    private final Supplier<Sized> larger;
    private final boolean storesKeys;
    /* Replaced once, by the writer, if it is the small one. */
    private volatile OrderedIndex index;
    private long maxBytes;
    private volatile OverflowMap overflow;
    private volatile boolean isFull;

    /**
     * An index and its greatest size.
     *
     * @param index the index; null if there is no memory for one
     * @param maxBytes its greatest size in bytes
     */
    record Sized(OrderedIndex index, long maxBytes) {
    }

    /**
     * Creates the wrapper of an index.
     *
     * @param only the index
     * @param storesKeys whether the index stores keys, so that entries need not
     */
    SafeIndex(final Sized only, final boolean storesKeys) {
        this.small = null;
        this.larger = null;
        this.storesKeys = storesKeys;
        this.index = only.index();
        this.maxBytes = only.maxBytes();
    }

    /**
     * Creates the wrapper of an index without keys that a larger one replaces when it has many keys.
     *
     * @param small the index of the first keys
     * @param larger makes the other one
     */
    SafeIndex(final SmallIndex small, final Supplier<Sized> larger) {
        this.small = small;
        this.larger = larger;
        this.storesKeys = false;
        this.index = small;
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
        final OrderedIndex present = index;
        return present == null ? PointIndex.NONE : present.get(key, 0, length);
    }

    /** Adds an absent key. */
    void add(final byte[] key, final int length, final long payload) {
        if (index != null && length <= PointIndex.MAX_KEY_BYTES) {
            try {
                if (index == small && !isFull && small.entryCount() == SmallIndex.KEYS) {
                    grow();
                }
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

    /** Replaces the small index by one that has its entries. */
    private void grow() {
        final Sized made = larger.get();
        final OrderedIndex grown = made.index();
        if (grown == null) {
            throw new SpaceExhaustedException("no memory for an index of more than " + SmallIndex.KEYS + " keys");
        }
        try (EntryCursor cursor = small.cursor()) {
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                grown.put(cursor.keyBuffer(), 0, cursor.keyLength(), cursor.payload());
            }
        } catch (final Throwable e) {
            grown.close();
            throw e;
        }
        maxBytes = made.maxBytes();
        index = grown;
    }

    /** Returns whether the index had no memory for a key, so that further ones are in the map. */
    boolean isOverflowing() {
        return index == null || isFull;
    }

    /** Returns whether the index will soon have its greatest size; a table that it rebuilds needs space beside the old one. */
    boolean isNearLimit() {
        final OrderedIndex present = index;
        return present != null && present != small && present.bytesUsed() > maxBytes / ALL_PERCENT * NEAR_PERCENT;
    }

    /** Returns the number of bytes of the index. */
    long bytes() {
        final OrderedIndex present = index;
        return present == null ? 0 : present.bytesUsed();
    }

    /** Returns the number of bytes of the map on the heap. */
    long overflowBytes() {
        final OverflowMap more = overflow;
        return more == null ? 0 : more.bytes();
    }

    /** Returns a cursor over all keys, to be used within one guard. */
    EntryCursor cursor() {
        final OrderedIndex present = index;
        final OverflowMap more = overflow;
        if (present == null) {
            return more == null ? new OverflowMap().cursor() : more.cursor();
        }
        return more == null ? present.cursor() : MergingCursor.of(present.cursor(), more.cursor());
    }

    @Override
    public void close() {
        if (index != null) {
            index.close();
        }
        if (small != null && small != index) {
            small.close();
        }
    }
}
