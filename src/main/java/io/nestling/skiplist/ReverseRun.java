/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;

/**
 * The nodes before a key, to be visited in reverse. A walk forward collects them: the first run from the node before the key,
 * later runs from a node some places earlier in the node index or, without one, from the last node of level 1.
 * <h2>Thread safety</h2>
 * One thread, as its cursor, within one guard.
 */
final class ReverseRun {
    private static final int CAPACITY = 128;
    private static final int CAPACITY_MASK = CAPACITY - 1;
    /* Without a node index, a long run begins at the last node of this level before the key. */
    private static final int LONG_LEVEL = 1;
    /* A long run begins so many listed nodes before the last one before the key. */
    private static final int NODES_BACK = 24;

    private final Nodes nodes;
    private final int[] run = new int[CAPACITY];
    /* Positions only grow; the last CAPACITY nodes are kept. */
    private int first;
    private int end;
    private boolean isLong;

    ReverseRun(final Nodes nodes) {
        this.nodes = nodes;
    }

    boolean isEmpty() {
        return first == end;
    }

    /** Drops the run; the next one is short again. */
    void clear() {
        first = end;
        isLong = false;
    }

    int take() {
        return run[--end & CAPACITY_MASK];
    }

    /** Collects live nodes before a key: at least the last one, if there is one. */
    void fill(final Splice splice, final byte[] key, final int length) {
        splice.seek(nodes, key, 0, length, true);
        first = 0;
        end = 0;
        final int from = isLong ? Math.min(LONG_LEVEL, splice.top() - 1) : 0;
        int shared = splice.shared(from);
        final int bound = splice.behind(from);
        int node = splice.before(from);
        if (isLong && splice.nodeIndex() != null) {
            final int earlier = splice.nodeIndex().node(Math.max(0, splice.indexBehind() - 1 - NODES_BACK));
            if (nodes.payload(earlier) >= 0) {
                node = earlier;
                shared = earlier == HEAD ? 0
                    : Math.min(shared, Nodes.shared(nodes.compare(earlier, key, 0, length, 0)));
            }
        }
        if (node != HEAD) {
            add(node);
        }
        for (node = nodes.next(node, 0); node != NULL; node = nodes.next(node, 0)) {
            final int known = nodes.sharedBetween(bound, shared, shared);
            if (Nodes.order(nodes.compare(node, key, 0, length, known)) != Nodes.LESS) {
                break;
            }
            if (nodes.payload(node) >= 0) {
                add(node);
            }
        }
        isLong = true;
    }

    private void add(final int node) {
        run[end++ & CAPACITY_MASK] = node;
        first = Math.max(first, end - CAPACITY);
    }
}
