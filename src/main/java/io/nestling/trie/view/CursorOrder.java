/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.index.Direction;

/** Which of two positions of cursors in one direction comes first. */
final class CursorOrder {
    /** Encoded position of an exhausted cursor: behind all others. */
    static final int END = Integer.MAX_VALUE;
    private static final int MAX_DEPTH = (1 << 20) - 1;
    private static final int MAX_TRANSITION = 255;
    private static final int TRANSITION_BITS = 9;
    private static final int BACK_BITS = 1;

    private CursorOrder() {
    }

    /**
     * Returns a number that is smaller the earlier the position comes, as long as neither cursor has passed the other
     * one: depth, transition, and whether a node of a reverse walk comes the second time.
     */
    static int encode(final TrieCursor cursor, final boolean forward) {
        final int depth = cursor.depth();
        if (depth == TrieCursor.EXHAUSTED) {
            return END;
        }
        if (depth > MAX_DEPTH) {
            throw new IllegalStateException("depth " + depth + " of a cursor exceeds " + MAX_DEPTH);
        }
        final int transition = cursor.incomingTransition();
        final int rank = forward ? transition + 1 : MAX_TRANSITION - transition;
        final int back = !forward && cursor.hasContent() ? 1 : 0;
        return (MAX_DEPTH - depth << TRANSITION_BITS | rank) << BACK_BITS | back;
    }

    /** Returns whether a cursor stands before every position that a skip would take. */
    static boolean isBefore(final TrieCursor cursor, final int depth, final int transition) {
        if (cursor.depth() != depth) {
            return cursor.depth() > depth;
        }
        final int at = cursor.incomingTransition();
        return cursor.direction().isForward() ? at < transition : at > transition;
    }

    static void checkSkip(final TrieCursor cursor, final int depth) {
        if (depth > cursor.depth() + 1) {
            throw new IllegalArgumentException(
                "cannot skip to depth " + depth + " from depth " + cursor.depth());
        }
    }

    static void checkSame(final Direction direction, final TrieCursor cursor) {
        if (cursor.direction() != direction) {
            throw new IllegalStateException("a cursor goes " + cursor.direction() + " and not " + direction);
        }
    }
}
