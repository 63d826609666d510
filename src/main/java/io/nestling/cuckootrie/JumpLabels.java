/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

/** Names of the children of jump nodes, and labels of new jump nodes made from those of others. */
final class JumpLabels {
    private JumpLabels() {
    }

    /** Returns the head bits of a jump node with a range of another one's labels. */
    static long head(final long head, final long tail, final int from, final int to) {
        long body = jumpHead();
        for (int i = from; i < to; i++) {
            body |= labelHead(label(head, tail, i), i - from);
        }
        return body;
    }

    /** Returns the tail bits of that jump node, without count and child. */
    static long tail(final long head, final long tail, final int from, final int to) {
        long labels = 0;
        for (int i = from; i < to; i++) {
            labels |= labelTail(label(head, tail, i), i - from);
        }
        return labels;
    }

    /** Returns the head bits of a jump node with one more label. */
    static long headWith(final long head, final int labels, final int symbol) {
        return head | labelHead(symbol, labels);
    }

    /** Returns the tail bits of that jump node, with count and child. */
    static long tailWith(final long tail, final int labels, final int symbol) {
        final int childColor = childColor(tail);
        final long symbols = tail & (1L << LABEL_COUNT_SHIFT) - 1;
        return symbols | labelTail(symbol, labels) | jumpTail(labels + 1, childColor);
    }

    /** Returns a tail with another child. */
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

    /** Returns what identifies a jump node's child under {@link EntryLayout#BY_COLOR_MASK}. */
    static int childIdentity(final long head, final long tail) {
        return label(head, tail, Math.max(0, labelCount(tail) - 1)) + FIRST_CODE << SYMBOL_SHIFT
            | childColor(tail) << COLOR_SHIFT;
    }
}
