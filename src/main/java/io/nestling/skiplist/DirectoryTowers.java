/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

/**
 * Which listed nodes have more than two levels, and how many: so that the node of a key with a tall one of its own finds its
 * neighbours on each level without a search from the head.
 * <h2>Thread safety</h2>
 * One thread fills it; immutable after that, for any number of threads.
 */
final class DirectoryTowers {
    /** Nodes of more levels than this are here. */
    static final int LOW_HEIGHT = 2;
    /* Room for twice as many as there are by the odds. What finds no room is not known here, and passed by searches. */
    private static final int SHARE_SHIFT = 6;

    private final int[] places;
    private final byte[] heights;
    private int size;

    /** Room for the towers among so many listed nodes. */
    DirectoryTowers(final int capacity) {
        places = new int[room(capacity)];
        heights = new byte[places.length];
    }

    private static int room(final int capacity) {
        return (capacity >> SHARE_SHIFT) + 1;
    }

    static long bytes(final int capacity) {
        return room(capacity) * (long) (Integer.BYTES + 1);
    }

    /** Adds the node of a place in the list, greater than those before. */
    void add(final int place, final int height) {
        if (size < places.length) {
            places[size] = place;
            heights[size] = (byte) height;
            size++;
        }
    }

    /** Number of towers. */
    int size() {
        return size;
    }

    /** The last tower at a place or before it, or -1. */
    int last(final int place) {
        int low = -1;
        int high = size;
        while (high - low > 1) {
            final int middle = low + high >>> 1;
            if (places[middle] <= place) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The last tower on a level from one on towards the first, or -1. */
    int before(final int tower, final int level) {
        int at = tower;
        while (at >= 0 && heights[at] <= level) {
            at--;
        }
        return at;
    }

    /** The first tower on a level from one on towards the last, or their number. */
    int behind(final int tower, final int level) {
        int at = tower;
        while (at < size && heights[at] <= level) {
            at++;
        }
        return at;
    }

    /** Place in the list. */
    int place(final int tower) {
        return places[tower];
    }
}
