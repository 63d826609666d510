/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.index.Direction;
import io.nestling.index.PointIndex;
import io.nestling.trie.view.Trie;
import io.nestling.trie.view.TrieCursor;
import io.nestling.trie.view.TriePath;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/** Every position of a walk over a trie, as a sorted map or another cursor says it should be. */
final class CursorPositions {
    /** One position. */
    record Position(int depth, int transition, long content) {
        static Position of(final TrieCursor cursor) {
            return new Position(cursor.depth(), cursor.incomingTransition(), cursor.content());
        }
    }

    private final Direction direction;
    private final List<Position> positions;

    private CursorPositions(final Direction direction, final List<Position> positions) {
        this.direction = direction;
        this.positions = positions;
    }

    /** The positions that the contract of cursors gives a trie of some keys. */
    static CursorPositions of(final NavigableMap<byte[], Long> map, final Direction direction) {
        final Node root = new Node();
        map.forEach((key, payload) -> {
            Node node = root;
            for (final byte b : key) {
                node = node.children.computeIfAbsent(b & 0xFF, t -> new Node());
            }
            node.content = payload;
        });
        final List<Position> positions = new ArrayList<>();
        root.list(0, TrieCursor.NO_TRANSITION, direction, positions);
        return new CursorPositions(direction, positions);
    }

    /** What single steps show of a trie. */
    static CursorPositions of(final Trie trie, final Direction direction) {
        final List<Position> positions = new ArrayList<>();
        final TrieCursor cursor = trie.cursor(direction);
        assertEquals(direction, cursor.direction());
        do {
            positions.add(Position.of(cursor));
        } while (cursor.advance() != TrieCursor.EXHAUSTED);
        return new CursorPositions(direction, positions);
    }

    List<Position> list() {
        return positions;
    }

    /** Checks single steps, and that the end stays the end. */
    void checkSteps(final Trie trie) {
        final TrieCursor cursor = trie.cursor(direction);
        for (int i = 0; i < positions.size(); i++) {
            checkAt(i, cursor, "advance");
            assertEquals(depthAt(i + 1), cursor.advance(), "depth told by advance");
        }
        checkAt(positions.size(), cursor, "advance");
        assertEquals(TrieCursor.EXHAUSTED, cursor.advance());
        assertEquals(TrieCursor.EXHAUSTED, cursor.advanceMultiple(null));
        assertEquals(TrieCursor.EXHAUSTED, cursor.skipTo(0, 0));
        checkAt(positions.size(), cursor, "any move from the end");
    }

    /** Checks that long steps show all that single steps do, and tell the receiver what they pass. */
    void checkLongSteps(final Trie trie) {
        final TrieCursor cursor = trie.cursor(direction);
        int at = 0;
        while (at < positions.size()) {
            checkAt(at, cursor, "advanceMultiple");
            final TriePath passed = new TriePath();
            final int depth = cursor.advanceMultiple(passed);
            for (int i = 0; i < passed.length(); i++) {
                final Position expected = positions.get(++at);
                assertEquals(expected.transition, passed.toBytes()[i] & 0xFF, "transition passed over");
                assertEquals(PointIndex.NONE, expected.content, "content passed over");
                assertEquals(depthAt(at - 1) + 1, expected.depth, "depth passed over");
            }
            assertEquals(depthAt(++at), depth, "depth told by advanceMultiple");
        }
        checkAt(at, cursor, "advanceMultiple");
    }

    /** Mixes steps and skips to random places. */
    void checkSkips(final Trie trie, final Random random) {
        final TrieCursor cursor = trie.cursor(direction);
        int at = 0;
        while (at < positions.size()) {
            final int move = random.nextInt(4);
            if (move == 0) {
                cursor.advance();
                at++;
            } else if (move == 1) {
                final TriePath passed = new TriePath();
                cursor.advanceMultiple(passed);
                at += passed.length() + 1;
            } else {
                final int ahead = Math.min(positions.size() - 1, at + random.nextInt(20));
                final Position goal = positions.get(ahead);
                final boolean near = random.nextBoolean() && goal.depth <= depthAt(at) + 1;
                final int depth = near ? goal.depth : random.nextInt(depthAt(at) + 2);
                final int transition =
                    near ? goal.transition + random.nextInt(3) - 1 : random.nextInt(270) - 7;
                final int next = afterSkip(at, depth, transition);
                assertEquals(depthAt(next), cursor.skipTo(depth, transition),
                    "skipTo " + depth + "," + transition + " from " + at + ": " + positions.get(at));
                at = next;
            }
            checkAt(at, cursor, "a skip");
        }
    }

    /** The place in the list that a skip leads to, by the words of the contract. */
    private int afterSkip(final int from, final int depth, final int transition) {
        for (int i = from + 1; i < positions.size(); i++) {
            final Position position = positions.get(i);
            final boolean beyond = direction.isForward()
                ? position.transition >= transition : position.transition <= transition;
            if (position.depth < depth || position.depth == depth && beyond) {
                return i;
            }
        }
        return positions.size();
    }

    private int depthAt(final int i) {
        return i < positions.size() ? positions.get(i).depth : TrieCursor.EXHAUSTED;
    }

    private void checkAt(final int i, final TrieCursor cursor, final String after) {
        final Position expected = i < positions.size() ? positions.get(i)
            : new Position(TrieCursor.EXHAUSTED, TrieCursor.NO_TRANSITION, PointIndex.NONE);
        assertEquals(expected, Position.of(cursor), "position " + i + " after " + after);
        assertEquals(expected.content != PointIndex.NONE, cursor.hasContent(), "hasContent after " + after);
    }

    /** The keys and payloads that the positions spell. */
    NavigableMap<byte[], Long> entries() {
        final NavigableMap<byte[], Long> entries = new TreeMap<>(java.util.Arrays::compareUnsigned);
        final TriePath path = new TriePath();
        byte[] before = null;
        for (final Position position : positions) {
            path.resetPathLength(Math.max(0, position.depth - 1));
            if (position.depth > 0) {
                path.addPathByte(position.transition);
            }
            if (position.content != PointIndex.NONE) {
                final byte[] key = path.toBytes();
                if (before != null) {
                    final int order = java.util.Arrays.compareUnsigned(before, key);
                    assertEquals(direction.isForward(), order < 0, "keys come in order");
                }
                entries.put(key, position.content);
                before = key;
            }
        }
        return entries;
    }

    /** Paths of positions that show no content and have none below them. */
    List<byte[]> barePaths() {
        final NavigableMap<byte[], Long> entries = entries();
        final TriePath path = new TriePath();
        final List<byte[]> bare = new ArrayList<>();
        for (final Position position : positions) {
            path.resetPathLength(Math.max(0, position.depth - 1));
            if (position.depth > 0) {
                path.addPathByte(position.transition);
            }
            final byte[] bytes = path.toBytes();
            final Map.Entry<byte[], Long> next = entries.ceilingEntry(bytes);
            if (next == null || TrieMaps.commonPrefix(next.getKey(), bytes) < bytes.length) {
                bare.add(bytes);
            }
        }
        return bare;
    }

    /** A node of the trie that the contract speaks of. */
    private static final class Node {
        private final TreeMap<Integer, Node> children = new TreeMap<>();
        private long content = PointIndex.NONE;

        void list(final int depth, final int incoming, final Direction direction, final List<Position> to) {
            final boolean forward = direction.isForward();
            to.add(new Position(depth, incoming, forward ? content : PointIndex.NONE));
            (forward ? children : children.descendingMap()).forEach(
                (transition, child) -> child.list(depth + 1, transition, direction, to));
            if (!forward && content != PointIndex.NONE) {
                to.add(new Position(depth, incoming, content));
            }
        }
    }
}
