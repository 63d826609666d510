/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;
import static io.nestling.trie.SplitNodeLayout.*;

import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

import java.util.Arrays;

/**
 * Children of branching nodes, those of one node in the order of their transitions. A walk reads a node once and keeps its
 * children here, those of the node that it entered last on top; their cache misses overlap, as it requests them together.
 * <h2>Thread safety</h2>
 * One thread, within one guard. Children are those of the moment when they were read.
 */
final class ChildStack {
    static final int LAST_TRANSITION = TRANSITIONS - 1;
    /** Transitions of a wide node that a walk reads at once; those of a sparse or broad one are one window. */
    static final int WINDOW = 64;

    private final TrieNodes nodes;
    private final Slab slab;
    /* Transition in the high half, pointer in the low one. */
    private long[] children;
    private int size;

    /** Makes an empty stack that takes so many children before it grows. */
    ChildStack(final TrieNodes nodes, final int capacity) {
        this.children = new long[capacity];
        this.nodes = nodes;
        this.slab = nodes.slab();
    }

    int size() {
        return size;
    }

    /** Drops all children but the first ones. */
    void cut(final int newSize) {
        size = newSize;
    }

    int transition(final int index) {
        return (int) (children[index] >>> Integer.SIZE);
    }

    int child(final int index) {
        return (int) children[index];
    }

    /** Returns the numbers of the tail blocks that the children would take in a split node, as a set of bits. */
    int tails() {
        int tails = 0;
        for (int i = 0; i < size; i++) {
            tails |= 1 << transition(i) / CHILDREN;
        }
        return tails;
    }

    /** Replaces all children by those of a node. */
    void set(final int node) {
        size = 0;
        add(node, 0, LAST_TRANSITION);
    }

    /** Adds the window of children that begins at a transition, in the direction of a walk; returns its last transition. */
    int addWindow(final int node, final int first, final boolean forward) {
        final boolean narrow = type(node) == SPARSE || type(node) == BROAD;
        final int last;
        if (forward) {
            last = narrow ? LAST_TRANSITION : first | WINDOW - 1;
            add(node, first, last);
        } else {
            last = narrow ? 0 : first & -WINDOW;
            add(node, last, first);
        }
        return last;
    }

    /** Adds the children of a node whose transitions lie between two, both included. */
    void add(final int node, final int from, final int to) {
        switch (type(node)) {
            case SPARSE:
                addSparse(node, from, to);
                break;
            case BROAD:
                addBroad(offset(node), from, to);
                break;
            case FLAT:
                addRow(offset(node) + flatSlot(from), from, to);
                break;
            default:
                addSplit(offset(node), from, to);
                break;
        }
    }

    /** Adds a child if there is one. */
    void add(final int transition, final int child) {
        if (child != NONE) {
            if (size == children.length) {
                children = Arrays.copyOf(children, 2 * size);
            }
            children[size++] = (long) transition << Integer.SIZE | child & 0xFFFF_FFFFL;
        }
    }

    private void addSparse(final int node, final int from, final int to) {
        final long meta = nodes.sparseMeta(node);
        for (int order = SparseNodeLayout.order(meta); order != 0; order /= SparseNodeLayout.ORDER_BASE) {
            final int index = order % SparseNodeLayout.ORDER_BASE;
            final int transition = SparseNodeLayout.transition(meta, index);
            if (transition >= from && transition <= to) {
                add(transition, nodes.pointerAt(nodes.sparseChildSlot(node, index)));
            }
        }
    }

    private void addBroad(final long base, final int from, final int to) {
        final int start = size;
        final int count = BroadNodeLayout.count(slab, base);
        for (int i = 0; i < count; i++) {
            final int transition = BroadNodeLayout.transition(slab, base, i);
            if (transition >= from && transition <= to) {
                add(transition, slab.getIntAcquire(BroadNodeLayout.childSlot(base, i)));
            }
        }
        for (int i = start + 1; i < size; i++) {
            final long moving = children[i];
            int at = i;
            for (; at > start && children[at - 1] > moving; at--) {
                children[at] = children[at - 1];
            }
            children[at] = moving;
        }
    }

    private void addSplit(final long head, final int from, final int to) {
        int transition = from;
        while (transition <= to) {
            final int mid = slab.getIntAcquire(head + midSlot(transition));
            final int tail = mid == NONE ? NONE : slab.getIntAcquire(blockOffset(mid) + tailSlot(transition));
            final int last = Math.min(to, transition | (mid == NONE ? TAILS * CHILDREN : CHILDREN) - 1);
            if (tail != NONE) {
                addRow(blockOffset(tail) + SplitNodeLayout.childSlot(transition), transition, last);
            }
            transition = last + 1;
        }
    }

    /** Adds children whose pointers lie side by side. */
    private void addRow(final long slot, final int from, final int to) {
        for (int transition = from; transition <= to; transition++) {
            add(transition, slab.getIntAcquire(slot + ((long) (transition - from) << POINTER_SHIFT)));
        }
    }

    /** Requests what the children from one index to before another one lead to. */
    void prefetch(final PrefetchVector lines, final int from, final int end) {
        for (int i = from; i < end; i++) {
            final int child = child(i);
            if (!isLeaf(child)) {
                lines.add(slab, offset(child));
                if (type(child) == BROAD) {
                    lines.add(slab, offset(child) + BroadNodeLayout.LINE_BYTES);
                }
            } else if (!isInline(child)) {
                lines.add(slab, slotOffset(child));
            }
        }
        lines.request();
    }
}
