/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Looking ahead changes nothing in what a cursor shows, however far, and whatever is removed under way. */
@Tag("jdk")
@Tag("once")
class PrefetchingCursorTest {
    private static final int KEYS = 30_000;

    private static TreeMap<byte[], Integer> sorted() {
        final TreeMap<byte[], Integer> sorted = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = 0; i < KEYS; i++) {
            sorted.put(ListFixture.key(i), i);
        }
        return sorted;
    }

    private static ListFixture filled(final int prefetchLevels) {
        final ListFixture fixture = new ListFixture(64L << 20, prefetchLevels);
        for (int i = 0; i < KEYS; i++) {
            fixture.put(i, 1);
        }
        return fixture;
    }

    @Test
    void shouldLookAheadBehindASeekThatEndsAtAListedNode() {
        try (ListFixture fixture = filled(2); PrefetchingCursor cursor = (PrefetchingCursor) fixture.list().cursor()) {
            final NodeIndex nodeIndex = fixture.list().nodes.maintainer().current();
            for (int at = 0; at < 200; at++) {
                final int number = ListFixture.numberOf(fixture.list().nodes.payload(nodeIndex.node(at)));
                final byte[] key = ListFixture.key(number);
                final byte[] below = Arrays.copyOf(key, key.length + 1);
                below[key.length - 1]--;
                below[key.length] = (byte) 0xFF;
                assertTrue(cursor.seek(below));
                assertEquals(number, ListFixture.numberOf(cursor.payload()));
                for (int move = 0; move < 50; move++) {
                    assertTrue(cursor.next());
                }
                assertFalse(cursor.lookAhead.followsLinks(), "behind listed node " + at);
            }
        }
    }

    /** What lies ahead is requested in other portions where keys are long, and shown just the same. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void shouldShowShortAndLongKeys(final int levels) {
        final Random random = Seeds.random("shouldShowShortAndLongKeys " + levels);
        final List<byte[]> keys = new ArrayList<>();
        final TreeMap<byte[], Integer> sorted = new TreeMap<>(Arrays::compareUnsigned);
        final MemoryBudget budget = MemoryBudget.ofBytes(16L << 20);
        final EpochReclaimer epochs = new EpochReclaimer();
        try (SkipList list = new SkipList(new IndexContext(SlabAllocator.direct(), budget, epochs,
            new HeapKeySource(payload -> keys.get((int) payload)), 16L << 20), levels)) {
            while (keys.size() < 5_000) {
                // Regions of short keys, of long ones, and of both.
                final int region = random.nextInt(6);
                final byte[] key = new byte[3 + (region % 3 == 0 || region % 3 == 2 && random.nextBoolean()
                    ? random.nextInt(300) : random.nextInt(8))];
                random.nextBytes(key);
                key[0] = (byte) region;
                if (sorted.putIfAbsent(key, keys.size()) == null) {
                    keys.add(key);
                    list.put(key, 0, key.length, keys.size() - 1);
                }
            }
            final int guard = epochs.enter();
            try (PrefetchingCursor cursor = (PrefetchingCursor) list.cursor()) {
                cursor.first();
                assertShown(cursor, sorted, levels, Integer.MAX_VALUE);
                for (int scan = 0; scan < 300; scan++) {
                    final byte[] from = keys.get(random.nextInt(keys.size()));
                    assertTrue(cursor.seek(from));
                    assertShown(cursor, sorted.tailMap(from), levels, 60);
                }
            } finally {
                epochs.exit(guard);
            }
        }
        assertEquals(0, budget.used());
    }

    private static void assertShown(
        final PrefetchingCursor cursor, final SortedMap<byte[], Integer> expected, final int levels, final int rows) {
        int left = rows;
        for (final Map.Entry<byte[], Integer> entry : expected.entrySet()) {
            if (left-- == 0) {
                return;
            }
            assertTrue(cursor.valid());
            assertArrayEquals(entry.getKey(), cursor.key());
            assertEquals((long) entry.getValue(), cursor.payload());
            if (levels > 0) {
                final int shorter = entry.getKey().length > 48 && levels > 1 ? 1 : 0;
                assertEquals(levels - shorter, cursor.lookAhead.level(), "a key of " + entry.getKey().length + " bytes");
            }
            cursor.next();
        }
        assertFalse(cursor.valid());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void shouldShowTheSameWithAnyNumberOfLevels(final int levels) {
        final long seed = Seeds.seed("shouldShowTheSameWithAnyNumberOfLevels");
        final List<Integer> order = new ArrayList<>(sorted().values());
        final List<byte[]> keys = new ArrayList<>(sorted().keySet());
        try (ListFixture fixture = filled(levels); EntryCursor cursor = fixture.list().cursor()) {
            int at = 0;
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                assertEquals(ListFixture.payload(order.get(at++), 1), cursor.payload());
            }
            assertEquals(KEYS, at);
            for (boolean found = cursor.last(); found; found = cursor.previous()) {
                assertEquals(ListFixture.payload(order.get(--at), 1), cursor.payload());
            }
            assertEquals(0, at);
            final Random random = new Random(seed);
            for (int scan = 0; scan < 300; scan++) {
                at = random.nextInt(KEYS);
                assertTrue(cursor.seek(keys.get(at)));
                for (int move = random.nextInt(1 << random.nextInt(10)); move > 0 && at + 1 < KEYS; move--) {
                    assertTrue(cursor.next());
                    at++;
                    if (random.nextInt(50) == 0 && at > 0) {
                        assertTrue(cursor.previous());
                        at--;
                    }
                }
                assertArrayEquals(keys.get(at), cursor.key());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldGoOnWhenWhatItLooksAheadByIsRemoved(final int levels) {
        final long seed = Seeds.seed("shouldGoOnWhenWhatItLooksAheadByIsRemoved");
        final Random random = new Random(seed);
        try (ListFixture fixture = filled(levels); EntryCursor cursor = fixture.list().cursor()) {
            final TreeMap<byte[], Integer> expected = sorted();
            final int guard = fixture.epochs().enter();
            byte[] before = null;
            int shown = 0;
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                final byte[] key = cursor.key();
                assertTrue(before == null || Arrays.compareUnsigned(before, key) < 0);
                assertArrayEquals(expected.ceilingKey(before == null ? new byte[0] : next(before)), key);
                before = key;
                shown++;
                if (shown % 10 == 0) {
                    // Those just ahead, tall ones among them.
                    for (int i = 0; i < 6; i++) {
                        final int number = random.nextInt(KEYS);
                        if (fixture.remove(number) >= 0) {
                            expected.remove(ListFixture.key(number));
                        }
                    }
                }
            }
            fixture.epochs().exit(guard);
            fixture.list().verify();
            assertEquals(expected.size(), fixture.list().entryCount());
        }
    }

    /** The smallest key behind a key. */
    private static byte[] next(final byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, LookAhead.MAX_LEVEL + 1})
    void createThrowsIllegalArgumentExceptionWhenLevelsAreOutOfRange(final int levels) {
        final Exception e = assertThrows(IllegalArgumentException.class, () -> new ListFixture(64L << 20, levels));
        assertTrue(e.getMessage().contains(Integer.toString(levels)), e.getMessage());
        assertFalse(e.getMessage().isEmpty());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldLookAheadBehindTheLastEntryOfTheNodeIndex(final int levels) {
        final List<byte[]> keys = new ArrayList<>(sorted().keySet());
        try (ListFixture fixture = filled(levels); EntryCursor cursor = fixture.list().cursor()) {
            for (int at = KEYS - 300; at < KEYS; at++) {
                assertTrue(cursor.seek(keys.get(at)));
                int moves = 0;
                while (cursor.next()) {
                    moves++;
                }
                assertEquals(KEYS - 1 - at, moves);
            }
        }
    }

    @Test
    void shouldNotTakeTheNodeAfterOneThatDiesForTheOneThatWasSought() throws InterruptedException {
        final int few = 3_000;
        try (ListFixture fixture = new ListFixture(64L << 20, LookAhead.MAX_LEVEL)) {
            for (int i = 0; i < few; i++) {
                fixture.put(i, 1);
            }
            final List<Integer> tall = new ArrayList<>();
            for (int node = SkipListNodeLayout.HEAD; node != SkipListNodeLayout.NULL;
                node = fixture.list().nodes.next(node, 1)) {
                if (node != SkipListNodeLayout.HEAD) {
                    tall.add(ListFixture.numberOf(fixture.list().nodes.payload(node)));
                }
            }
            final AtomicBoolean done = new AtomicBoolean();
            Threads.runTogether(2, thread -> {
                if (thread == 0) {
                    for (int i = 0; !done.get(); i++) {
                        final int number = tall.get(i % 4);
                        fixture.remove(number);
                        fixture.put(number, 1);
                    }
                    return;
                }
                try (EntryCursor cursor = fixture.list().cursor()) {
                    for (int i = 0; i < 300_000; i++) {
                        final int guard = fixture.epochs().enter();
                        try {
                            final byte[] key = ListFixture.key(tall.get(i % 4));
                            boolean found = cursor.seek(key);
                            for (int move = 0; found && move < 8; move++) {
                                found = cursor.next();
                            }
                        } finally {
                            fixture.epochs().exit(guard);
                        }
                    }
                } finally {
                    done.set(true);
                }
            });
            fixture.list().verify();
        }
    }

    /** Half of the keys stay; others are put, with which the node index comes and is renewed, and removed, with which it ends. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void shouldMissNothingThatStaysWhileOtherKeysComeAndGo(final int levels) throws InterruptedException {
        final int numbers = 12_000;
        final List<byte[]> stay = new ArrayList<>();
        try (ListFixture fixture = new ListFixture(64L << 20, levels)) {
            for (int number = 0; number < numbers; number += 2) {
                fixture.put(number, 1);
                stay.add(ListFixture.key(number));
            }
            stay.sort(Arrays::compareUnsigned);
            final AtomicBoolean done = new AtomicBoolean();
            Threads.runTogether(3, thread -> {
                if (thread == 0) {
                    try {
                        for (int round = 0; round < 3; round++) {
                            putAndRemoveOddNumbers(fixture, numbers);
                        }
                    } finally {
                        done.set(true);
                    }
                    return;
                }
                final Random random = new Random(thread);
                try (EntryCursor cursor = fixture.list().cursor()) {
                    do {
                        final int guard = fixture.epochs().enter();
                        try {
                            if (thread == 1) {
                                assertShown(cursor, stay, 0, stay.size());
                            } else {
                                final int from = random.nextInt(stay.size());
                                assertShown(cursor, stay, from, Math.min(stay.size(), from + 1 + random.nextInt(80)));
                            }
                        } finally {
                            fixture.epochs().exit(guard);
                        }
                    } while (!done.get());
                }
            });
            fixture.list().verify();
            assertEquals(stay.size(), fixture.list().entryCount());
        }
    }

    private static void putAndRemoveOddNumbers(final ListFixture fixture, final int numbers) {
        for (int number = 1; number < numbers; number += 2) {
            fixture.put(number, 1);
        }
        for (int number = 1; number < numbers; number += 2) {
            assertTrue(fixture.remove(number) >= 0);
        }
    }

    /** Some of the keys that stay are met in order, each once, and what is met between them is in order too. */
    private static void assertShown(final EntryCursor cursor, final List<byte[]> stay, final int from, final int to) {
        boolean found = cursor.seek(stay.get(from));
        byte[] before = null;
        int at = from;
        while (at < to) {
            assertTrue(found);
            final byte[] key = cursor.key();
            assertTrue(before == null || Arrays.compareUnsigned(before, key) < 0, "order");
            final int order = Arrays.compareUnsigned(key, stay.get(at));
            assertTrue(order <= 0, "a key is missing");
            if (order == 0) {
                at++;
            }
            before = key;
            found = cursor.next();
        }
    }
}
