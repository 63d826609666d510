/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/** Several writers and readers on one list. */
class SkipListWritersTest {
    private static final int KEYS = 24_000;
    private static final long BUDGET = 64L << 20;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 8})
    void shouldTakeKeysFromManyWritersWhileReadersSeeAllThatIsThere(final int writers) throws InterruptedException {
        try (ListFixture fixture = new ListFixture(BUDGET)) {
            final AtomicIntegerArray written = new AtomicIntegerArray(writers);
            final AtomicInteger running = new AtomicInteger(writers);
            Threads.runTogether(writers + 2, thread -> {
                if (thread >= writers) {
                    do {
                        readPublished(fixture, written, writers, new Random(thread));
                    } while (running.get() > 0);
                    return;
                }
                try {
                    for (int i = thread; i < KEYS; i += writers) {
                        assertEquals(PointIndex.NONE, fixture.put(i, 1));
                        written.incrementAndGet(thread);
                    }
                } finally {
                    running.decrementAndGet();
                }
            });
            fixture.list().verify();
            assertEquals(KEYS, fixture.list().entryCount());
            for (int i = 0; i < KEYS; i++) {
                assertEquals(ListFixture.payload(i, 1), fixture.get(i));
            }
            assertEquals(KEYS, walk(fixture, true));
            assertEquals(KEYS, walk(fixture, false));
        }
    }

    private static void readPublished(
        final ListFixture fixture, final AtomicIntegerArray written, final int writers, final Random random) {
        for (int writer = 0; writer < writers; writer++) {
            final int count = written.get(writer);
            if (count > 0) {
                final int number = writer + writers * (count - 1 - random.nextInt(Math.min(count, 20)));
                assertEquals(ListFixture.payload(number, 1), fixture.get(number), "what was put before the read");
            }
        }
    }

    /** Walks from end to end, checks the order and returns the number of entries. */
    private static int walk(final ListFixture fixture, final boolean forward) {
        final int guard = fixture.epochs().enter();
        try (EntryCursor cursor = fixture.list().cursor()) {
            int count = 0;
            byte[] before = null;
            boolean found = forward ? cursor.first() : cursor.last();
            while (found) {
                final byte[] key = cursor.key();
                if (before != null) {
                    final int order = Arrays.compareUnsigned(before, key);
                    assertTrue(forward ? order < 0 : order > 0, "order of a walk");
                }
                before = key;
                count++;
                found = forward ? cursor.next() : cursor.previous();
            }
            return count;
        } finally {
            fixture.epochs().exit(guard);
        }
    }

    /** A writer whose node is linked on some levels, and listed in the node index already, looks for neighbours above. */
    @Test
    void shouldFindTheNeighboursAboveANodeThatTheNodeIndexLists() {
        final int keys = 5_000;
        try (ListFixture fixture = new ListFixture(BUDGET)) {
            for (int i = 0; i < keys; i++) {
                fixture.put(i, 1);
            }
            final Nodes nodes = fixture.list().nodes;
            assertTrue(nodes.maintainer().current() != null);
            final Splice splice = new Splice();
            int listed = 0;
            for (int i = 0; i < keys; i++) {
                final byte[] key = ListFixture.key(i);
                final int node = splice.locateLinked(nodes, key, 0, key.length);
                assertEquals(ListFixture.payload(i, 1), nodes.payload(node));
                final int height = SkipListNodeLayout.height(nodes.meta(node));
                listed += height > 0 ? 1 : 0;
                for (int level = height; level < nodes.height(); level++) {
                    assertTrue(splice.before(level) != node && splice.behind(level) != node);
                    assertEquals(splice.behind(level), nodes.link(splice.before(level), level));
                }
            }
            assertTrue(listed > keys / 4);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void shouldReplaceEachPayloadOnceWhenAllWriteTheSameKeys(final int writers) throws InterruptedException {
        final int keys = 3_000;
        final int rounds = 4;
        try (ListFixture fixture = new ListFixture(BUDGET)) {
            final ConcurrentHashMap<Long, Boolean> replaced = new ConcurrentHashMap<>();
            final AtomicInteger added = new AtomicInteger();
            Threads.runTogether(writers, thread -> {
                for (int i = 0; i < keys * rounds; i++) {
                    final int number = (i * 7 + thread) % keys;
                    final long before = fixture.put(number, 1 + thread + (long) writers * i);
                    if (before == PointIndex.NONE) {
                        added.incrementAndGet();
                    } else {
                        assertEquals(number, ListFixture.numberOf(before));
                        assertEquals(null, replaced.put(before, true), "a payload is replaced once");
                    }
                }
            });
            fixture.list().verify();
            assertEquals(keys, added.get());
            assertEquals(keys, fixture.list().entryCount());
            assertEquals(writers * rounds * keys - keys, replaced.size());
            for (int i = 0; i < keys; i++) {
                assertEquals(null, replaced.get(fixture.get(i)), "what is there was not replaced");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void shouldLoseNothingOnAFewHotKeys(final int writers) throws InterruptedException {
        final long seed = Seeds.seed("shouldLoseNothingOnAFewHotKeys");
        final int hot = 4;
        final int operations = 12_000;
        try (ListFixture fixture = new ListFixture(BUDGET)) {
            final ConcurrentHashMap<Long, Boolean> gone = new ConcurrentHashMap<>();
            final AtomicLong puts = new AtomicLong();
            Threads.runTogether(writers, thread -> {
                final Random random = new Random(seed + thread);
                for (int i = 0; i < operations; i++) {
                    final int number = random.nextInt(hot);
                    final long before;
                    if (random.nextInt(3) == 0) {
                        before = fixture.remove(number);
                    } else {
                        before = fixture.put(number, 1 + thread + (long) writers * i);
                        puts.incrementAndGet();
                    }
                    if (before != PointIndex.NONE) {
                        assertEquals(number, ListFixture.numberOf(before));
                        assertEquals(null, gone.put(before, true), "a payload is returned once");
                    }
                }
            });
            fixture.list().verify();
            int present = 0;
            for (int i = 0; i < hot; i++) {
                final long payload = fixture.get(i);
                if (payload != PointIndex.NONE) {
                    present++;
                    assertEquals(null, gone.get(payload));
                }
            }
            assertEquals(present, fixture.list().entryCount());
            assertEquals(puts.get() - present, gone.size(), "every payload is replaced, removed or there");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldKeepItsOrderWhileKeysComeAndGo(final int writers) throws InterruptedException {
        final long seed = Seeds.seed("shouldKeepItsOrderWhileKeysComeAndGo");
        final int keys = 16_000;
        try (ListFixture fixture = new ListFixture(BUDGET)) {
            // Even numbers stay, odd ones come and go, each at the hands of one writer.
            for (int i = 0; i < keys; i += 2) {
                fixture.put(i, 1);
            }
            final AtomicBoolean done = new AtomicBoolean();
            final AtomicInteger running = new AtomicInteger(writers);
            Threads.runTogether(writers + 2, thread -> {
                if (thread >= writers) {
                    do {
                        assertTrue(walk(fixture, thread == writers) >= keys / 2, "those that stay are all shown");
                    } while (!done.get());
                    return;
                }
                final Random random = new Random(seed + thread);
                final boolean[] there = new boolean[keys];
                for (int i = 0; i < 40_000; i++) {
                    final int number = 2 * (random.nextInt(keys / 2 / writers) * writers + thread) + 1;
                    if (number < keys) {
                        final long expected = there[number] ? ListFixture.payload(number, 2) : PointIndex.NONE;
                        final boolean put = random.nextBoolean();
                        assertEquals(expected, put ? fixture.put(number, 2) : fixture.remove(number));
                        there[number] = put;
                        assertEquals(put ? ListFixture.payload(number, 2) : PointIndex.NONE, fixture.get(number));
                    }
                }
                for (int number = 0; number < keys; number++) {
                    if (there[number]) {
                        fixture.remove(number);
                    }
                }
                if (running.decrementAndGet() == 0) {
                    done.set(true);
                }
            });
            fixture.list().verify();
            assertEquals(keys / 2, fixture.list().entryCount());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldStayWholeWhenSpaceRunsOutUnderManyWriters(final int writers) throws InterruptedException {
        try (ListFixture fixture = new ListFixture(1L << 20)) {
            final AtomicIntegerArray written = new AtomicIntegerArray(writers);
            Threads.runTogether(writers, thread -> {
                for (int i = thread;; i += writers) {
                    try {
                        fixture.put(i, 1);
                        written.incrementAndGet(thread);
                    } catch (final SpaceExhaustedException e) {
                        return;
                    }
                }
            });
            fixture.list().verify();
            long total = 0;
            for (int writer = 0; writer < writers; writer++) {
                total += written.get(writer);
                for (int i = 0; i < written.get(writer); i++) {
                    assertEquals(ListFixture.payload(writer + i * writers, 1), fixture.get(writer + i * writers));
                }
            }
            assertEquals(total, fixture.list().entryCount());
            assertTrue(total > 20_000, () -> fixture.list().entryCount() + " keys fit into 1 MiB");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldTakeKeysInOrderFromManyWriters(final int writers) throws InterruptedException {
        final Integer[] sorted = new Integer[KEYS];
        Arrays.setAll(sorted, i -> i);
        Arrays.sort(sorted, (left, right) -> Arrays.compareUnsigned(ListFixture.key(left), ListFixture.key(right)));
        try (ListFixture fixture = new ListFixture(BUDGET)) {
            Threads.runTogether(writers, thread -> {
                for (int i = thread; i < KEYS; i += writers) {
                    assertEquals(PointIndex.NONE, fixture.put(sorted[i], 1));
                    if (i % 5 == 0 && i >= 2 * writers) {
                        // Something else in between: an update, or a removal of a key nearby.
                        final int number = sorted[i - writers];
                        assertEquals(ListFixture.payload(number, 1),
                            i % 10 == 0 ? fixture.put(number, 2) : fixture.remove(number));
                    }
                }
            });
            fixture.list().verify();
            assertEquals(walk(fixture, true), fixture.list().entryCount());
            assertEquals(walk(fixture, false), fixture.list().entryCount());
        }
    }

    @Test
    void shouldReuseWhatManyWritersRemove() throws InterruptedException {
        try (ListFixture fixture = new ListFixture(1L << 20)) {
            for (int round = 0; round < Effort.count(4, 10, 10); round++) {
                Threads.runTogether(4, thread -> {
                    for (int i = thread; i < 20_000; i += 4) {
                        assertEquals(PointIndex.NONE, fixture.put(i, 1));
                    }
                });
                fixture.list().verify();
                Threads.runTogether(4, thread -> {
                    for (int i = thread; i < 20_000; i += 4) {
                        assertEquals(ListFixture.payload(i, 1), fixture.remove(i));
                    }
                });
                fixture.list().verify();
                assertEquals(0, fixture.list().entryCount());
            }
        }
    }
}
