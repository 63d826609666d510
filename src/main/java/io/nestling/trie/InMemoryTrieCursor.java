/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.BlockLayout.*;

import io.nestling.index.Direction;
import io.nestling.index.PointIndex;
import io.nestling.memory.Slab;
import io.nestling.trie.view.TransitionsReceiver;
import io.nestling.trie.view.TrieCursor;

import java.util.Arrays;

/**
 * Walks the nodes of an {@link InMemoryTrie}. Each position to which the walk returns is a level on a stack in arrays: a
 * branching node with the transition taken there or, in reverse, content that comes after everything below it. Chains need no
 * level.
 * <p>
 * A move allocates nothing, unless the stack grows.
 * <h2>Thread safety</h2>
 * One thread, within one guard, in which unlinked blocks stay readable. Children that a writer removes from a node on the path
 * appear as positions without content, or not at all.
 */
final class InMemoryTrieCursor implements TrieCursor {
    private static final int INITIAL_LEVELS = 16;
    /* Deeper than any child of a level: a skip to here is a plain move. */
    private static final int ANY_DEPTH = Integer.MAX_VALUE;

    private final TrieNodes nodes;
    private final Slab slab;
    private final boolean forward;
    private final LookAhead lookAhead;
    private final byte[] passed = new byte[ChainNodeLayout.MAX_TRANSITIONS];

    private int depth;
    private int transition = NO_TRANSITION;
    /* Leaf pointer of the content at this position, or NONE. */
    private int content;
    /* What continues this position: a branching node, the rest of a chain, or neither. */
    private int node;
    private long chainNext;
    private long chainEnd;

    /* A branching node, or the leaf pointer of content for the way back. */
    private int[] levelNode = new int[INITIAL_LEVELS];
    private int[] levelDepth = new int[INITIAL_LEVELS];
    /* The transition taken, or its rank in a sparse node; for content, its incoming transition. */
    private int[] levelTransition = new int[INITIAL_LEVELS];
    /* Unpacked order of a sparse node's children. */
    private int[] levelOrder = new int[INITIAL_LEVELS];
    private int levels;

    InMemoryTrieCursor(final TrieNodes nodes, final Direction direction) {
        this.nodes = nodes;
        this.slab = nodes.slab();
        this.forward = direction.isForward();
        this.lookAhead = new LookAhead(nodes);
        arrive(nodes.root());
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public int incomingTransition() {
        return transition;
    }

    @Override
    public boolean hasContent() {
        return content != NONE;
    }

    @Override
    public long content() {
        return content == NONE ? PointIndex.NONE : nodes.payload(content);
    }

    @Override
    public Direction direction() {
        return forward ? Direction.FORWARD : Direction.REVERSE;
    }

    @Override
    public int advance() {
        if (chainNext != chainEnd) {
            return passChain(1);
        }
        final int from = node;
        if (from != NONE && enter(from, forward ? 0 : SplitNodeLayout.TRANSITIONS - 1, true)) {
            return depth;
        }
        return goBack(ANY_DEPTH, 0);
    }

    @Override
    public int advanceMultiple(final TransitionsReceiver receiver) {
        final int length = (int) (chainEnd - chainNext);
        if (length < 2) {
            return advance();
        }
        if (receiver != null) {
            slab.getBytes(chainNext, passed, 0, length - 1);
            receiver.addPathBytes(passed, 0, length - 1);
        }
        return passChain(length);
    }

    @Override
    public int skipTo(final int toDepth, final int toTransition) {
        if (toDepth > depth() + 1) {
            throw new IllegalArgumentException(
                "expected a depth of at most " + (depth() + 1) + " to skip to but was " + toDepth);
        }
        if (toDepth <= depth) {
            return goBack(toDepth, toTransition);
        }
        if (chainNext != chainEnd) {
            final boolean beyond = isBeyond(slab.getByte(chainNext) & 0xFF, toTransition);
            return beyond ? passChain(1) : goBack(ANY_DEPTH, 0);
        }
        return node != NONE && enter(node, toTransition, false) ? depth : goBack(ANY_DEPTH, 0);
    }

    /** Returns whether a transition is at or beyond another one. */
    private boolean isBeyond(final int at, final int bound) {
        return forward ? at >= bound : at <= bound;
    }

    /** Follows transitions of the current chain. */
    private int passChain(final int length) {
        chainNext += length;
        depth += length;
        transition = slab.getByte(chainNext - 1) & 0xFF;
        content = NONE;
        if (chainNext == chainEnd) {
            arrive(nodes.pointerAt(chainEnd));
        }
        return depth;
    }

    /** Arrives at what a pointer leads to; depth and transition are set. */
    private void arrive(final int pointer) {
        content = NONE;
        node = NONE;
        chainNext = 0;
        chainEnd = 0;
        int next = pointer;
        if (isLeaf(next)) {
            showContent(next);
            return;
        }
        if (next != NONE && type(next) == PREFIX) {
            showContent(nodes.prefixContent(next));
            if (nodes.isStandalonePrefix(next)) {
                next = nodes.pointerAt(nodes.chainChildSlot(next));
            }
        }
        if (next != NONE && nodes.isChainLike(next)) {
            chainNext = nodes.chainStart(next);
            chainEnd = nodes.chainChildSlot(next);
        } else {
            node = next;
        }
    }

    private void showContent(final int leaf) {
        if (forward) {
            content = leaf;
        } else {
            push(leaf, transition);
        }
    }

    /**
     * Descends from a branching node, by the first transition at or beyond a given one; returns false if there is none.
     */
    private boolean enter(final int from, final int bound, final boolean ahead) {
        if (type(from) != SPARSE) {
            final long branch = branch(from, bound);
            if (branch < 0) {
                return false;
            }
            final int found = TrieNodes.branchTransition(branch);
            push(from, found);
            if (ahead) {
                lookAhead.onEnter(from, found, forward, true);
            }
            take(found, TrieNodes.branchChild(branch));
            return true;
        }
        final int order = SparseNodeLayout.unpackOrder(nodes.sparseMeta(from));
        push(from, forward ? -1 : SparseNodeLayout.count(order));
        levelOrder[levels - 1] = order;
        if (takeNextSparse(levels - 1, bound)) {
            return true;
        }
        levels--;
        return false;
    }

    /**
     * Takes a level's next child with a transition at or beyond a given one; returns false if there is none.
     */
    private boolean takeNext(final int level, final int bound) {
        final int from = levelNode[level];
        if (type(from) == SPARSE) {
            return takeNextSparse(level, bound);
        }
        final int next = levelTransition[level] + (forward ? 1 : -1);
        final boolean plain = isBeyond(next, bound);
        final long branch = branch(from, plain ? next : bound);
        if (branch < 0) {
            return false;
        }
        final int found = TrieNodes.branchTransition(branch);
        final int child = TrieNodes.branchChild(branch);
        depth = levelDepth[level];
        levelTransition[level] = found;
        if (plain) {
            lookAhead.onMove(from, found, child, forward, true);
        }
        take(found, child);
        return true;
    }

    private boolean takeNextSparse(final int level, final int bound) {
        final int from = levelNode[level];
        // Children keep their index while the node lives: an order read earlier stays right, but may lack some.
        final int order = levelOrder[level];
        final int count = SparseNodeLayout.count(order);
        final long meta = nodes.sparseMeta(from);
        int rank = levelTransition[level];
        while (true) {
            rank += forward ? 1 : -1;
            if (rank < 0 || rank >= count) {
                return false;
            }
            final int index = SparseNodeLayout.indexAt(order, rank);
            final int found = SparseNodeLayout.transition(meta, index);
            if (isBeyond(found, bound)) {
                depth = levelDepth[level];
                levelTransition[level] = rank;
                take(found, nodes.pointerAt(nodes.sparseChildSlot(from, index)));
                return true;
            }
        }
    }

    /** Returns the first branch of a wide node at or beyond a transition, or -1. */
    private long branch(final int from, final int bound) {
        return forward
            ? nodes.wideBranchFrom(from, Math.max(0, bound))
            : nodes.wideBranchDownFrom(from, Math.min(SplitNodeLayout.TRANSITIONS - 1, bound));
    }

    private void take(final int found, final int child) {
        depth++;
        transition = found;
        arrive(child);
    }

    /**
     * Moves to the next position of the levels whose depth is less than a given one, or equal with a transition beyond.
     */
    private int goBack(final int toDepth, final int toTransition) {
        while (levels > 0) {
            final int level = levels - 1;
            final int at = levelDepth[level];
            if (isLeaf(levelNode[level])) {
                levels--;
                if (at < toDepth || at == toDepth && isBeyond(levelTransition[level], toTransition)) {
                    return comeBack(level);
                }
            } else {
                final int anyBound = forward ? 0 : SplitNodeLayout.TRANSITIONS - 1;
                if (at < toDepth && takeNext(level, at == toDepth - 1 ? toTransition : anyBound)) {
                    return depth;
                }
                levels--;
            }
        }
        arrive(NONE);
        transition = NO_TRANSITION;
        depth = EXHAUSTED;
        return depth;
    }

    private int comeBack(final int level) {
        arrive(NONE);
        content = levelNode[level];
        depth = levelDepth[level];
        transition = levelTransition[level];
        return depth;
    }

    private void push(final int from, final int at) {
        if (levels == levelNode.length) {
            levelDepth = Arrays.copyOf(levelDepth, levels * 2);
            levelTransition = Arrays.copyOf(levelTransition, levels * 2);
            levelOrder = Arrays.copyOf(levelOrder, levels * 2);
            levelNode = Arrays.copyOf(levelNode, levels * 2);
        }
        levelNode[levels] = from;
        levelDepth[levels] = depth;
        levelTransition[levels++] = at;
    }
}
