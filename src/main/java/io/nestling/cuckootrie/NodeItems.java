/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

import io.nestling.memory.PrefetchVector;

/**
 * A row of nodes that are to be read and of leaves that were, in the order of a cursor's walk. The bucket where
 * a node was placed is requested when the node is added.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class NodeItems {
    /** Nodes and leaves that a row takes. */
    static final int CAPACITY = 80;
    private static final int LEAF_READ = -1;
    private static final int TRIES = 3;

    private final PrefetchVector lines;
    private NodeTable table;
    private int size;
    /* Hash of a node, or payload of a leaf. */
    private final long[] hash = new long[CAPACITY];
    /* What identifies a node at the place where it is looked for first. */
    private final int[] wanted = new int[CAPACITY];
    private final int[] mask = new int[CAPACITY];
    private final long[] line = new long[CAPACITY];
    /* Number of the node above among those passed, or LEAF_READ. */
    private final int[] above = new int[CAPACITY];

    NodeItems(final PrefetchVector lines) {
        this.lines = lines;
    }

    /** Drops all items. */
    void restart(final NodeTable newTable) {
        table = newTable;
        size = 0;
    }

    int size() {
        return size;
    }

    void addLeaf(final long payload) {
        hash[size] = payload;
        above[size++] = LEAF_READ;
    }

    /**
     * Adds a node.
     *
     * @param nodeHash hash of its name
     * @param identity what identifies it under the mask, with {@link EntryLayout#SECONDARY} if it was placed there
     * @param identityMask {@link EntryLayout#BY_PARENT_MASK} or {@link EntryLayout#BY_COLOR_MASK}
     * @param nodeAbove number of the node above among those passed
     */
    void addNode(final long nodeHash, final int identity, final int identityMask, final int nodeAbove) {
        final NameHash names = table.hash();
        final long place = (identity & SECONDARY) == 0 ? nodeHash : names.alternate(nodeHash);
        final long at = NodeTable.offsetOf(place, table.buckets());
        final int i = size;
        hash[i] = nodeHash;
        wanted[i] = identity | names.tag(place);
        mask[i] = identityMask;
        line[i] = at;
        above[i] = nodeAbove;
        size = i + 1;
        lines.add(table.slab(), at);
    }

    /** Adds all children of a bitmap node, in the order of the walk. */
    void addChildren(
        final long nodeHash, final long head, final long tail, final boolean forward, final int nodeNumber) {
        final long hints = hints(head, tail);
        final int parent = color(head) << PARENT_COLOR_SHIFT;
        final NameHash names = table.hash();
        long rest = children(tail);
        while (rest != 0) {
            final int code = forward ? lowestCode(rest) : highestCode(rest);
            final long bit = childBit(code);
            rest &= ~bit;
            addNode(names.append(nodeHash, code),
                parent | code << SYMBOL_SHIFT | ((hints & bit) == 0 ? 0 : SECONDARY), BY_PARENT_MASK, nodeNumber);
        }
    }

    /** Adds the child of a jump node. */
    void addJumpChild(final long nodeHash, final long head, final long tail, final int nodeNumber) {
        addNode(JumpLabels.childHash(table.hash(), nodeHash, head, tail), JumpLabels.childIdentity(head, tail),
            BY_COLOR_MASK, nodeNumber);
    }

    boolean isLeaf(final int i) {
        return above[i] == LEAF_READ;
    }

    long payload(final int i) {
        return hash[i];
    }

    long hash(final int i) {
        return hash[i];
    }

    /** What identifies a node, without its place. */
    int identity(final int i) {
        return wanted[i] & ~TAG_MASK;
    }

    int mask(final int i) {
        return mask[i];
    }

    /** Number of the node above among those passed. */
    int above(final int i) {
        return above[i];
    }

    /** Looks for a node; false if it is not there, which means that the node above was read torn or has changed. */
    boolean read(final int i, final EntryProbe probe) {
        return probe.read(table.slab(), line[i], wanted[i], mask[i]) || readElsewhere(i, probe);
    }

    private boolean readElsewhere(final int i, final EntryProbe probe) {
        final int identity = wanted[i] & mask[i] & ~(TAG_MASK | SECONDARY);
        // More than once: it may be on its way between its two buckets.
        for (int attempt = 1; attempt <= TRIES; attempt++) {
            if (probe.find(table, hash[i], identity, mask[i])) {
                return true;
            }
            Backoff.pause(attempt);
        }
        return false;
    }
}
