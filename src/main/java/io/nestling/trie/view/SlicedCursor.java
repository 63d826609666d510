/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.index.Direction;
import io.nestling.index.PointIndex;

/**
 * Walks the keys of a trie in some ranges: visits the nodes with content in a range and those on the path to the next bound. It
 * compares one transition a move, and only on that path: everything beside it is inside or outside as a whole, and what is
 * outside is skipped.
 * <h2>Invariants</h2>
 * <ol>
 * <li>{@code below} is the number of bounds at or below the walk's key: the node's key or, where a reverse walk visits a node for
 * the first time, the greatest possible key below it. If it is odd, that key is in a range.
 * <li>{@code match} is the number of leading bytes that the path shares with the bound that the walk passes next: bound {@code
 * below} of a forward walk, {@code below - 1} of a reverse one. If it is less than the depth, the path has left the bound's path,
 * and the walk does not pass the bound below this node.
 * </ol>
 */
final class SlicedCursor implements TrieCursor {
    private final TrieCursor source;
    private final RangeBounds bounds;
    private final boolean forward;
    private int depth;
    private int below;
    private int match;

    SlicedCursor(final TrieCursor source, final RangeBounds bounds) {
        this.source = source;
        this.bounds = bounds;
        this.forward = source.direction().isForward();
        if (!forward) {
            below = bounds.count();
        } else if (bounds.count() > 0 && bounds.length(0) == 0) {
            below = 1;
        }
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public int incomingTransition() {
        return depth == EXHAUSTED ? NO_TRANSITION : source.incomingTransition();
    }

    @Override
    public Direction direction() {
        return source.direction();
    }

    private boolean isInside() {
        return (below & 1) != 0;
    }

    @Override
    public boolean hasContent() {
        return depth != EXHAUSTED && isInside() && source.hasContent();
    }

    @Override
    public long content() {
        return hasContent() ? source.content() : PointIndex.NONE;
    }

    /** Returns the bound that the walk passes next, or -1. */
    private int nextBound() {
        return forward ? below < bounds.count() ? below : -1 : below - 1;
    }

    @Override
    public int advance() {
        if (depth == EXHAUSTED) {
            return depth;
        }
        return settle(isInside() ? source.advance() : source.skipTo(depth + 1, onTheWay()));
    }

    /** Returns the transition from this node, which is outside of all ranges, to the next bound. */
    private int onTheWay() {
        final int bound = nextBound();
        return bound < 0 ? forward ? Integer.MAX_VALUE : NO_TRANSITION : bounds.byteAt(bound, depth);
    }

    @Override
    public int advanceMultiple(final TransitionsReceiver receiver) {
        if (depth == EXHAUSTED || !isInside() || nextBound() >= 0 && match >= depth) {
            return advance();
        }
        return settle(source.advanceMultiple(receiver)); // everything below is inside
    }

    @Override
    public int skipTo(final int toDepth, final int toTransition) {
        CursorOrder.checkSkip(this, toDepth);
        return depth == EXHAUSTED ? depth : settle(source.skipTo(toDepth, toTransition));
    }

    /** Takes over the source's position and moves on to a position to visit. */
    private int settle(final int reached) {
        depth = reached;
        while (depth != EXHAUSTED && !(forward ? passForward() : passReverse())) {
            final int bound = nextBound();
            if (bound < 0) {
                depth = EXHAUSTED;
            } else if (match == bounds.length(bound)) {
                // In reverse, at the end of a range or below it, which is never empty: all of it is outside.
                depth = source.skipTo(match, bounds.byteAt(bound, match - 1) - 1);
            } else {
                depth = source.skipTo(match + 1, bounds.byteAt(bound, match));
            }
        }
        return depth;
    }

    /** Counts the bounds at or below this node; returns false if all of it is outside. */
    private boolean passForward() {
        final int transition = source.incomingTransition();
        boolean passing = depth > 0 && depth - 1 <= match && below < bounds.count();
        while (passing) {
            // The path without its last byte equals the bound's prefix.
            final int length = bounds.length(below);
            final int at = length < depth ? NO_TRANSITION : bounds.byteAt(below, depth - 1);
            match = at == transition ? depth : depth - 1;
            if (transition < at || match == depth && length > depth) {
                break;
            }
            below++;
            if (below < bounds.count()) {
                final int agreed = match;
                match = Math.min(match, bounds.sharedWithBefore(below));
                passing = agreed == depth - 1 && match == agreed;
            } else {
                passing = false;
            }
        }
        return isInside() || match == depth && below < bounds.count();
    }

    /** Discounts the bounds above everything that is still to come here; returns false if all of it is outside. */
    private boolean passReverse() {
        if (source.hasContent()) {
            match = Math.min(match, depth);
            while (below > 0 && match == depth && bounds.length(below - 1) > depth) {
                passBoundInReverse();
            }
            return isInside();
        }
        final int transition = source.incomingTransition();
        boolean passing = depth > 0 && depth - 1 <= match;
        while (passing && below > 0) {
            final int bound = below - 1;
            final int at = bounds.length(bound) < depth ? NO_TRANSITION : bounds.byteAt(bound, depth - 1);
            match = at == transition ? depth : depth - 1;
            if (transition >= at) {
                break;
            }
            passBoundInReverse();
            passing = match == depth - 1;
        }
        return isInside() || below > 0 && match == depth && bounds.length(below - 1) > depth;
    }

    private void passBoundInReverse() {
        below--;
        if (below > 0) {
            match = Math.min(match, bounds.sharedWithBefore(below));
        }
    }
}
