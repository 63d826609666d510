/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import java.util.Arrays;

/** A copy of one node on the heap: read from a bucket, or to be written to one. */
final class Node {
    /** Offset where it was read. */
    long at;
    long meta;
    long key;
    /** The 16 children of a node of two cells, or the bitmap of a node of three. */
    final long[] words = new long[ChildMap.WORDS];
    private final long[] bits = new long[ChildMap.WORDS];

    void copyFrom(final Node other) {
        meta = other.meta;
        key = other.key;
        System.arraycopy(other.words, 0, words, 0, words.length);
    }

    /** Makes this a node of two children. */
    void setInner(final int level, final int fullKeyLen, final long minKey, final int child0, final int child1) {
        meta = small(level, fullKeyLen, 0, 0);
        key = minKey;
        Arrays.fill(bits, 0);
        ChildMap.add(bits, 0, child0);
        ChildMap.add(bits, 0, child1);
        setChildren(SMALL_CELLS, 2);
    }

    boolean contains(final int child) {
        switch (cells(meta)) {
            case SMALL_CELLS:
                return ChildMap.smallContains(smallChildren(meta), child);
            case MEDIUM_CELLS:
                return ChildMap.contains(words[0], child) || ChildMap.contains(words[1], child);
            default:
                return (words[child >>> 6] >>> child & 1) != 0;
        }
    }

    /** Copies the children as a bitmap. */
    void copyBits(final long[] destination, final int from) {
        if (cells(meta) == LARGE_CELLS) {
            System.arraycopy(words, 0, destination, from, ChildMap.WORDS);
            return;
        }
        Arrays.fill(destination, from, from + ChildMap.WORDS, 0);
        if (cells(meta) == SMALL_CELLS) {
            ChildMap.addAll(meta, SMALL_CHILDREN, destination, from);
        } else {
            ChildMap.addAll(words[0], Long.BYTES, destination, from);
            ChildMap.addAll(words[1], Long.BYTES, destination, from);
        }
    }

    int firstChild() {
        copyBits(bits, 0);
        return ChildMap.ceiling(bits, 0);
    }

    /** Returns the smallest child except the given one, or a negative number. */
    int otherChild(final int child) {
        copyBits(bits, 0);
        ChildMap.remove(bits, child);
        return ChildMap.ceiling(bits, 0);
    }

    /** Returns whether one more child needs one more cell. */
    boolean isFull() {
        return cells(meta) == SMALL_CELLS && count(meta) == SMALL_CHILDREN
            || cells(meta) == MEDIUM_CELLS && count(meta) == MEDIUM_CHILDREN;
    }

    /** Adds a child to a node with room for it. */
    void addChild(final int child) {
        if (isFull()) {
            throw new IllegalStateException("a node of " + cells(meta) + " cells has " + count(meta) + " children already");
        }
        copyBits(bits, 0);
        ChildMap.add(bits, 0, child);
        setChildren(cells(meta), count(meta) + 1);
    }

    /** Widens this node by a cell, with the same children; it must have as many as a node of fewer cells can have. */
    void widen() {
        copyBits(bits, 0);
        setChildren(cells(meta) + 1, count(meta));
    }

    /** Removes a child, not the last one; returns whether the node has fewer cells now. */
    boolean removeChild(final int child) {
        final int cells = cells(meta);
        final int count = count(meta) - 1;
        copyBits(bits, 0);
        ChildMap.remove(bits, child);
        // Somewhat below the limit, so that the next child does not make it grow again.
        final int needed = count <= SMALL_CHILDREN - 2 ? SMALL_CELLS : count <= MEDIUM_CHILDREN - 4 ? MEDIUM_CELLS : LARGE_CELLS;
        setChildren(Math.min(cells, needed), count);
        return needed < cells;
    }

    /** Takes the children of the bitmap, as a node of some cells. */
    private void setChildren(final int cells, final int count) {
        final int level = level(meta);
        final int full = fullKeyLen(meta);
        if (cells == LARGE_CELLS) {
            System.arraycopy(bits, 0, words, 0, ChildMap.WORDS);
        } else {
            ChildMap.pack(bits, words, cells == SMALL_CELLS ? SMALL_CHILDREN : MEDIUM_CHILDREN);
        }
        meta = cells == SMALL_CELLS ? small(level, full, count, smallChildren(words[0])) : wide(cells, level, full, count);
    }
}
