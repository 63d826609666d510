/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

/**
 * A new jump node, label by label; names of the children of jump nodes.
 * <h2>Thread safety</h2>
 * The writer only; static methods are thread-safe.
 */
final class JumpLabels {
    private long head;
    private long tail;
    private int count;

    /** Begins a node without labels. */
    void clear() {
        head = jumpHead();
        tail = 0;
        count = 0;
    }

    /** Adds a label behind the others. */
    void add(final int symbol) {
        head |= labelHead(symbol, count);
        tail |= labelTail(symbol, count++);
    }

    /** Adds a range of the labels of another node. */
    void addAll(final long otherHead, final long otherTail, final int from, final int to) {
        for (int i = from; i < to; i++) {
            add(label(otherHead, otherTail, i));
        }
    }

    /** Returns type and body bits of the head. */
    long head() {
        return head;
    }

    /** Returns the tail, with a child. */
    long tail(final int childColor) {
        return tail | jumpTail(count, childColor);
    }

    /** Returns the tail of a jump node with another child. */
    static long withChild(final long tail, final int childColor) {
        return tail & (1L << CHILD_COLOR_SHIFT) - 1 | (long) childColor << CHILD_COLOR_SHIFT;
    }

    /** Returns the hash of the name of a jump node's child. */
    static long childHash(final NameHash names, final long hash, final long head, final long tail) {
        long child = hash;
        final int labels = labelCount(tail);
        for (int i = 0; i < labels; i++) {
            child = names.append(child, label(head, tail, i) + FIRST_CODE);
        }
        return child;
    }

    /** Returns what identifies a jump node's child under {@link CuckooTrieEntryLayout#BY_COLOR_MASK}. */
    static int childIdentity(final long head, final long tail) {
        return label(head, tail, Math.max(0, labelCount(tail) - 1)) + FIRST_CODE << SYMBOL_SHIFT
            | childColor(tail) << COLOR_SHIFT;
    }
}
