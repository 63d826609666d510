/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.index.Direction;
import io.nestling.index.PointIndex;

/**
 * Walks the keys of one trie that another one also has. The cursors of both skip past each other until they meet, so that the
 * walk leaves out what one of them lacks at the node where they part.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Between moves both cursors are at the same position, or one of them is exhausted. In reverse both are there for the
 * first time, or both for the second.
 * </ol>
 */
final class IntersectionCursor implements TrieCursor {
    private final TrieCursor entries;
    private final TrieCursor keys;
    private int depth;

    IntersectionCursor(final TrieCursor entries, final TrieCursor keys) {
        CursorOrder.checkSame(entries.direction(), keys);
        this.entries = entries;
        this.keys = keys;
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public int incomingTransition() {
        return depth == EXHAUSTED ? NO_TRANSITION : entries.incomingTransition();
    }

    @Override
    public Direction direction() {
        return entries.direction();
    }

    @Override
    public boolean hasContent() {
        return depth != EXHAUSTED && entries.hasContent() && keys.hasContent();
    }

    @Override
    public long content() {
        return hasContent() ? entries.content() : PointIndex.NONE;
    }

    @Override
    public int advance() {
        return depth == EXHAUSTED ? EXHAUSTED : meet(entries.advance());
    }

    @Override
    public int advanceMultiple(final TransitionsReceiver receiver) {
        return advance(); // the other trie may branch or end anywhere
    }

    @Override
    public int skipTo(final int toDepth, final int toTransition) {
        CursorOrder.checkSkip(this, toDepth);
        return depth == EXHAUSTED ? EXHAUSTED : meet(entries.skipTo(toDepth, toTransition));
    }

    /**
     * Moves on until both cursors meet; the cursor of the entries has moved, the other one is still at the position before.
     */
    private int meet(final int movedTo) {
        TrieCursor ahead = entries;
        TrieCursor behind = keys;
        depth = movedTo;
        while (depth != EXHAUSTED) {
            final int transition = ahead.incomingTransition();
            final int reached = behind.skipTo(depth, transition);
            if (reached == depth && behind.incomingTransition() == transition) {
                return depth;
            }
            depth = reached;
            final TrieCursor other = ahead;
            ahead = behind;
            behind = other;
        }
        return depth;
    }
}
