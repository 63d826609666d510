/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import java.util.Arrays;

/**
 * The inner nodes that a walk passed, topmost first, including the one where it ended unless that is a leaf.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class InnerPath {
    private static final int LEVELS = 16;

    private int levels;
    /* Created on demand, and used again. */
    private Node[] nodes = new Node[LEVELS];

    /** A node and where it was found. */
    static final class Node {
        long hash;
        int depth;
        long head;
        long tail;
        long line;
        int version;
    }

    void clear() {
        levels = 0;
    }

    /** Adds a node. */
    void add(final long hash, final int depth, final EntryProbe at) {
        if (levels == nodes.length) {
            nodes = Arrays.copyOf(nodes, levels * 2);
        }
        if (nodes[levels] == null) {
            nodes[levels] = new Node();
        }
        final Node node = nodes[levels++];
        node.hash = hash;
        node.depth = depth;
        node.head = at.head();
        node.tail = at.tail();
        node.line = at.line();
        node.version = at.version();
    }

    /** Returns the number of nodes. */
    int levels() {
        return levels;
    }

    Node at(final int level) {
        return nodes[level];
    }
}
