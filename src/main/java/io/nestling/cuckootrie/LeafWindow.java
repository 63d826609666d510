/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

import io.nestling.memory.KeySource;
import io.nestling.memory.PrefetchVector;

/**
 * The leaves that come next in the walk of a cursor. They are found many at a time: a row of pending nodes,
 * whose buckets were requested together, is replaced by the row of their children, until only leaves are left;
 * the record of each leaf is requested, too. So a step costs a share of a few round trips instead of one or two.
 * <h2>Thread safety</h2>
 * One thread. The writer may change the trie meanwhile: if one of the nodes passed has changed by the time all
 * were read, the window is empty and the cursor looks for its place again.
 */
final class LeafWindow {
    private static final int FIRST_GOAL = 8;
    private static final int GROWTH = 2;
    /* Few, since what lies behind the end of a short scan is read in vain. */
    private static final int MOST_GOAL = 16;
    private static final int ROOM_FOR_A_NODE = 34;

    private final KeySource keys;
    private final PrefetchVector lines = new PrefetchVector();
    private final EntryProbe probe = new EntryProbe();
    private final NodePath passed = new NodePath();
    private NodeItems items = new NodeItems(lines);
    private NodeItems below = new NodeItems(lines);
    private int leaves;
    private int goal;
    private int fanOut;
    private boolean interrupted;

    LeafWindow(final KeySource keys) {
        this.keys = keys;
    }

    /** Begins anew with one leaf. */
    void restart(final NodeTable table, final long payload) {
        items.restart(table);
        items.addLeaf(payload);
        leaves = 1;
        goal = FIRST_GOAL;
        fanOut = 1;
        interrupted = false;
    }

    void clear() {
        leaves = 0;
    }

    int size() {
        return leaves;
    }

    long payload(final int i) {
        return items.payload(i);
    }

    /** Tells whether the walk was interrupted by a change of the trie: what is pending is of no use. */
    boolean isInterrupted() {
        return interrupted;
    }

    /** Takes the next leaves from what is pending; there may be none in the end or because of an interruption. */
    void fill(final NodeTable table, final PendingNodes pending, final boolean forward) {
        items.restart(table);
        passed.clear();
        final NameHash names = table.hash();
        int taken = 0;
        boolean more = true;
        while (more) {
            final int wanted = Math.max(1, (goal - items.size()) / fanOut);
            for (int i = 0; i < wanted && items.size() < goal && !pending.isEmpty(); i++) {
                pending.take(names, forward, items, passed);
                taken++;
            }
            lines.request();
            more = !interrupted && descend(table, pending, forward);
        }
        lines.request();
        leaves = items.size();
        fanOut = Math.max(1, leaves / Math.max(1, taken));
        goal = Math.min(goal * GROWTH, MOST_GOAL);
        if (interrupted || !passed.isUnchanged(table)) {
            interrupted = true;
            leaves = 0;
        }
    }

    /** Replaces the row by that of the children; false if there are only leaves. */
    private boolean descend(final NodeTable table, final PendingNodes pending, final boolean forward) {
        below.restart(table);
        boolean inner = false;
        final int room = Math.min(2 * goal, NodeItems.CAPACITY - ROOM_FOR_A_NODE);
        final int size = items.size();
        for (int i = 0; i < size; i++) {
            if (below.size() > room) {
                pending.addBack(items, i, passed);
                break;
            }
            if (items.isLeaf(i)) {
                below.addLeaf(items.payload(i));
            } else if (items.read(i, probe)) {
                inner |= addBelow(items.hash(i), table, forward);
            } else {
                interrupted = true;
                break;
            }
        }
        final NodeItems swap = items;
        items = below;
        below = swap;
        return inner && !interrupted;
    }

    private boolean addBelow(final long hash, final NodeTable table, final boolean forward) {
        final long head = probe.head();
        final long tail = probe.tail();
        final int type = type(head);
        if (type == LEAF) {
            if (probe.isWhole(table)) {
                final long payload = EntryLayout.payload(head, tail);
                below.addLeaf(payload);
                lines.add(keys.address(payload));
            } else {
                interrupted = true;
            }
            return false;
        }
        final int number = passed.add(probe.line(), probe.version());
        if (type == BITMAP) {
            below.addChildren(hash, head, tail, forward, number);
        } else {
            below.addJumpChild(hash, head, tail, number);
        }
        return true;
    }
}
