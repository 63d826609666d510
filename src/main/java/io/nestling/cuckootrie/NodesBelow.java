/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The nodes below a few nodes, breadth first. Each inner node that is read appends its children, requests them, and keeps a
 * reference to them. So nodes are read in the order of their requests and visited in the order of the walk.
 * <h2>Thread safety</h2>
 * One thread. The writer may change the trie meanwhile: a node counts if it was read whole while the one above was unchanged.
 */
final class NodesBelow {
    /** Greatest number of nodes: more are below a few only where a trie with most leaves at two depths is dense elsewhere. */
    static final int MOST = 512;
    private static final int CAPACITY = 24;
    /* Bits of the number of children in an inner node's reference. */
    private static final int COUNT_BITS = 8;
    private static final int COUNT_MASK = (1 << COUNT_BITS) - 1;

    private final KeySource keys;
    private final PrefetchVector lines;
    private final NodeRow nodes;
    private final UnvisitedChildren children = new UnvisitedChildren();
    private NodeTable table;
    private int read;
    private boolean overflown;
    private boolean deep;
    private long[] above = new long[CAPACITY];
    private int[] versionAbove = new int[CAPACITY];
    /* Payload of a leaf, or the reference that an inner node keeps. */
    private long[] found = new long[CAPACITY];
    /* Index among all leaves, as long as only leaves are below. */
    private int[] place = new int[CAPACITY];

    NodesBelow(final KeySource keys, final PrefetchVector lines) {
        this.keys = keys;
        this.lines = lines;
        this.nodes = new NodeRow(lines, CAPACITY);
    }

    /** Drops all nodes; sets the table of those to come. */
    void clear(final NodeTable newTable) {
        table = newTable;
        nodes.clear(newTable);
        read = 0;
        overflown = false;
        deep = false;
    }

    /** Returns the number of nodes. */
    int count() {
        return nodes.size();
    }

    /** Returns whether there were too many nodes, so that some are missing. */
    boolean isOverflown() {
        return overflown;
    }

    /** Returns whether any node read so far is an inner node. */
    boolean isDeep() {
        return deep;
    }

    /** Returns whether all nodes were read. */
    boolean isComplete() {
        return read == nodes.size();
    }

    /** Returns the number of children of an inner node. */
    static int childCount(final long head, final long tail) {
        return 1 + (Long.bitCount(children(tail)) - 1 & -bitmapBit(head));
    }

    /**
     * Appends the children of an inner node and requests them.
     *
     * @param from the row of the node
     * @param node its number there
     * @param firstPlace index among all leaves of the first child, if all are leaves
     * @param forward whether the walk goes up
     * @return the reference that the node keeps, a negative number
     */
    long add(final NodeRow from, final int node, final int firstPlace, final boolean forward) {
        final long head = from.head(node);
        final long tail = from.tail(node);
        final long line = from.line(node);
        final int version = from.version(node);
        final int first = nodes.size();
        final int count = childCount(head, tail);
        if (first + count > MOST) {
            overflown = true;
            return reference(first, 0);
        }
        reserve(count);
        if (type(head) == BITMAP) {
            children.set(from.hash(node), head, tail, line, version);
            nodes.addChildren(children, count, forward);
        } else {
            nodes.add(JumpLabels.childHash(table.hash(), from.hash(node), head, tail), JumpLabels.childIdentity(head, tail),
                BY_COLOR_MASK);
        }
        for (int i = 0; i < count; i++) {
            above[first + i] = line;
            versionAbove[first + i] = version;
            place[first + i] = firstPlace + i;
        }
        return reference(first, count);
    }

    private void reserve(final int count) {
        nodes.reserve(count);
        if (nodes.size() + count > above.length) {
            final int capacity = Math.max(nodes.size() + count, 2 * above.length);
            versionAbove = Arrays.copyOf(versionAbove, capacity);
            found = Arrays.copyOf(found, capacity);
            place = Arrays.copyOf(place, capacity);
            above = Arrays.copyOf(above, capacity); // last: its length tells the capacity
        }
    }

    private static long reference(final int first, final int count) {
        return -1L - ((long) first << COUNT_BITS | count);
    }

    /**
     * Reads the nodes present at the call, and requests what they lead to.
     *
     * @param probe for nodes that are not where they should be
     * @param keyBytes key bytes that will be read
     * @param forward whether the walk goes up
     * @return false if the trie has changed
     */
    boolean readNext(final EntryProbe probe, final int keyBytes, final boolean forward) {
        final int from = read;
        final int end = nodes.size();
        if (!nodes.read(from, end, probe) || hasChangedAbove(from, end)) {
            return false;
        }
        for (int i = from; i < end; i++) {
            final long head = nodes.head(i);
            if (isLeaf(head)) {
                found[i] = payload(head, nodes.tail(i));
                keys.addTo(lines, found[i], keyBytes);
            } else {
                deep = true;
                final long kept = add(nodes, i, 0, forward); // may reallocate found
                found[i] = kept;
            }
        }
        read = end;
        lines.request();
        return true;
    }

    private boolean hasChangedAbove(final int from, final int end) {
        VarHandle.acquireFence();
        int changes = 0;
        for (int i = from; i < end; i++) {
            changes |= table.slab().getInt(above[i] + BucketLayout.VERSION_OFFSET) ^ versionAbove[i];
        }
        return changes != 0;
    }

    /** Copies all nodes, which are leaves, to their places in the walk. */
    void copyTo(final long[] to) {
        final int count = nodes.size();
        for (int i = 0; i < count; i++) {
            to[place[i]] = found[i];
        }
    }

    /**
     * Copies the leaves below an inner node in the order of the walk.
     *
     * @param node the reference that the node keeps
     * @param to receives them
     * @param from index of the first one
     * @return the index behind the last one
     */
    int copyLeaves(final long node, final long[] to, final int from) {
        final int first = (int) (-1L - node >>> COUNT_BITS);
        final int end = first + ((int) (-1L - node) & COUNT_MASK);
        int at = from;
        for (int i = first; i < end; i++) {
            if (found[i] >= 0) {
                to[at++] = found[i];
            } else {
                at = copyLeaves(found[i], to, at);
            }
        }
        return at;
    }
}
