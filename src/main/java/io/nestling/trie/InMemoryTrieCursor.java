/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.BlockLayout.*;

import io.nestling.index.Direction;
import io.nestling.index.PointIndex;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;
import io.nestling.trie.view.TransitionsReceiver;
import io.nestling.trie.view.TrieCursor;

import java.util.Arrays;

/**
 * Walks the nodes of an {@link InMemoryTrie}. Each position to which the walk returns is a level on a stack in arrays: the
 * children of a branching node ({@link ChildStack}) with the one taken or, in reverse, content that comes after everything
 * below it. Chains need no level.
 * <p>
 * A move allocates nothing, unless a stack grows.
 * <h2>Thread safety</h2>
 * One thread, within one guard, in which unlinked blocks stay readable. Children that a writer removes from a node on the path
 * appear as they were, as positions without content, or not at all.
 */
final class InMemoryTrieCursor implements TrieCursor {
    private static final int INITIAL_LEVELS = 16;
    /* Deeper than any child of a level: a skip to here is a plain move. */
    private static final int ANY_DEPTH = Integer.MAX_VALUE;

    private final TrieNodes nodes;
    private final Slab slab;
    private final boolean forward;
    private final ChildStack children;
    private final PrefetchVector lines = new PrefetchVector();
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
    /* Where the children of a branching node begin on their stack, and the next transition to read there. */
    private int[] levelStart = new int[INITIAL_LEVELS];
    private int[] levelNext = new int[INITIAL_LEVELS];
    /* The child taken; for content, its incoming transition. */
    private int[] levelAt = new int[INITIAL_LEVELS];
    private int levels;

    InMemoryTrieCursor(final TrieNodes nodes, final Direction direction) {
        this.nodes = nodes;
        this.slab = nodes.slab();
        this.forward = direction.isForward();
        this.children = new ChildStack(nodes, ChildStack.WINDOW);
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
        push(from, -1);
        final int level = levels - 1;
        levelNext[level] = forward ? 0 : ChildStack.LAST_TRANSITION;
        if (load(level, bound, ahead) && takeNext(level, bound, ahead)) {
            return true;
        }
        levels--;
        return false;
    }

    /** Takes the last level's next child with a transition at or beyond a given one; returns false if there is none. */
    private boolean takeNext(final int level, final int bound, final boolean ahead) {
        final int step = forward ? 1 : -1;
        do {
            for (int at = levelAt[level] + step; at >= levelStart[level] && at < children.size(); at += step) {
                if (isBeyond(children.transition(at), bound)) {
                    depth = levelDepth[level];
                    levelAt[level] = at;
                    take(children.transition(at), children.child(at));
                    return true;
                }
            }
        } while (load(level, bound, ahead));
        return false;
    }

    /** Reads more children of the last level, from a transition on; returns false if there are no more transitions. */
    private boolean load(final int level, final int bound, final boolean ahead) {
        final int first = forward ? Math.max(levelNext[level], bound) : Math.min(levelNext[level], bound);
        children.cut(levelStart[level]);
        if (first < 0 || first > ChildStack.LAST_TRANSITION) {
            return false;
        }
        final int last = children.addWindow(levelNode[level], first, forward);
        levelNext[level] = forward ? last + 1 : last - 1;
        levelAt[level] = forward ? levelStart[level] - 1 : children.size();
        if (ahead) {
            children.prefetch(lines, levelStart[level], children.size());
        }
        return true;
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
                if (at < toDepth || at == toDepth && isBeyond(levelAt[level], toTransition)) {
                    return comeBack(level);
                }
            } else {
                final int anyBound = forward ? 0 : SplitNodeLayout.TRANSITIONS - 1;
                final boolean plain = at != toDepth - 1;
                if (at < toDepth && takeNext(level, plain ? anyBound : toTransition, plain)) {
                    return depth;
                }
                children.cut(levelStart[level]);
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
        transition = levelAt[level];
        return depth;
    }

    private void push(final int from, final int at) {
        if (levels == levelNode.length) {
            levelDepth = Arrays.copyOf(levelDepth, levels * 2);
            levelStart = Arrays.copyOf(levelStart, levels * 2);
            levelNext = Arrays.copyOf(levelNext, levels * 2);
            levelAt = Arrays.copyOf(levelAt, levels * 2);
            levelNode = Arrays.copyOf(levelNode, levels * 2);
        }
        levelNode[levels] = from;
        levelDepth[levels] = depth;
        levelStart[levels] = children.size();
        levelAt[levels++] = at;
    }
}
