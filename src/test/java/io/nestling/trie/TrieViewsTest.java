/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.Direction;
import io.nestling.testing.Effort;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;
import io.nestling.trie.view.KeyRange;
import io.nestling.trie.view.MergeResolver;
import io.nestling.trie.view.TransitionsReceiver;
import io.nestling.trie.view.Trie;
import io.nestling.trie.view.TrieCursor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;

/** Merges, slices and intersections against sorted maps. */
class TrieViewsTest {
    private static final int ROUNDS = Effort.count(120, 240, 240);

    private final List<InMemoryTrie> open = new ArrayList<>();
    private final List<NavigableMap<byte[], Long>> maps = new ArrayList<>();
    private final List<Trie> tries = new ArrayList<>();

    /** Makes maps and tries of the same content, some of them empty or of one key. */
    private void make(final Random random, final int shape, final int count, final int maxKeys) {
        closeAll();
        for (int i = 0; i < count; i++) {
            final int kind = random.nextInt(8);
            final int keys = kind == 0 ? 0 : kind == 1 ? 1 : 1 + random.nextInt(maxKeys);
            final NavigableMap<byte[], Long> map = TrieMaps.random(random, shape, keys);
            maps.add(map);
            if (map.size() == 1 && random.nextBoolean()) {
                tries.add(Trie.singleton(map.firstKey(), map.firstEntry().getValue()));
            } else if (map.isEmpty() && random.nextBoolean()) {
                tries.add(Trie.empty());
            } else {
                open.add(TrieMaps.trie(map, random));
                tries.add(open.get(open.size() - 1).trie());
            }
        }
    }

    @AfterEach
    void closeAll() {
        open.forEach(InMemoryTrie::close);
        open.clear();
        maps.clear();
        tries.clear();
    }

    /** Checks all that a view shows, by every kind of move. */
    private static CursorPositions check(
        final Trie view, final NavigableMap<byte[], Long> expected, final Direction direction,
        final Random random) {
        final CursorPositions positions = CursorPositions.of(view, direction);
        final NavigableMap<byte[], Long> entries = positions.entries();
        expected.forEach(
            (key, payload) -> assertEquals(payload, entries.get(key), () -> KeyCorpus.text(key)));
        assertEquals(expected.size(), entries.size());
        TrieCursorTest.checkEntries(view, expected, direction);
        positions.checkSteps(view);
        positions.checkLongSteps(view);
        for (int i = 0; i < 4; i++) {
            positions.checkSkips(view, random);
        }
        return positions;
    }

    @Test
    void shouldMergeTries() {
        final Random random = Seeds.random("TrieViewsTest.shouldMergeTries");
        for (int round = 0; round < ROUNDS; round++) {
            make(random, round % TrieMaps.SHAPES, 1 + random.nextInt(9), 1 + round * 2);
            final boolean first = random.nextBoolean();
            final NavigableMap<byte[], Long> expected = TrieMaps.empty();
            for (final NavigableMap<byte[], Long> map : maps) {
                map.forEach((key, payload) ->
                    expected.merge(key, payload, (left, right) -> first ? left : right));
            }
            final Trie merge = Trie.merge(tries, first ? MergeResolver.FIRST : MergeResolver.LAST);
            for (final Direction direction : Direction.values()) {
                final CursorPositions positions = check(merge, expected, direction, random);
                assertEquals(CursorPositions.of(expected, direction).list(), positions.list());
            }
        }
    }

    @Test
    void shouldResolvePayloadsInTheOrderOfTheTries() {
        final List<Trie> singles = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            singles.add(Trie.singleton(new byte[] {7}, i));
            singles.add(Trie.singleton(new byte[] {(byte) (i + 100)}, 1));
            singles.add(Trie.singleton(new byte[] {7, (byte) i}, 1));
        }
        // Each source gives a digit to the base of 16, the first one the highest.
        final Trie merge = Trie.merge(singles, (left, right) -> (left << 4 | right) & (1L << 60) - 1);
        for (final Direction direction : Direction.values()) {
            final NavigableMap<byte[], Long> entries = CursorPositions.of(merge, direction).entries();
            assertEquals(0x123456789ABCDEFL, entries.get(new byte[] {7}));
            assertEquals(33, entries.size());
        }
    }

    @Test
    void shouldJoinTriesWithoutKeysInCommon() {
        final Random random = Seeds.random("TrieViewsTest.shouldJoinTriesWithoutKeysInCommon");
        for (int round = 0; round < 60; round++) {
            final NavigableMap<byte[], Long> all = TrieMaps.random(random, round % TrieMaps.SHAPES, 300);
            final List<NavigableMap<byte[], Long>> shards = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                shards.add(TrieMaps.empty());
            }
            all.forEach((key, payload) -> shards.get(random.nextInt(4)).put(key, payload));
            final List<Trie> views = new ArrayList<>();
            for (final NavigableMap<byte[], Long> shard : shards) {
                open.add(TrieMaps.trie(shard, random));
                views.add(open.get(open.size() - 1).trie());
            }
            for (final Direction direction : Direction.values()) {
                final CursorPositions positions = check(Trie.union(views), all, direction, random);
                assertEquals(CursorPositions.of(all, direction).list(), positions.list());
            }
            closeAll();
        }
    }

    @Test
    void unionThrowsIllegalStateExceptionWhenAKeyIsThereTwice() {
        final byte[] key = {1, 2};
        final Trie union = Trie.union(List.of(Trie.singleton(key, 3), Trie.singleton(key, 4)));
        final Exception e = assertThrows(
            IllegalStateException.class, () -> union.forEachPayload(Direction.FORWARD, payload -> { }));
        assertTrue(e.getMessage().contains("payloads 3 and 4"), e.getMessage());
        final Trie none = Trie.merge(List.of(Trie.singleton(key, 3), Trie.singleton(key, 4)), (l, r) -> -1);
        assertThrows(
            IllegalStateException.class, () -> none.forEachPayload(Direction.FORWARD, payload -> { }));
    }

    @Test
    void shouldMergeNothingToAnEmptyTrie() {
        for (final Direction direction : Direction.values()) {
            check(Trie.merge(List.of(), MergeResolver.FIRST), TrieMaps.empty(), direction, new Random(1));
        }
    }

    @Test
    void shouldSlice() {
        final Random random = Seeds.random("TrieViewsTest.shouldSlice");
        for (int round = 0; round < ROUNDS; round++) {
            final int shape = round % TrieMaps.SHAPES;
            make(random, shape, 1, 1 + round * 3);
            final NavigableMap<byte[], Long> map = maps.get(0);
            for (int i = 0; i < 6; i++) {
                final byte[] from = random.nextInt(6) == 0 ? null : TrieMaps.near(random, shape, map);
                final byte[] to = random.nextInt(6) == 0 ? null : TrieMaps.near(random, shape, map);
                for (final Direction direction : Direction.values()) {
                    final CursorPositions positions =
                        check(tries.get(0).subtrie(from, to), within(map, from, to), direction, random);
                    checkBarePaths(positions, List.of(new KeyRange(from, to)));
                }
            }
        }
    }

    private static NavigableMap<byte[], Long> within(
        final NavigableMap<byte[], Long> map, final byte[] from, final byte[] to) {
        if (from != null && to != null && Arrays.compareUnsigned(from, to) >= 0) {
            return TrieMaps.empty();
        }
        final NavigableMap<byte[], Long> tail = from == null ? map : map.tailMap(from, true);
        return to == null ? tail : tail.headMap(to, false);
    }

    /** What a slice shows without content there or below lies on the path to a bound. */
    private static void checkBarePaths(final CursorPositions positions, final List<KeyRange> ranges) {
        for (final byte[] path : positions.barePaths()) {
            assertTrue(path.length == 0 || ranges.stream().anyMatch(
                range -> isPrefix(path, range.fromInclusive()) || isPrefix(path, range.toExclusive())),
                () -> KeyCorpus.text(path) + " leads nowhere");
        }
    }

    private static boolean isPrefix(final byte[] path, final byte[] bound) {
        return bound != null && path.length < bound.length
            && TrieMaps.commonPrefix(path, bound) == path.length;
    }

    @Test
    void shouldSliceBySeveralRanges() {
        final Random random = Seeds.random("TrieViewsTest.shouldSliceBySeveralRanges");
        for (int round = 0; round < ROUNDS; round++) {
            final int shape = round % TrieMaps.SHAPES;
            make(random, shape, 1, 1 + round * 3);
            final NavigableMap<byte[], Long> map = maps.get(0);
            final List<KeyRange> ranges = new ArrayList<>();
            final NavigableMap<byte[], Long> expected = TrieMaps.empty();
            for (int i = random.nextInt(12); i > 0; i--) {
                final byte[] from = random.nextInt(20) == 0 ? null : TrieMaps.near(random, shape, map);
                final byte[] to = random.nextInt(20) == 0 ? null
                    : from != null && random.nextBoolean() ? near(random, from)
                    : TrieMaps.near(random, shape, map);
                ranges.add(new KeyRange(from, to));
                expected.putAll(within(map, from, to));
            }
            for (final Direction direction : Direction.values()) {
                checkBarePaths(check(tries.get(0).intersect(ranges), expected, direction, random), ranges);
            }
        }
    }

    private static byte[] near(final Random random, final byte[] key) {
        return KeyCorpus.neighbour(key, random.nextInt(KeyCorpus.NEIGHBOURS));
    }

    @Test
    void shouldLeaveOutWholeBranchesOfASlice() {
        final NavigableMap<byte[], Long> map = TrieMaps.random(new Random(5), 0, 5_000);
        open.add(TrieMaps.trie(map, new Random(6)));
        final CountingTrie counted = new CountingTrie(open.get(0).trie());
        final byte[] from = {100, 50};
        final byte[] to = {100, 60};
        for (final Direction direction : Direction.values()) {
            counted.moves = 0;
            final int entries = CursorPositions.of(counted.subtrie(from, to), direction).entries().size();
            assertEquals(map.subMap(from, true, to, false).size(), entries);
            assertTrue(counted.moves <= 3 * entries + 8, counted.moves + " moves for " + entries);
        }
    }

    @Test
    void shouldIntersectTries() {
        final Random random = Seeds.random("TrieViewsTest.shouldIntersectTries");
        for (int round = 0; round < ROUNDS; round++) {
            make(random, round % TrieMaps.SHAPES, 2, 1 + round * 3);
            final NavigableMap<byte[], Long> expected = TrieMaps.empty();
            maps.get(0).forEach((key, payload) -> {
                if (maps.get(1).containsKey(key)) {
                    expected.put(key, payload);
                }
            });
            for (final Direction direction : Direction.values()) {
                check(tries.get(0).intersect(tries.get(1)), expected, direction, random);
            }
        }
    }

    @Test
    void shouldSkipInBothTriesOfAnIntersection() {
        final NavigableMap<byte[], Long> map = TrieMaps.random(new Random(7), 0, 5_000);
        open.add(TrieMaps.trie(map, new Random(8)));
        final byte[] key = map.ceilingKey(new byte[] {50, 1, 1});
        final CountingTrie counted = new CountingTrie(open.get(0).trie());
        for (final Direction direction : Direction.values()) {
            for (final boolean first : new boolean[] {true, false}) {
                counted.moves = 0;
                final Trie single = Trie.singleton(key, map.get(key));
                final Trie view = first ? counted.intersect(single) : single.intersect(counted);
                assertEquals(1, CursorPositions.of(view, direction).entries().size());
                assertTrue(counted.moves <= 2 * key.length + 4, counted.moves + " moves");
            }
        }
    }

    @Test
    void shouldCombineViewsOfViews() {
        final Random random = Seeds.random("TrieViewsTest.shouldCombineViewsOfViews");
        for (int round = 0; round < ROUNDS; round++) {
            final int shape = round % TrieMaps.SHAPES;
            make(random, shape, 5, 1 + round * 2);
            final byte[] from = TrieMaps.near(random, shape, maps.get(0));
            final byte[] to = TrieMaps.near(random, shape, maps.get(1));
            final NavigableMap<byte[], Long> expected = TrieMaps.empty();
            expected.putAll(maps.get(0));
            expected.putAll(within(maps.get(1), from, to));
            maps.get(2).forEach((key, payload) -> {
                if (maps.get(3).containsKey(key) || maps.get(4).containsKey(key)) {
                    expected.put(key, payload);
                }
            });
            final Trie keys = Trie.merge(tries.subList(3, 5), MergeResolver.LAST);
            final Trie view = Trie.merge(
                List.of(tries.get(0), tries.get(1).subtrie(from, to), tries.get(2).intersect(keys)),
                MergeResolver.LAST);
            for (final Direction direction : Direction.values()) {
                check(view, expected, direction, random);
                check(view.subtrie(from, to), within(expected, from, to), direction, random);
                final NavigableMap<byte[], Long> both = TrieMaps.empty();
                both.putAll(within(expected, to, from));
                both.keySet().retainAll(maps.get(0).keySet());
                check(view.intersect(tries.get(0)).subtrie(to, from), both, direction, random);
            }
        }
    }

    @Test
    void shouldShowLaterWritesInANewCursor() {
        open.add(TrieMaps.trie(TrieMaps.empty(), new Random(1)));
        final Trie view = Trie.merge(List.of(open.get(0).trie(), Trie.empty()), MergeResolver.FIRST)
            .subtrie(new byte[] {1}, null);
        TrieCursorTest.checkEntries(view, TrieMaps.empty(), Direction.FORWARD);
        open.get(0).put(new byte[] {2}, 0, 1, 5);
        final NavigableMap<byte[], Long> expected = TrieMaps.empty();
        expected.put(new byte[] {2}, 5L);
        TrieCursorTest.checkEntries(view, expected, Direction.FORWARD);
    }

    /** Counts the moves of its cursors. */
    private static final class CountingTrie implements Trie {
        private final Trie source;
        private int moves;

        CountingTrie(final Trie source) {
            this.source = source;
        }

        @Override
        public TrieCursor cursor(final Direction direction) {
            final TrieCursor cursor = source.cursor(direction);
            return new TrieCursor() {
                @Override
                public int depth() {
                    return cursor.depth();
                }

                @Override
                public int incomingTransition() {
                    return cursor.incomingTransition();
                }

                @Override
                public long content() {
                    return cursor.content();
                }

                @Override
                public Direction direction() {
                    return cursor.direction();
                }

                @Override
                public int advance() {
                    moves++;
                    return cursor.advance();
                }

                @Override
                public int advanceMultiple(final TransitionsReceiver receiver) {
                    moves++;
                    return cursor.advanceMultiple(receiver);
                }

                @Override
                public int skipTo(final int depth, final int transition) {
                    moves++;
                    return cursor.skipTo(depth, transition);
                }
            };
        }
    }
}
