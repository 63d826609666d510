/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.ConcurrentIndex;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.RegisterHistory;
import io.nestling.testing.RegisterHistory.Kind;
import io.nestling.testing.RegisterHistory.Operation;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Writes that depend on what the key has: {@code putIfAbsent} and {@code replace}. */
class SkipListConditionalWritesTest {
    private static final int KEYS = 3;
    private static final int ROUNDS = 400;
    private static final int TWIN_ROUNDS = 5_000;
    private static final int OPERATIONS = 60;

    /** How a payload is replaced by another one. */
    private interface Replacing {
        boolean replace(ListFixture fixture, int number, long expected, long generation);
    }

    private static long putIfAbsent(final ListFixture fixture, final int number, final long generation) {
        final byte[] key = ListFixture.key(number);
        return fixture.list().putIfAbsent(key, 0, key.length, ListFixture.payload(number, generation));
    }

    private static boolean replace(
        final ListFixture fixture, final int number, final long expected, final long generation) {
        final byte[] key = ListFixture.key(number);
        return fixture.list().replace(key, 0, key.length, expected, ListFixture.payload(number, generation));
    }

    /** The twin: looks whether the payload is the expected one, and puts the other one then. */
    private static boolean replaceInTwoSteps(
        final ListFixture fixture, final int number, final long expected, final long generation) {
        if (fixture.get(number) != expected) {
            return false;
        }
        Thread.onSpinWait();
        fixture.put(number, generation);
        return true;
    }

    @Test
    void shouldPutOnlyWhatIsAbsent() {
        try (ListFixture fixture = new ListFixture(1L << 20)) {
            for (int number = 0; number < 500; number++) {
                assertEquals(ConcurrentIndex.NONE, putIfAbsent(fixture, number, 1));
                assertEquals(ListFixture.payload(number, 1), putIfAbsent(fixture, number, 2));
                assertEquals(ListFixture.payload(number, 1), fixture.get(number));
            }
            assertEquals(500, fixture.list().entryCount());
            fixture.remove(7);
            assertEquals(ConcurrentIndex.NONE, putIfAbsent(fixture, 7, 3));
            assertEquals(ListFixture.payload(7, 3), fixture.get(7));
            fixture.list().verify();
        }
    }

    @Test
    void shouldReplaceOnlyWhatIsExpected() {
        try (ListFixture fixture = new ListFixture(1L << 20)) {
            assertFalse(replace(fixture, 1, ListFixture.payload(1, 1), 2), "an absent key");
            assertFalse(replace(fixture, 1, ConcurrentIndex.NONE, 2), "nothing is no payload");
            fixture.put(1, 1);
            assertFalse(replace(fixture, 1, ListFixture.payload(1, 5), 2));
            assertEquals(ListFixture.payload(1, 1), fixture.get(1));
            assertTrue(replace(fixture, 1, ListFixture.payload(1, 1), 2));
            assertEquals(ListFixture.payload(1, 2), fixture.get(1));
            fixture.remove(1);
            assertFalse(replace(fixture, 1, ListFixture.payload(1, 2), 3), "a removed key");
            assertEquals(ConcurrentIndex.NONE, fixture.get(1));
            assertEquals(0, fixture.list().entryCount());
            fixture.list().verify();
        }
    }

    @Test
    void conditionalWritesThrowWhenTheirArgumentsAreOutOfRange() {
        try (ListFixture fixture = new ListFixture(1L << 20)) {
            final byte[] key = {1};
            final byte[] longKey = new byte[ConcurrentIndex.MAX_KEY_BYTES + 1];
            final SkipList list = fixture.list();
            assertThrows(IllegalArgumentException.class, () -> list.putIfAbsent(longKey, 0, longKey.length, 0));
            assertThrows(IllegalArgumentException.class, () -> list.replace(longKey, 0, longKey.length, 0, 1));
            assertThrows(IllegalArgumentException.class, () -> list.putIfAbsent(key, 0, 1, -1));
            assertThrows(
                IllegalArgumentException.class, () -> list.replace(key, 0, 1, 0, ConcurrentIndex.MAX_PAYLOAD + 1));
            assertThrows(IndexOutOfBoundsException.class, () -> list.putIfAbsent(key, 1, 1, 0));
        }
    }

    @Test
    void putIfAbsentThrowsAndChangesNothingWhenTheListIsFull() {
        try (ListFixture fixture = new ListFixture(64 << 10)) {
            int count = 0;
            try {
                while (true) {
                    putIfAbsent(fixture, count, 1);
                    count++;
                }
            } catch (final SpaceExhaustedException e) {
                assertEquals(count, fixture.list().entryCount());
            }
            assertTrue(count > 100, count + " keys");
            assertEquals(ListFixture.payload(5, 1), putIfAbsent(fixture, 5, 2));
            assertTrue(replace(fixture, 5, ListFixture.payload(5, 1), 2), "needs no space");
            fixture.list().verify();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void shouldLoseNoUpdateOfAHotKey(final int threads) throws InterruptedException {
        try (ListFixture fixture = new ListFixture(1L << 20)) {
            putIfAbsent(fixture, 1, 0);
            final int each = 20_000 / threads;
            Threads.runTogether(threads, thread -> {
                for (int i = 0; i < each; i++) {
                    long before;
                    do {
                        before = fixture.get(1);
                    } while (!replace(fixture, 1, before, (before >>> ListFixture.NUMBER_BITS) + 1));
                }
            });
            assertEquals(ListFixture.payload(1, (long) threads * each), fixture.get(1));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void shouldLetOneThreadOnlyAddAKey(final int threads) throws InterruptedException {
        try (ListFixture fixture = new ListFixture(4L << 20)) {
            final AtomicLong added = new AtomicLong();
            final int keys = 5_000;
            Threads.runTogether(threads, thread -> {
                for (int number = 0; number < keys; number++) {
                    final long present = putIfAbsent(fixture, number, 1 + thread);
                    if (present == ConcurrentIndex.NONE) {
                        added.incrementAndGet();
                    }
                    final long own = ListFixture.payload(number, 1 + thread);
                    assertEquals(present == ConcurrentIndex.NONE ? own : present, fixture.get(number));
                }
            });
            assertEquals(keys, added.get());
            assertEquals(keys, fixture.list().entryCount());
            fixture.list().verify();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8})
    void shouldExplainWhatAllThreadsSaw(final int threads) throws InterruptedException {
        final long seed = Seeds.seed("conditional writes");
        try (ListFixture fixture = new ListFixture(4L << 20)) {
            for (int round = 0; round < ROUNDS; round++) {
                final String unexplained =
                    runRound(fixture, SkipListConditionalWritesTest::replace, threads, round, seed);
                assertTrue(unexplained == null, unexplained);
            }
            fixture.list().verify();
        }
    }

    @Test
    void shouldNotExplainAReplaceInTwoSteps() throws InterruptedException {
        final long seed = Seeds.seed("replace in two steps");
        try (ListFixture fixture = new ListFixture(4L << 20)) {
            String unexplained = null;
            for (int round = 0; round < TWIN_ROUNDS && unexplained == null; round++) {
                unexplained = runRound(fixture, SkipListConditionalWritesTest::replaceInTwoSteps, 4, round, seed);
            }
            assertTrue(unexplained != null, "the broken replace was not found out");
        }
    }

    /** Lets threads work on a few keys and returns a history that cannot be explained, or null. */
    private static String runRound(
        final ListFixture fixture, final Replacing replacing, final int threads, final int round, final long seed)
        throws InterruptedException {
        final RegisterHistory[] histories = new RegisterHistory[KEYS];
        final long[] initial = new long[KEYS];
        for (int key = 0; key < KEYS; key++) {
            histories[key] = new RegisterHistory();
            initial[key] = fixture.get(key);
        }
        final int each = OPERATIONS / threads;
        Threads.runTogether(threads, thread -> {
            final Random random = new Random(seed + round * 31L + thread);
            for (int i = 0; i < each; i++) {
                final long generation = 1 + i + (long) each * (thread + (long) threads * round);
                final int key = random.nextInt(KEYS);
                final Operation operation = operate(fixture, replacing, random, key, generation);
                if (operation != null) {
                    histories[key].add(operation);
                }
            }
        });
        for (int key = 0; key < KEYS; key++) {
            if (!histories[key].isLinearizable(initial[key])) {
                return "key " + key + " in round " + round + ", at first " + initial[key] + ":\n" + histories[key];
            }
        }
        return null;
    }

    /**
     * One operation as that of a register: a put that was not needed is a read, a replacement that took place
     * is a put that returned what was expected. One that did not take place says nothing and is left out: null.
     */
    private static Operation operate(
        final ListFixture fixture, final Replacing replacing, final Random random, final int key, final long generation) {
        final long payload = ListFixture.payload(key, generation);
        final int choice = random.nextInt(10);
        final long expected = choice >= 5 && choice < 9 ? fixture.get(key) : 0;
        final long calledAt = System.nanoTime();
        if (choice < 2) {
            return new Operation(Kind.REMOVE, 0, fixture.remove(key), calledAt, System.nanoTime());
        }
        if (choice < 5) {
            final long present = putIfAbsent(fixture, key, generation);
            final Kind kind = present == ConcurrentIndex.NONE ? Kind.PUT : Kind.GET;
            return new Operation(kind, payload, present, calledAt, System.nanoTime());
        }
        if (choice < 9) {
            if (expected == ConcurrentIndex.NONE || !replacing.replace(fixture, key, expected, generation)) {
                return null;
            }
            return new Operation(Kind.PUT, payload, expected, calledAt, System.nanoTime());
        }
        return new Operation(Kind.GET, 0, fixture.get(key), calledAt, System.nanoTime());
    }
}
