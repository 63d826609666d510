/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import java.util.Arrays;

/**
 * The linked list of a {@link LeafStream}: leaves that were read, nodes under way and inner nodes. An item is eight numbers in
 * one array, and is named by the index of the first one.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class LeafItems {
    /** Item before the first and behind the last one of the list. */
    static final int END = 0;
    private static final int ITEMS = 128;
    private static final int ITEM_SHIFT = 3;
    private static final int REST = 0;
    private static final int HASH = 1;
    private static final int HINTS = 2;
    private static final int WANTED = 3;
    private static final int LINE = 4;
    private static final int ABOVE = 5;
    private static final int NEXT = 6;
    private static final int PREVIOUS = 7;
    private static final long LEAF_READ = 0;
    private static final long ON_THE_WAY = -1;

    private long[] words = new long[ITEMS << ITEM_SHIFT];
    private int used;
    /* Linked list of unused items. */
    private int unused;
    private int size;

    void clear() {
        words[END + REST] = 1; // ends the search for an inner node
        words[END + NEXT] = END;
        words[END + PREVIOUS] = END;
        used = 1 << ITEM_SHIFT;
        unused = END;
        size = 0;
    }

    int size() {
        return size;
    }

    int first() {
        return (int) words[END + NEXT];
    }

    int next(final int item) {
        return (int) words[item + NEXT];
    }

    /** Adds an item in front of another one. */
    int add(final int behind) {
        int at = unused;
        if (at != END) {
            unused = (int) words[at + NEXT];
        } else {
            at = used;
            used += 1 << ITEM_SHIFT;
            if (at == words.length) {
                words = Arrays.copyOf(words, 2 * at);
            }
        }
        final long[] of = words;
        final int before = (int) of[behind + PREVIOUS];
        of[before + NEXT] = at;
        of[at + PREVIOUS] = before;
        of[at + NEXT] = behind;
        of[behind + PREVIOUS] = at;
        size++;
        return at;
    }

    /** Removes up to so many leaves from the front of the list, copies their payloads and returns their number. */
    int takeLeaves(final long[] payloads, final int most) {
        final long[] of = words;
        int at = (int) of[END + NEXT];
        int taken = 0;
        while (taken < most && of[at + REST] == LEAF_READ) {
            payloads[taken++] = of[at + HASH];
            final int behind = (int) of[at + NEXT];
            of[at + NEXT] = unused;
            unused = at;
            at = behind;
        }
        of[END + NEXT] = at;
        of[at + PREVIOUS] = END;
        size -= taken;
        return taken;
    }

    /** Returns the first inner node from an item on, or {@link #END}. */
    int innerFrom(final int first) {
        final long[] of = words;
        int at = first;
        while (of[at + REST] <= 0) {
            at = (int) of[at + NEXT];
        }
        return at;
    }

    boolean isLeaf(final int item) {
        return words[item + REST] == LEAF_READ;
    }

    /** Makes an item a leaf that was read. */
    void setLeaf(final int item, final long payload) {
        words[item + REST] = LEAF_READ;
        words[item + HASH] = payload;
    }

    /** Makes an item a node under way, which is searched for in the bucket {@code line} first. */
    void setOnTheWay(final int item, final long hash, final long wanted, final long line) {
        final long[] of = words;
        of[item + REST] = ON_THE_WAY;
        of[item + HASH] = hash;
        of[item + WANTED] = wanted;
        of[item + LINE] = line;
    }

    /** Makes an item an inner node. */
    void setInner(final int item, final long children, final long hints, final long wanted) {
        final long[] of = words;
        of[item + REST] = children;
        of[item + HINTS] = hints;
        of[item + WANTED] = wanted;
    }

    /** Returns the remaining children of an inner node in the order of their codes. */
    long rest(final int item) {
        return words[item + REST];
    }

    void setRest(final int item, final long rest) {
        words[item + REST] = rest;
    }

    /** Returns the hash of a node. */
    long hash(final int item) {
        return words[item + HASH];
    }

    /** Returns of an inner node the children that stand in their secondary buckets, of a node under way how to find it. */
    long hints(final int item) {
        return words[item + HINTS];
    }

    void setHints(final int item, final long hints) {
        words[item + HINTS] = hints;
    }

    /**
     * Returns, in the lower half, what identifies a node in the bucket where it is searched first, of an inner node its color for
     * its children; in the upper half the version of the bucket {@link #above}.
     */
    long wanted(final int item) {
        return words[item + WANTED];
    }

    /** Returns the bucket where a node under way is searched first. */
    long line(final int item) {
        return words[item + LINE];
    }

    /** Returns the bucket of the node above; of an inner node, its own. */
    long above(final int item) {
        return words[item + ABOVE];
    }

    void setAbove(final int item, final long line) {
        words[item + ABOVE] = line;
    }
}
