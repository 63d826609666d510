/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.index.Direction;
import io.nestling.index.PointIndex;

/**
 * A walk over the nodes of a trie, depth first and in key order, given by depth and incoming transition: enough to build each
 * key, and to compare the positions of two walks without building any.
 * <p>
 * A position is a node: {@link #depth()} is the number of transitions from the root, {@link #incomingTransition()} the last of
 * them. A new cursor is at the root, at depth 0. A move descends one transition, or goes back and takes another one, so that the
 * new depth is at most the old one plus one; at the end the depth is -1.
 * <p>
 * {@link Direction#FORWARD}: a node comes before its children, and has its content there, since a key sorts before its
 * extensions. {@link Direction#REVERSE}: a node comes before its children too, which come by descending transition; but a node
 * with content comes <em>a second time after them</em>, at the same depth and transition, and has its content only then, so that
 * keys descend. So in reverse exactly the positions on the way back have content.
 * <p>
 * The trie of the keys "a", "abc" and "b" with payloads 1, 2 and 3:
 * <pre>
 *             FORWARD                         REVERSE
 *  move       depth  transition  content     depth  transition  content
 *  (new)        0        -          -          0        -          -
 *  advance      1       'a'         1          1       'b'         -
 *  advance      2       'b'         -          1       'b'         3
 *  advance      3       'c'         2          1       'a'         -
 *  advance      1       'b'         3          2       'b'         -
 *  advance     -1        -          -          3       'c'         -
 *  advance                                     3       'c'         2
 *  advance                                     1       'a'         1
 *  advance                                    -1        -          -
 * </pre>
 * To keep a path, cut it to {@code depth - 1} and append the transition after each move, in either direction. Of two cursors in
 * one direction, at positions that the other one has not passed, the deeper one is earlier; at equal depth, the one whose
 * transition comes first in that direction.
 * <p>
 * A position may have neither content nor anything with content below it: a slice visits the paths to its bounds, and a writer
 * may have removed what was there.
 * <h2>Thread safety</h2>
 * One thread. Over a trie with a concurrent writer a cursor is good while its {@link io.nestling.catalog.OffHeapTrie.Reader} is
 * open, and visits each key that was present when the cursor was made and was not removed since; later keys may or may not be
 * seen.
 */
public interface TrieCursor {
    /** Incoming transition of the root. */
    int NO_TRANSITION = -1;
    /** Depth of a cursor behind the last position. */
    int EXHAUSTED = -1;

    /**
     * Returns the number of transitions from the root.
     *
     * @return the depth, or {@link #EXHAUSTED}
     */
    int depth();

    /**
     * Returns the last transition on the path.
     *
     * @return 0 to 255, or {@link #NO_TRANSITION} at the root and at the end
     */
    int incomingTransition();

    /**
     * Returns the payload of the key that the path spells.
     *
     * @return the payload, or {@link PointIndex#NONE} if this position has no content
     */
    long content();

    /**
     * Returns whether this position has content.
     *
     * @return whether {@link #content()} is a payload
     */
    default boolean hasContent() {
        return content() != PointIndex.NONE;
    }

    /**
     * Returns the order of the walk.
     *
     * @return the direction
     */
    Direction direction();

    /**
     * Moves to the next position.
     *
     * @return the new depth
     */
    int advance();

    /**
     * Moves to the next position, or to a later one if all positions between are on the path to it and have no content. If it
     * descends more than one transition, it passes all transitions except the last, which is {@link #incomingTransition()}, to
     * the receiver.
     *
     * @param receiver receives the transitions passed over; null if not needed
     * @return the new depth
     */
    int advanceMultiple(TransitionsReceiver receiver);

    /**
     * Moves to the first position after this one whose depth is less than a given one, or is equal to it with a transition at or
     * beyond a given one in the direction of the walk. So {@code skipTo(depth() + 1, t)} takes the child at {@code t} or the next
     * one, and goes back if there is none; {@code skipTo(depth(), t)} skips everything below this position.
     *
     * @param depth at most {@code depth() + 1}
     * @param transition smallest transition wanted, greatest in reverse; it may lie outside of 0 to 255 for all or none
     * @return the new depth
     * @throws IllegalArgumentException if {@code depth} is greater
     */
    int skipTo(int depth, int transition);

    /**
     * Moves to the next position with content, and updates a path on the way.
     *
     * @param path the path to the present position, and to the new one after the move; null if not needed
     * @return the new depth, {@link #EXHAUSTED} if there is no more content
     */
    default int advanceToContent(final TransitionsReceiver path) {
        int before = depth();
        while (before != EXHAUSTED) {
            final int depth = advanceMultiple(path);
            if (path != null && depth >= 0) {
                if (depth <= before) {
                    path.resetPathLength(Math.max(0, depth - 1));
                }
                if (depth > 0) {
                    path.addPathByte(incomingTransition());
                }
            }
            if (depth == EXHAUSTED || hasContent()) {
                return depth;
            }
            before = depth;
        }
        return EXHAUSTED;
    }
}
