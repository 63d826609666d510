/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

/**
 * Nodes of level {@link #LEVEL} in key order with a piece of each one's key, as they were at some time: a search begins at the
 * last of them before its key, and needs none of the levels above.
 * <p>
 * A binary search compares any entry {@code i} only with keys between two certain other entries, its bounds. The chunk of
 * {@code i} begins where these two begin to differ, so that it tells {@code i} from most keys in between.
 * <h2>Thread safety</h2>
 * Immutable. The nodes are good within a guard that was entered before the directory was taken from its keeper.
 */
final class Directory {
    static final int LEVEL = NodeLayout.SMALL_HEIGHT;
    /**
     * Most nodes of the level that a search passes before it gives up and begins at the head: where many keys were put
     * between two entries since the directory was made.
     */
    static final int MAX_WALK = 12;
    /** Bytes of an entry. */
    static final int ENTRY_BYTES = Integer.BYTES + Long.BYTES + 2 * Character.BYTES;

    private final int size;
    private final int[] entries;
    private final long[] chunks;
    private final char[] places;
    private final char[] shared;

    /**
     * Makes a directory of arrays that are not changed any more.
     *
     * @param size number of entries
     * @param entries the nodes
     * @param chunks a chunk of each key
     * @param places where the chunk begins
     * @param shared bytes that the key shares with the next entry's
     */
    Directory(final int size, final int[] entries, final long[] chunks, final char[] places, final char[] shared) {
        this.size = size;
        this.entries = entries;
        this.chunks = chunks;
        this.places = places;
        this.shared = shared;
    }

    int size() {
        return size;
    }

    /** Node of an entry; {@link NodeLayout#NULL} behind the last one. */
    int node(final int entry) {
        return entry < size ? entries[entry] : NodeLayout.NULL;
    }

    /** Bytes that all keys between an entry and the next one share. */
    int shared(final int entry) {
        return shared[entry];
    }

    /**
     * The last entry whose key is at or below a key.
     *
     * @return its number, -1 if there is none; {@code ~(size() + number)} if it is the key's own
     */
    int floor(final Nodes nodes, final byte[] key, final int offset, final int length) {
        int low = -1;
        int high = size;
        while (high - low > 1) {
            final int middle = (low + high) >>> 1;
            final long own = chunks[middle];
            final long other = KeyChunk.at(key, offset, length, places[middle]);
            boolean less = own + Long.MIN_VALUE < other + Long.MIN_VALUE;
            if (own == other) {
                final int order = nodes.compareKeys(entries[middle], key, offset, length);
                if (order == 0) {
                    return ~(size + middle);
                }
                less = order < 0;
            }
            if (less) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Entry of the key's own that {@link #floor} answers with, or -1 if it answers with another. */
    int own(final int floor) {
        return floor < -1 ? ~floor - size : -1;
    }
}
