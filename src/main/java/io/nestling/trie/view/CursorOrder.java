/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.index.Direction;

/** The order of two cursors' positions in one direction. */
final class CursorOrder {
    private static final int MAX_DEPTH = (1 << 20) - 1;
    private static final int MAX_TRANSITION = 255;
    private static final int TRANSITION_BITS = 9;
    private static final int BACK_BITS = 1;

    private CursorOrder() {
    }

    /**
     * Returns a number that is smaller for an earlier position, as long as neither cursor has passed the other: depth,
     * transition, and whether a reverse walk comes to the node a second time.
     */
    static int encode(final TrieCursor cursor, final boolean forward) {
        final int depth = cursor.depth();
        if (depth == TrieCursor.EXHAUSTED) {
            return Integer.MAX_VALUE; // behind all others
        }
        if (depth > MAX_DEPTH) {
            throw new IllegalStateException("expected a depth of at most " + MAX_DEPTH + " but was " + depth);
        }
        final int transition = cursor.incomingTransition();
        final int rank = forward ? transition + 1 : MAX_TRANSITION - transition;
        final int back = !forward && cursor.hasContent() ? 1 : 0;
        return (MAX_DEPTH - depth << TRANSITION_BITS | rank) << BACK_BITS | back;
    }

    /** Returns whether a cursor is before every position to which a skip may lead. */
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
                "expected a depth of at most " + (cursor.depth() + 1) + " to skip to but was " + depth);
        }
    }

    static void checkSame(final Direction direction, final TrieCursor cursor) {
        if (cursor.direction() != direction) {
            throw new IllegalStateException("expected a " + direction + " cursor but was " + cursor.direction());
        }
    }
}
