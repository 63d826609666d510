/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nestling.index.Direction;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;
import io.nestling.trie.CursorPositions.Position;
import io.nestling.trie.view.MergeResolver;
import io.nestling.trie.view.Trie;
import io.nestling.trie.view.TrieCursor;
import io.nestling.trie.view.TriePath;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;

/** The cursors of tries in memory and of single keys, against the contract of {@link TrieCursor}. */
class TrieCursorTest {
    private static final long NONE = PointIndex.NONE;
    private static final int ROUNDS = 120;

    @Test
    void shouldWalkAsTheTraceOfTheContractSays() {
        final NavigableMap<byte[], Long> map = TrieMaps.empty();
        map.put(bytes("a"), 1L);
        map.put(bytes("abc"), 2L);
        map.put(bytes("b"), 3L);
        final List<Position> forward = List.of(
            new Position(0, -1, NONE), new Position(1, 'a', 1), new Position(2, 'b', NONE),
            new Position(3, 'c', 2), new Position(1, 'b', 3));
        final List<Position> reverse = List.of(
            new Position(0, -1, NONE), new Position(1, 'b', NONE), new Position(1, 'b', 3),
            new Position(1, 'a', NONE), new Position(2, 'b', NONE), new Position(3, 'c', NONE),
            new Position(3, 'c', 2), new Position(1, 'a', 1));
        try (InMemoryTrie trie = TrieMaps.trie(map, new Random(1))) {
            assertEquals(forward, CursorPositions.of(trie.trie(), Direction.FORWARD).list());
            assertEquals(reverse, CursorPositions.of(trie.trie(), Direction.REVERSE).list());
        }
        assertEquals(forward, CursorPositions.of(map, Direction.FORWARD).list());
        assertEquals(reverse, CursorPositions.of(map, Direction.REVERSE).list());
    }

    @Test
    void shouldShowTheRootOfAnEmptyTrie() {
        try (InMemoryTrie trie = new InMemoryTrie(IndexContext.standalone(1 << 20))) {
            for (final Direction direction : Direction.values()) {
                check(trie.trie(), TrieMaps.empty(), direction, new Random(1));
                check(Trie.empty(), TrieMaps.empty(), direction, new Random(1));
            }
        }
    }

    @Test
    void shouldWalkRandomTries() {
        final Random random = Seeds.random("TrieCursorTest.shouldWalkRandomTries");
        for (int round = 0; round < ROUNDS; round++) {
            final NavigableMap<byte[], Long> map =
                TrieMaps.random(random, round % TrieMaps.SHAPES, random.nextInt(round * 8 + 2));
            try (InMemoryTrie trie = TrieMaps.trie(map, random)) {
                for (final Direction direction : Direction.values()) {
                    check(trie.trie(), map, direction, random);
                }
            }
        }
    }

    @Test
    void shouldWalkEveryCorpusOfShortKeys() {
        final Random random = Seeds.random("TrieCursorTest.shouldWalkEveryCorpusOfShortKeys");
        for (final KeyCorpus corpus : KeyCorpus.all()) {
            final NavigableMap<byte[], Long> map = TrieMaps.empty();
            corpus.thinnedTo(3_000).keys().stream().filter(key -> key.length < 1_000)
                .forEach(key -> map.put(key, TrieMaps.payload(random)));
            try (InMemoryTrie trie = TrieMaps.trie(map, random)) {
                for (final Direction direction : Direction.values()) {
                    check(trie.trie(), map, direction, random);
                }
            }
        }
    }

    @Test
    void shouldWalkSingleKeys() {
        final Random random = Seeds.random("TrieCursorTest.shouldWalkSingleKeys");
        for (int length = 0; length < 70; length++) {
            final byte[] key = new byte[length];
            random.nextBytes(key);
            final NavigableMap<byte[], Long> map = TrieMaps.empty();
            map.put(key, 7L);
            try (InMemoryTrie trie = TrieMaps.trie(map, random)) {
                for (final Direction direction : Direction.values()) {
                    for (int i = 0; i < 5; i++) {
                        check(Trie.singleton(key, 7), map, direction, random);
                        check(trie.trie(), map, direction, random);
                    }
                }
            }
        }
    }

    private static void check(
        final Trie trie, final NavigableMap<byte[], Long> map, final Direction direction,
        final Random random) {
        final CursorPositions positions = CursorPositions.of(map, direction);
        positions.checkSteps(trie);
        positions.checkLongSteps(trie);
        for (int i = 0; i < 4; i++) {
            positions.checkSkips(trie, random);
        }
        checkEntries(trie, map, direction);
    }

    /** Checks what a trie shows without a cursor. */
    static void checkEntries(
        final Trie trie, final NavigableMap<byte[], Long> map, final Direction direction) {
        final NavigableMap<byte[], Long> expected = direction.isForward() ? map : map.descendingMap();
        final List<byte[]> keys = new ArrayList<>();
        final List<Long> payloads = new ArrayList<>();
        trie.forEachEntry(direction, (buffer, length, payload) -> {
            keys.add(java.util.Arrays.copyOf(buffer, length));
            payloads.add(payload);
        });
        assertEquals(new ArrayList<>(expected.values()), payloads);
        int i = 0;
        for (final Map.Entry<byte[], Long> entry : expected.entrySet()) {
            assertArrayEquals(entry.getKey(), keys.get(i++));
        }
        final List<Long> alone = new ArrayList<>();
        trie.forEachPayload(direction, alone::add);
        assertEquals(payloads, alone);
    }

    @Test
    void shouldWalkTheLongestKeysWithoutRecursion() {
        final NavigableMap<byte[], Long> map = TrieMaps.empty();
        for (final byte[] key : KeyCorpus.named("longest keys").keys()) {
            map.put(key, (long) key.length);
        }
        try (InMemoryTrie trie = TrieMaps.trie(map, new Random(3))) {
            for (final Direction direction : Direction.values()) {
                checkEntries(trie.trie(), map, direction);
                final CursorPositions positions = CursorPositions.of(trie.trie(), direction);
                assertEquals(map, positions.entries());
                positions.checkLongSteps(trie.trie());
                positions.checkSkips(trie.trie(), new Random(4));
            }
        }
    }

    @Test
    void shouldTakeAWholeChainBlockInOneLongStep() {
        final NavigableMap<byte[], Long> map = TrieMaps.empty();
        map.put(new byte[27], 1L);
        try (InMemoryTrie trie = TrieMaps.trie(map, new Random(1))) {
            final TriePath passed = new TriePath();
            final TrieCursor cursor = trie.trie().cursor(Direction.FORWARD);
            assertEquals(27, cursor.advanceMultiple(passed));
            assertEquals(26, passed.length());
            assertEquals(1, cursor.content());
        }
    }

    @Test
    void shouldStayUsableWhenWhatItStandsOnIsRemoved() {
        final Random random = Seeds.random("TrieCursorTest.shouldStayUsableWhenWhatItStandsOnIsRemoved");
        for (int round = 0; round < ROUNDS; round++) {
            final int shape = round % TrieMaps.SHAPES;
            final NavigableMap<byte[], Long> map = TrieMaps.random(random, shape, 200);
            final NavigableMap<byte[], Long> stable = TrieMaps.empty();
            map.forEach((key, payload) -> {
                if (random.nextInt(3) == 0) {
                    stable.put(key, payload);
                }
            });
            final IndexContext context = IndexContext.standalone(64L << 20);
            try (InMemoryTrie trie = new InMemoryTrie(context)) {
                map.forEach((key, payload) -> trie.put(key, 0, key.length, payload));
                final Direction direction = random.nextBoolean() ? Direction.FORWARD : Direction.REVERSE;
                final int guard = context.epochs().enter();
                final NavigableMap<byte[], Long> seen = TrieMaps.empty();
                walkBesideWriter(trie, map, stable, seen, direction, random);
                context.epochs().exit(guard);
                stable.forEach((key, payload) -> assertEquals(payload, seen.get(key), KeyCorpus.text(key)));
            }
        }
    }

    private static void walkBesideWriter(
        final InMemoryTrie trie, final NavigableMap<byte[], Long> map,
        final NavigableMap<byte[], Long> stable, final NavigableMap<byte[], Long> seen,
        final Direction direction, final Random random) {
        final TrieCursor cursor = trie.trie().cursor(direction);
        final TriePath path = new TriePath();
        final List<byte[]> all = new ArrayList<>(map.keySet());
        byte[] before = null;
        boolean more = true;
        while (more) {
            if (cursor.hasContent()) {
                final byte[] key = path.toBytes();
                if (before != null) {
                    final int order = java.util.Arrays.compareUnsigned(before, key);
                    assertEquals(direction.isForward(), order < 0, "keys come in order");
                }
                assertEquals(map.get(key), cursor.content(), "payload of " + KeyCorpus.text(key));
                seen.put(key, cursor.content());
                before = key;
            }
            for (int i = random.nextInt(4); i > 0; i--) {
                final byte[] key = all.get(random.nextInt(all.size()));
                if (!stable.containsKey(key)) {
                    if (random.nextBoolean()) {
                        trie.remove(key, 0, key.length);
                    } else {
                        trie.put(key, 0, key.length, map.get(key));
                    }
                }
            }
            more = cursor.advanceToContent(path) != TrieCursor.EXHAUSTED;
        }
        trie.verify();
    }

    @Test
    void advanceThrowsIllegalStateExceptionWhenTheTrieIsClosed() {
        final InMemoryTrie trie = TrieMaps.trie(TrieMaps.random(new Random(1), 0, 100), new Random(1));
        final Trie view = trie.trie();
        final TrieCursor cursor = view.cursor(Direction.FORWARD);
        trie.close();
        assertThrows(IllegalStateException.class, cursor::advance);
        assertThrows(IllegalStateException.class, () -> view.cursor(Direction.FORWARD));
        assertThrows(IllegalStateException.class, trie::trie);
    }

    @Test
    void skipToThrowsIllegalArgumentExceptionWhenItIsTooDeep() {
        try (InMemoryTrie trie = TrieMaps.trie(TrieMaps.random(new Random(1), 0, 100), new Random(1))) {
            final List<Trie> tries = List.of(trie.trie(), Trie.singleton(bytes("abc"), 1), Trie.empty(),
                Trie.merge(List.of(trie.trie(), Trie.empty()), MergeResolver.FIRST),
                trie.trie().subtrie(null, null), trie.trie().intersect(trie.trie()));
            for (final Trie each : tries) {
                final TrieCursor cursor = each.cursor(Direction.FORWARD);
                final Exception e =
                    assertThrows(IllegalArgumentException.class, () -> cursor.skipTo(2, 0));
                assertEquals("expected a depth of at most 1 to skip to but was 2", e.getMessage());
                assertEquals(0, cursor.depth());
            }
        }
    }

    @Test
    void singletonThrowsIllegalArgumentExceptionWhenAnIndexCouldNotHoldIt() {
        assertThrows(IllegalArgumentException.class, () -> Trie.singleton(new byte[65_536], 1));
        assertThrows(IllegalArgumentException.class, () -> Trie.singleton(new byte[1], -1));
        final long tooGreat = PointIndex.MAX_PAYLOAD + 1;
        assertThrows(IllegalArgumentException.class, () -> Trie.singleton(new byte[1], tooGreat));
        assertFalse(Trie.empty().cursor(Direction.FORWARD).hasContent());
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
