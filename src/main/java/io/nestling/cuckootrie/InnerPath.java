/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.offheap.PrefetchVector;

import java.util.Arrays;

/**
 * The inner nodes that a walk passed, topmost first, each with its children that are left to visit. A descent along a key keeps
 * all nodes; a cursor goes on from them: below the last one comes what is next in its direction.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class InnerPath {
    private static final int LEVELS = 16;
    private static final long SINGLE = -1;

    private int levels;
    /* Created on demand, and used again. */
    private Node[] nodes = new Node[LEVELS];

    /* The child taken or looked at last, and bucket and version of the node above. */
    private long hash;
    private int identity;
    private int mask;
    private long lineAbove;
    private int versionAbove;

    /** A node as it was read, and where. */
    static final class Node {
        long hash;
        int depth;
        long head;
        long tail;
        long line;
        int version;
        /** Children left, or {@code SINGLE} for the one of a jump node. */
        long rest;
    }

    void clear() {
        levels = 0;
    }

    /** Returns whether no child is left. */
    boolean isEmpty() {
        return levels == 0;
    }

    /** Returns the number of nodes. */
    int levels() {
        return levels;
    }

    Node at(final int level) {
        return nodes[level];
    }

    /** Adds an inner node that was just read, with all children. */
    void add(final long name, final int depth, final EntryProbe at) {
        add(name, depth, at.head(), at.tail(), at.line(), at.version());
    }

    /** Adds an inner node, with all children. */
    void add(final long name, final int depth, final long head, final long tail, final long line, final int version) {
        if (levels == nodes.length) {
            nodes = Arrays.copyOf(nodes, levels * 2);
        }
        if (nodes[levels] == null) {
            nodes[levels] = new Node();
        }
        final Node node = nodes[levels++];
        node.hash = name;
        node.depth = depth;
        node.head = head;
        node.tail = tail;
        node.line = line;
        node.version = version;
        node.rest = type(head) == BITMAP ? children(tail) : SINGLE;
        leaveVisited(); // a torn read may show no child
    }

    /** Removes the last nodes, as far as no child of theirs is left. */
    void leaveVisited() {
        while (levels > 0 && nodes[levels - 1].rest == 0) {
            levels--;
        }
    }

    // ---- the next child

    /** Returns the node above the next child. */
    Node last() {
        return nodes[levels - 1];
    }

    /** Returns the depth of the next child. */
    int nextDepth() {
        return last().depth + (isSingle() ? labelCount(last().tail) : 1);
    }

    /** Returns whether the next child is that of a jump node. */
    boolean isSingle() {
        return last().rest == SINGLE;
    }

    /** Takes the next child; {@link #hash}, {@link #identity} and {@link #mask} describe it. */
    void take(final NameHash names, final boolean forward) {
        look(names, forward);
        drop(forward);
    }

    /** Looks at the next child without taking it; {@link #hash}, {@link #identity} and {@link #mask} describe it. */
    void look(final NameHash names, final boolean forward) {
        final Node above = last();
        lineAbove = above.line;
        versionAbove = above.version;
        if (isSingle()) {
            hash = JumpLabels.childHash(names, above.hash, above.head, above.tail);
            identity = JumpLabels.childIdentity(above.head, above.tail);
            mask = BY_COLOR_MASK;
        } else {
            final int code = forward ? lowestCode(above.rest) : highestCode(above.rest);
            final int secondary = (int) (hints(above.head, above.tail) >>> code - 1) & 1;
            hash = names.append(above.hash, code);
            identity = color(above.head) << PARENT_COLOR_SHIFT | code << SYMBOL_SHIFT | secondary << SECONDARY_SHIFT;
            mask = BY_PARENT_MASK;
        }
    }

    /** Drops the next child. */
    void drop(final boolean forward) {
        final long rest = last().rest;
        keepChildren(rest == SINGLE ? 0 : rest & ~childBit(forward ? lowestCode(rest) : highestCode(rest)));
    }

    /** Drops all children of the last node but these. */
    void keepChildren(final long rest) {
        last().rest = rest;
        leaveVisited();
    }

    /** Reads the node taken or looked at last; returns false if it is in neither bucket. */
    boolean read(final NodeTable table, final EntryProbe probe) {
        final long bucketHash = table.hash().bucketHash(hash, identity & SECONDARY);
        return probe.readNode(
            table, NodeTable.offsetOf(bucketHash, table.buckets()), hash, identity | table.hash().tag(bucketHash), mask);
    }

    /** Requests the expected bucket of the node looked at last. */
    void request(final NodeTable table, final PrefetchVector lines) {
        final long bucketHash = table.hash().bucketHash(hash, identity & SECONDARY);
        lines.add(table.slab(), NodeTable.offsetOf(bucketHash, table.buckets()));
    }

    /** Returns the hash of the name of the node taken or looked at last. */
    long hash() {
        return hash;
    }

    /** Returns what identifies the node, with {@link CuckooTrieEntryLayout#SECONDARY} if it stands in its secondary bucket. */
    int identity() {
        return identity;
    }

    /** Returns {@link CuckooTrieEntryLayout#BY_PARENT_MASK} or {@link CuckooTrieEntryLayout#BY_COLOR_MASK}. */
    int mask() {
        return mask;
    }

    /** Returns the bucket of the node above. */
    long lineAbove() {
        return lineAbove;
    }

    /** Returns the version of that bucket when the node above was read. */
    int versionAbove() {
        return versionAbove;
    }
}
