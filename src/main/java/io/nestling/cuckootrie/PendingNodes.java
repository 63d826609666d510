/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

import io.nestling.offheap.PrefetchVector;

import java.util.Arrays;

/**
 * What a cursor has not visited yet, in its direction: a stack of inner nodes with their remaining children, and of single nodes.
 * The top comes next.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class PendingNodes {
    private static final int SIZE = 64;
    private static final long SINGLE = -1;

    private int size;
    /* Remaining children, or SINGLE. */
    private long[] rest = new long[SIZE];
    private long[] hash = new long[SIZE];
    /* Children that stand in their secondary buckets; of a single node, its mask. */
    private long[] hints = new long[SIZE];
    /* Color of the node above, as its children name it; of a single node, its identity. */
    private int[] identity = new int[SIZE];
    /* Bucket and version of the node above. */
    private long[] line = new long[SIZE];
    private int[] version = new int[SIZE];
    private int[] depth = new int[SIZE];

    private long takenHash;
    private long takenHints;
    private int takenIdentity;
    private int takenMask;
    private long takenLine;
    private int takenVersion;

    void clear() {
        size = 0;
    }

    boolean isEmpty() {
        return size == 0;
    }

    private int add(
        final long newRest, final long newHash, final int newDepth, final long newLine, final int newVersion) {
        if (size == rest.length) {
            hash = Arrays.copyOf(hash, size * 2);
            hints = Arrays.copyOf(hints, size * 2);
            identity = Arrays.copyOf(identity, size * 2);
            line = Arrays.copyOf(line, size * 2);
            version = Arrays.copyOf(version, size * 2);
            depth = Arrays.copyOf(depth, size * 2);
            rest = Arrays.copyOf(rest, size * 2); // last: its length tells the capacity
        }
        rest[size] = newRest;
        hash[size] = newHash;
        depth[size] = newDepth;
        line[size] = newLine;
        version[size] = newVersion;
        return size++;
    }

    /** Adds some children of a bitmap node on a path. */
    void addChildren(final long children, final InnerPath.Node node) {
        if (children != 0) {
            keepParent(add(children, node.hash, node.depth + 1, node.line, node.version), node.head, node.tail);
        }
    }

    /** Keeps what all children have in common. */
    private void keepParent(final int i, final long head, final long tail) {
        hints[i] = EntryLayout.hints(head, tail);
        identity[i] = color(head) << PARENT_COLOR_SHIFT;
    }

    /** Adds a node of which the identity under a mask is known. */
    void addSingle(
        final long name, final int nodeIdentity, final int nodeMask, final int nodeDepth, final long lineAbove,
        final int versionAbove) {
        final int i = add(SINGLE, name, nodeDepth, lineAbove, versionAbove);
        hints[i] = nodeMask;
        identity[i] = nodeIdentity;
    }

    /** Adds what is below an inner node that was just read. */
    void addBelow(final NameHash names, final long name, final int nodeDepth, final EntryProbe node) {
        final long head = node.head();
        final long tail = node.tail();
        if (type(head) != BITMAP) {
            addSingle(
                JumpLabels.childHash(names, name, head, tail), JumpLabels.childIdentity(head, tail), BY_COLOR_MASK,
                nodeDepth + labelCount(tail), node.line(), node.version());
        } else if (children(tail) != 0) {
            keepParent(add(children(tail), name, nodeDepth + 1, node.line(), node.version()), head, tail);
        }
    }

    /** Returns the depth of the next node. */
    int depth() {
        return depth[size - 1];
    }

    /** Returns whether the top is a single node. */
    boolean isSingle() {
        return rest[size - 1] == SINGLE;
    }

    /** Takes the next node; {@link #hash}, {@link #identity} and {@link #mask} describe it. */
    void take(final NameHash names, final boolean forward) {
        look(names, forward);
        drop(forward);
    }

    /** Looks at the next node without taking it; {@link #hash}, {@link #identity} and {@link #mask} describe it. */
    void look(final NameHash names, final boolean forward) {
        final int top = size - 1;
        takenLine = line[top];
        takenVersion = version[top];
        if (rest[top] == SINGLE) {
            takenHash = hash[top];
            takenIdentity = identity[top];
            takenMask = (int) hints[top];
            return;
        }
        final int code = forward ? lowestCode(rest[top]) : highestCode(rest[top]);
        takenHash = names.append(hash[top], code);
        takenIdentity = identity[top] | code << SYMBOL_SHIFT | ((hints[top] & childBit(code)) == 0 ? 0 : SECONDARY);
        takenMask = BY_PARENT_MASK;
    }

    /** Reads the node taken or looked at last; returns false if it is in neither bucket. */
    boolean read(final NodeTable table, final EntryProbe probe) {
        final long place = table.hash().placed(takenHash, takenIdentity & SECONDARY);
        return probe.readNode(
            table, NodeTable.offsetOf(place, table.buckets()), takenHash, takenIdentity | table.hash().tag(place), takenMask);
    }

    /** Requests the expected bucket of the node looked at last. */
    void request(final NodeTable table, final PrefetchVector lines) {
        final long place = table.hash().placed(takenHash, takenIdentity & SECONDARY);
        lines.add(table.slab(), NodeTable.offsetOf(place, table.buckets()));
    }

    /** Drops the next node. */
    void drop(final boolean forward) {
        final long left = rest[size - 1];
        keepChildren(left == SINGLE ? 0 : left & ~childBit(forward ? lowestCode(left) : highestCode(left)));
    }

    /**
     * Looks at all children of the top, which must not be a single node. {@link #hash} and the others describe the node above
     * then, and {@link #identity} is the part that its children share.
     *
     * @return the children
     */
    long lookAtChildren() {
        final int top = size - 1;
        takenHash = hash[top];
        takenHints = hints[top];
        takenIdentity = identity[top];
        takenLine = line[top];
        takenVersion = version[top];
        return rest[top];
    }

    /** Removes all children of the top but these. */
    void keepChildren(final long left) {
        if (left == 0) {
            size--;
        } else {
            rest[size - 1] = left;
        }
    }

    /** Returns those of the children looked at together that stand in their secondary buckets. */
    long hints() {
        return takenHints;
    }

    /** Returns the hash of the name of the node taken last. */
    long hash() {
        return takenHash;
    }

    /** Returns what identifies the node, with {@link EntryLayout#SECONDARY} if it stands in its secondary bucket. */
    int identity() {
        return takenIdentity;
    }

    /** Returns {@link EntryLayout#BY_PARENT_MASK} or {@link EntryLayout#BY_COLOR_MASK}. */
    int mask() {
        return takenMask;
    }

    /** Returns the bucket of the node above. */
    long lineAbove() {
        return takenLine;
    }

    /** Returns the version of that bucket when the node above was read. */
    int versionAbove() {
        return takenVersion;
    }
}
