/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;

import io.nestling.trie.view.TrieCursor;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Visits the nodes of a trie, parents first, children in ascending order. For dumps and statistics.
 * <h2>Thread safety</h2>
 * One thread, within one guard if a writer works meanwhile; what it sees of concurrent changes is arbitrary.
 */
final class TrieNodeWalk {
    private final TrieNodes nodes;
    private final ChildStack children;
    /* Nodes to visit, the next one first. */
    private final Deque<Place> pending = new ArrayDeque<>();

    /**
     * A node.
     *
     * @param node its pointer
     * @param level number of nodes above
     * @param depth number of transitions above
     * @param transition the transition of the branching node above that leads here, or {@code NO_TRANSITION} if that node is a
     *     chain or none
     */
    record Place(int node, int level, int depth, int transition) {
    }

    TrieNodeWalk(final TrieNodes nodes) {
        this.nodes = nodes;
        this.children = new ChildStack(nodes, ChildStack.WINDOW);
        push(nodes.root(), 0, 0, TrieCursor.NO_TRANSITION);
    }

    /** Moves to the next node and returns it, or null if there is none. */
    Place next() {
        final Place place = pending.poll();
        children.cut(0);
        if (place != null && !isLeaf(place.node)) {
            final TrieNodeType type = TrieNodeType.of(nodes, place.node);
            if (type.isBranching()) {
                children.set(place.node);
                for (int i = children.size() - 1; i >= 0; i--) {
                    push(children.child(i), place.level + 1, place.depth + 1, children.transition(i));
                }
            } else {
                final int length = type.isChain() ? nodes.chainLength(place.node) : 0;
                final int child = nodes.pointerAt(nodes.chainChildSlot(place.node));
                push(child, place.level + 1, place.depth + length, TrieCursor.NO_TRANSITION);
            }
        }
        return place;
    }

    private void push(final int child, final int level, final int depth, final int transition) {
        if (child != NONE) {
            pending.push(new Place(child, level, depth, transition));
        }
    }

    /** Returns the children of the branching node moved to; of another node, none. */
    ChildStack children() {
        return children;
    }
}
