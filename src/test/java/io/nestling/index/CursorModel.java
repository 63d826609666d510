/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.KeyCorpus;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * A cursor beside the list of entries that it should show. Each move is made on both and everything that can
 * be seen afterwards is compared.
 */
final class CursorModel {
    private static final int NOWHERE = -1;
    private static final int REMEMBERED_MOVES = 20;

    private final EntryCursor cursor;
    private final List<Shown> entries;
    private final Deque<Object> moves = new ArrayDeque<>();
    private int position = NOWHERE;

    /**
     * An entry to be shown.
     *
     * @param key its key
     * @param payload its payload, by which equal keys are told apart
     */
    record Shown(byte[] key, long payload) {
    }

    /** A move to a key: becomes text where something is wrong. */
    private record Move(String name, byte[] key) {
        @Override
        public String toString() {
            return name + " " + KeyCorpus.text(key);
        }
    }

    /** A new cursor and its entries in forward order; keys may occur more than once. */
    CursorModel(final EntryCursor cursor, final List<Shown> entries) {
        this.cursor = cursor;
        this.entries = entries;
    }

    static List<Shown> entriesOf(final NavigableMap<byte[], Long> content) {
        return content.entrySet().stream().map(CursorModel::shown).collect(Collectors.toList());
    }

    private static Shown shown(final Map.Entry<byte[], Long> entry) {
        return new Shown(entry.getKey(), entry.getValue());
    }

    boolean first() {
        return arrive("first", NOWHERE, entries.isEmpty() ? NOWHERE : 0, cursor.first());
    }

    boolean last() {
        return arrive("last", NOWHERE, entries.size() - 1, cursor.last());
    }

    boolean seek(final byte[] key) {
        final int target = lowerBound(key);
        return arrive(
            new Move("seek", key), NOWHERE, target == entries.size() ? NOWHERE : target,
            cursor.seek(key, 0, key.length));
    }

    boolean seekLowerThan(final byte[] key) {
        return arrive(
            new Move("seekLowerThan", key), NOWHERE, lowerBound(key) - 1,
            cursor.seekLowerThan(key, 0, key.length));
    }

    boolean next() {
        final int target = position == NOWHERE || position + 1 == entries.size() ? NOWHERE : position + 1;
        return arrive("next", position, target, cursor.next());
    }

    boolean previous() {
        return arrive("previous", position, position == NOWHERE ? NOWHERE : position - 1, cursor.previous());
    }

    /** Number of entries below a key. */
    private int lowerBound(final byte[] key) {
        int low = 0;
        int high = entries.size();
        while (low < high) {
            final int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(entries.get(middle).key, key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean arrive(final Object move, final int from, final int to, final boolean found) {
        if (moves.size() == REMEMBERED_MOVES) {
            moves.removeFirst();
        }
        moves.addLast(move);
        assertEquals(to != NOWHERE, found, () -> "what a move returns, after " + moves);
        assertEquals(found, cursor.valid(), () -> "valid after " + moves);
        position = to;
        if (!found) {
            assertThrows(IllegalStateException.class, cursor::keyLength,
                () -> "nothing is shown after " + moves);
            return false;
        }
        final Shown shown = entries.get(to);
        IndexFixture.assertKey(shown.key, cursor, moves);
        assertEquals(shown.payload, cursor.payload(), () -> "payload after " + moves);
        assertEquals(
            from == NOWHERE ? 0 : IndexFixture.commonPrefix(entries.get(from).key, shown.key),
            cursor.commonPrefix(),
            () -> "commonPrefix after " + moves);
        return true;
    }

    /** Walks from the first entry past the last one. */
    void walkForward() {
        boolean found = first();
        while (found) {
            found = next();
        }
        next();
        previous();
    }

    /** Walks from the last entry past the first one. */
    void walkReverse() {
        boolean found = last();
        while (found) {
            found = previous();
        }
        previous();
        next();
    }

    /**
     * Makes random moves: runs of steps, turns, seeks to given keys and to keys near them that are accepted.
     */
    void wander(final Random random, final int count, final List<byte[]> targets,
        final Predicate<byte[]> accepts) {
        boolean forward = true;
        for (int i = 0; i < count; i++) {
            final int draw = random.nextInt(100);
            if (draw < 70) {
                if (random.nextInt(6) == 0) {
                    forward = !forward;
                }
                final boolean found = forward ? next() : previous();
                if (found || random.nextBoolean()) {
                    continue;
                }
            }
            final byte[] near = targets.isEmpty()
                ? new byte[random.nextInt(2)]
                : targets.get(random.nextInt(targets.size()));
            final byte[] target =
                KeyCorpus.neighbour(near, random.nextInt(2) * random.nextInt(KeyCorpus.NEIGHBOURS));
            if (draw < 90 && accepts.test(target)) {
                if (draw % 2 == 0) {
                    seek(target);
                } else {
                    seekLowerThan(target);
                }
            } else if (draw % 2 == 0) {
                first();
            } else {
                last();
            }
        }
    }
}
