/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.BlockLayout.*;

import io.nestling.trie.view.TrieCursor;

import java.util.Arrays;

/**
 * Visits the nodes of a trie, parents first, children in ascending order. For dumps and statistics.
 * <h2>Thread safety</h2>
 * One thread, within one guard if a writer works meanwhile; what it sees of concurrent changes is arbitrary.
 */
final class TrieNodeWalk {
    private static final int INITIAL_CAPACITY = 64;

    private final TrieNodes nodes;
    private final ChildStack children;
    /* Nodes to visit, the next one last. */
    private int[] pendingNode = new int[INITIAL_CAPACITY];
    private int[] pendingLevel = new int[INITIAL_CAPACITY];
    private int[] pendingDepth = new int[INITIAL_CAPACITY];
    private int[] pendingTransition = new int[INITIAL_CAPACITY];
    private int pending;

    private int node;
    private int level;
    private int depth;
    private int transition;
    private TrieNodeType type;

    TrieNodeWalk(final TrieNodes nodes) {
        this.nodes = nodes;
        this.children = new ChildStack(nodes, ChildStack.WINDOW);
        push(nodes.root(), 0, 0, TrieCursor.NO_TRANSITION);
    }

    /** Moves to the next node; returns false if there is none. */
    boolean next() {
        if (pending == 0) {
            return false;
        }
        pending--;
        node = pendingNode[pending];
        level = pendingLevel[pending];
        depth = pendingDepth[pending];
        transition = pendingTransition[pending];
        type = TrieNodeType.of(nodes, node);
        if (type.isBranching()) {
            children.set(node);
            for (int i = children.size() - 1; i >= 0; i--) {
                push(children.child(i), level + 1, depth + 1, children.transition(i));
            }
        } else if (!isLeaf(node)) {
            final int length = type.isChain() ? nodes.chainLength(node) : 0;
            final int child = nodes.pointerAt(nodes.chainChildSlot(node));
            push(child, level + 1, depth + length, TrieCursor.NO_TRANSITION);
        }
        return true;
    }

    private void push(final int child, final int childLevel, final int childDepth, final int incoming) {
        if (child == NONE) {
            return;
        }
        if (pending == pendingNode.length) {
            pendingLevel = Arrays.copyOf(pendingLevel, pending * 2);
            pendingDepth = Arrays.copyOf(pendingDepth, pending * 2);
            pendingTransition = Arrays.copyOf(pendingTransition, pending * 2);
            pendingNode = Arrays.copyOf(pendingNode, pending * 2);
        }
        pendingNode[pending] = child;
        pendingLevel[pending] = childLevel;
        pendingDepth[pending] = childDepth;
        pendingTransition[pending++] = incoming;
    }

    int node() {
        return node;
    }

    TrieNodeType type() {
        return type;
    }

    /** Returns the number of nodes above. */
    int level() {
        return level;
    }

    /** Returns the number of transitions above. */
    int depth() {
        return depth;
    }

    /**
     * Returns the transition of the branching node above that leads here, or {@code NO_TRANSITION} if that node is a
     * chain or none.
     */
    int transition() {
        return transition;
    }
}
