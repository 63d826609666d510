/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.NodeLayout.*;

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

    boolean isLeaf() {
        return NodeLayout.isLeaf(meta);
    }

    int level() {
        return NodeLayout.level(meta);
    }

    int cells() {
        return NodeLayout.cells(meta);
    }

    int fullKeyLen() {
        return NodeLayout.fullKeyLen(meta);
    }

    int count() {
        return NodeLayout.count(meta);
    }

    void setLeaf(final long newMeta, final long word) {
        meta = newMeta;
        key = word;
    }

    void copyFrom(final Node other) {
        meta = other.meta;
        key = other.key;
        System.arraycopy(other.words, 0, words, 0, words.length);
    }

    void setLevel(final int level) {
        meta = withLevel(meta, level);
    }

    /** Makes this a node of two children. */
    void setInner(final int level, final int fullKeyLen, final long minKey, final int child0, final int child1) {
        meta = small(level, fullKeyLen, 2, ChildMap.packSmall(child0, child1));
        key = minKey;
    }

    boolean contains(final int child) {
        switch (cells()) {
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
        if (cells() == LARGE_CELLS) {
            System.arraycopy(words, 0, destination, from, ChildMap.WORDS);
            return;
        }
        Arrays.fill(destination, from, from + ChildMap.WORDS, 0);
        if (cells() == SMALL_CELLS) {
            ChildMap.addAll(meta, SMALL_CHILDREN, destination, from);
        } else {
            ChildMap.addAll(words[0], Long.BYTES, destination, from);
            ChildMap.addAll(words[1], Long.BYTES, destination, from);
        }
    }

    int firstChild() {
        copyBits(bits, 0);
        return ChildMap.ceiling(bits, 0, 0);
    }

    /** Returns the smallest child except the given one, or a negative number. */
    int otherChild(final int child) {
        copyBits(bits, 0);
        bits[child >>> 6] &= ~(1L << child);
        return ChildMap.ceiling(bits, 0, 0);
    }

    /** Returns whether one more child needs one more cell. */
    boolean isFull() {
        return cells() == SMALL_CELLS && count() == SMALL_CHILDREN || cells() == MEDIUM_CELLS && count() == MEDIUM_CHILDREN;
    }

    /** Adds a child to a node with room for it. */
    void addChild(final int child) {
        final int count = count() + 1;
        if (cells() == SMALL_CELLS && count <= SMALL_CHILDREN) {
            meta = small(level(), fullKeyLen(), count, ChildMap.addSmall(smallChildren(meta), count - 1, child));
            return;
        }
        if (cells() == MEDIUM_CELLS && count <= MEDIUM_CHILDREN) {
            final int index = repeated();
            words[index >>> 3] = ChildMap.with(words[index >>> 3], index & Long.BYTES - 1, child);
            meta = wide(MEDIUM_CELLS, level(), fullKeyLen(), count);
            return;
        }
        if (cells() != LARGE_CELLS) {
            throw new IllegalStateException("a node of " + cells() + " cells has " + count() + " children already");
        }
        words[child >>> 6] |= 1L << child;
        meta = wide(LARGE_CELLS, level(), fullKeyLen(), count);
    }

    /** Widens this node by a cell, with the same children; it must have as many as a node of fewer cells can have. */
    void widen() {
        copyBits(bits, 0);
        setChildren(cells() + 1, count());
    }

    /** Removes a child, not the last one; returns whether the node has fewer cells now. */
    boolean removeChild(final int child) {
        final int cells = cells();
        final int count = count() - 1;
        copyBits(bits, 0);
        bits[child >>> 6] &= ~(1L << child);
        // Somewhat below the limit, so that the next child does not make it grow again.
        if (cells == MEDIUM_CELLS && count > SMALL_CHILDREN - 2) {
            final int substitute = ChildMap.ceiling(bits, 0, 0);
            for (int i = 0; i < 2; i++) {
                for (int at = ChildMap.indexOf(words[i], child); at >= 0; at = ChildMap.indexOf(words[i], child)) {
                    words[i] = ChildMap.with(words[i], at, substitute);
                }
            }
            meta = wide(MEDIUM_CELLS, level(), fullKeyLen(), count);
        } else {
            final boolean large = cells == LARGE_CELLS && count > MEDIUM_CHILDREN - 4;
            setChildren(large ? LARGE_CELLS : count > SMALL_CHILDREN - 2 && cells > SMALL_CELLS ? MEDIUM_CELLS : SMALL_CELLS,
                count);
        }
        return cells() != cells;
    }

    private void setChildren(final int cells, final int count) {
        final int level = level();
        final int full = fullKeyLen();
        if (cells == SMALL_CELLS) {
            meta = small(level, full, count, ChildMap.packSmall(bits));
            return;
        }
        meta = wide(cells, level, full, count);
        if (cells == LARGE_CELLS) {
            System.arraycopy(bits, 0, words, 0, ChildMap.WORDS);
            return;
        }
        int child = ChildMap.ceiling(bits, 0, 0);
        for (int i = 0; i < MEDIUM_CHILDREN; i++) {
            words[i >>> 3] = ChildMap.with(words[i >>> 3], i & Long.BYTES - 1, child);
            final int next = ChildMap.ceiling(bits, 0, child + 1);
            child = next < 0 ? child : next;
        }
    }

    /** Returns an index in a list of 16 children whose child has an earlier index, too. */
    private int repeated() {
        clearBits();
        for (int i = 0; i < MEDIUM_CHILDREN; i++) {
            final int child = ChildMap.at(words[i >>> 3], i & Long.BYTES - 1);
            if ((bits[child >>> 6] >>> child & 1) != 0) {
                return i;
            }
            addBit(child);
        }
        throw new AssertionError("16 different children");
    }

    private void addBit(final int child) {
        bits[child >>> 6] |= 1L << child;
    }

    private void clearBits() {
        Arrays.fill(bits, 0);
    }
}
