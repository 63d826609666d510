/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;

import io.nestling.index.Direction;
import io.nestling.index.PointIndex;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;
import io.nestling.trie.view.TransitionsReceiver;
import io.nestling.trie.view.TrieCursor;

import java.util.Arrays;

/**
 * Walks the nodes of an {@link InMemoryTrie}. Each position to which the walk returns is a level on a stack: the
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

    private Level[] path = new Level[INITIAL_LEVELS];
    private int levels;

    /** A position to which the walk returns. */
    private static final class Level {
        /* A branching node, or the leaf pointer of content for the way back. */
        int node;
        int depth;
        /* Where the children of a branching node begin on their stack, and the next transition to read there. */
        int start;
        int next;
        /* The child taken; for content, its incoming transition. */
        int at;
    }

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
        return descend(anyTransition(), true);
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
        if (toDepth > depth + 1) {
            throw new IllegalArgumentException(
                "expected a depth of at most " + (depth + 1) + " to skip to but was " + toDepth);
        }
        return toDepth <= depth ? goBack(toDepth, toTransition) : descend(toTransition, false);
    }

    /** Takes the first transition at or beyond a given one, or goes back if there is none. */
    private int descend(final int bound, final boolean ahead) {
        if (chainNext != chainEnd) {
            return isBeyond(slab.getByte(chainNext) & 0xFF, bound) ? passChain(1) : goBack(ANY_DEPTH, 0);
        }
        return node != NONE && enter(node, bound, ahead) ? depth : goBack(ANY_DEPTH, 0);
    }

    /** Returns whether a transition is at or beyond another one. */
    private boolean isBeyond(final int at, final int bound) {
        return forward ? at >= bound : at <= bound;
    }

    /** Returns the transition that all are at or beyond. */
    private int anyTransition() {
        return forward ? 0 : ChildStack.LAST_TRANSITION;
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
            push(leaf).at = transition;
        }
    }

    /**
     * Descends from a branching node, by the first transition at or beyond a given one; returns false if there is none.
     */
    private boolean enter(final int from, final int bound, final boolean ahead) {
        final Level level = push(from);
        level.next = anyTransition();
        if (load(level, bound, ahead) && takeNext(level, bound, ahead)) {
            return true;
        }
        levels--;
        return false;
    }

    /** Takes the last level's next child with a transition at or beyond a given one; returns false if there is none. */
    private boolean takeNext(final Level level, final int bound, final boolean ahead) {
        final int step = forward ? 1 : -1;
        do {
            for (int at = level.at + step; at >= level.start && at < children.size(); at += step) {
                if (isBeyond(children.transition(at), bound)) {
                    level.at = at;
                    depth = level.depth + 1;
                    transition = children.transition(at);
                    arrive(children.child(at));
                    return true;
                }
            }
        } while (load(level, bound, ahead));
        return false;
    }

    /** Reads more children of the last level, from a transition on; returns false if there are no more transitions. */
    private boolean load(final Level level, final int bound, final boolean ahead) {
        final int first = forward ? Math.max(level.next, bound) : Math.min(level.next, bound);
        children.cut(level.start);
        if (first < 0 || first > ChildStack.LAST_TRANSITION) {
            return false;
        }
        final int last = children.addWindow(level.node, first, forward);
        level.next = forward ? last + 1 : last - 1;
        level.at = forward ? level.start - 1 : children.size();
        if (ahead) {
            children.prefetch(lines, level.start, children.size());
        }
        return true;
    }

    /**
     * Moves to the next position of the levels whose depth is less than a given one, or equal with a transition beyond.
     */
    private int goBack(final int toDepth, final int toTransition) {
        while (levels > 0) {
            final Level level = path[levels - 1];
            final int at = level.depth;
            if (isLeaf(level.node)) {
                levels--;
                if (at < toDepth || at == toDepth && isBeyond(level.at, toTransition)) {
                    arrive(NONE);
                    content = level.node;
                    depth = at;
                    transition = level.at;
                    return depth;
                }
            } else {
                final boolean plain = at != toDepth - 1;
                if (at < toDepth && takeNext(level, plain ? anyTransition() : toTransition, plain)) {
                    return depth;
                }
                children.cut(level.start);
                levels--;
            }
        }
        arrive(NONE);
        transition = NO_TRANSITION;
        depth = EXHAUSTED;
        return depth;
    }

    private Level push(final int from) {
        if (levels == path.length) {
            path = Arrays.copyOf(path, levels * 2);
        }
        if (path[levels] == null) {
            path[levels] = new Level();
        }
        final Level level = path[levels++];
        level.node = from;
        level.depth = depth;
        level.start = children.size();
        return level;
    }
}
