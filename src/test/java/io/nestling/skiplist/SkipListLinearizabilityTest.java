/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Effort;
import io.nestling.testing.RegisterHistory;
import io.nestling.testing.RegisterHistory.Kind;
import io.nestling.testing.RegisterHistory.Operation;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

/** Short histories of a few keys under several threads are linearizable; those of a list with a gap in its put are not. */
class SkipListLinearizabilityTest {
    private static final int KEYS = 3;
    private static final int ROUNDS = Effort.count(200, 400, 400);
    private static final int TWIN_ROUNDS = 5_000;
    private static final int OPERATIONS = 60;

    /** The list as it is. */
    private static class Subject {
        protected final ListFixture fixture;

        Subject(final ListFixture fixture) {
            this.fixture = fixture;
        }

        long put(final int number, final long generation) {
            return fixture.put(number, generation);
        }
    }

    /** A list whose put finds out what it replaces before it replaces it. */
    private static final class BrokenSubject extends Subject {
        BrokenSubject(final ListFixture fixture) {
            super(fixture);
        }

        @Override
        long put(final int number, final long generation) {
            final long before = fixture.get(number);
            Thread.onSpinWait();
            fixture.put(number, generation);
            return before;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8})
    void shouldExplainWhatAllThreadsSaw(final int threads) throws InterruptedException {
        final long seed = Seeds.seed("shouldExplainWhatAllThreadsSaw");
        try (ListFixture fixture = new ListFixture(4L << 20)) {
            for (int round = 0; round < ROUNDS; round++) {
                final String unexplained = runRound(new Subject(fixture), threads, round, seed);
                assertTrue(unexplained == null, unexplained);
            }
            fixture.list().verify();
        }
    }

    /** The same keys between many others, which are added meanwhile: a node index leads to them, and the hash grows. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldExplainWhatAllThreadsSawAmongOtherKeys(final boolean hashed) throws InterruptedException {
        final long seed = Seeds.seed("shouldExplainWhatAllThreadsSawAmongOtherKeys");
        final int others = 20;
        try (ListFixture fixture = new ListFixture(16L << 20, 2, hashed)) {
            int number = KEYS;
            while (number < 6_000) {
                fixture.put(number++, 1);
            }
            for (int round = 0; round < ROUNDS; round++) {
                final String unexplained = runRound(new Subject(fixture), 4, round, seed);
                assertTrue(unexplained == null, unexplained);
                for (int i = 0; i < others; i++) {
                    fixture.put(number++, 1);
                }
            }
            fixture.list().verify();
            for (int i = KEYS; i < number; i++) {
                assertEquals(ListFixture.payload(i, 1), fixture.get(i));
            }
        }
    }

    @Test
    void shouldNotExplainABrokenList() throws InterruptedException {
        final long seed = Seeds.seed("shouldNotExplainABrokenList");
        try (ListFixture fixture = new ListFixture(4L << 20)) {
            String unexplained = null;
            for (int round = 0; round < TWIN_ROUNDS && unexplained == null; round++) {
                unexplained = runRound(new BrokenSubject(fixture), 4, round, seed);
            }
            assertTrue(unexplained != null, "the broken put was not found out");
        }
    }

    /** Lets threads work on a few keys and returns a history that cannot be explained, or null. */
    private static String runRound(final Subject subject, final int threads, final int round, final long seed)
        throws InterruptedException {
        final RegisterHistory[] histories = new RegisterHistory[KEYS];
        final long[] initial = new long[KEYS];
        for (int key = 0; key < KEYS; key++) {
            histories[key] = new RegisterHistory();
            initial[key] = subject.fixture.get(key);
        }
        final int each = OPERATIONS / threads;
        Threads.runTogether(threads, thread -> {
            final Random random = new Random(seed + round * 31L + thread);
            for (int i = 0; i < each; i++) {
                final int key = random.nextInt(KEYS);
                final Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
                final long generation = 1 + i + (long) each * (thread + (long) threads * round);
                final long calledAt = System.nanoTime();
                final long result = kind == Kind.GET ? subject.fixture.get(key)
                    : kind == Kind.PUT ? subject.put(key, generation) : subject.fixture.remove(key);
                histories[key].add(new Operation(
                    kind, ListFixture.payload(key, generation), result, calledAt, System.nanoTime()));
            }
        });
        for (int key = 0; key < KEYS; key++) {
            if (!histories[key].isLinearizable(initial[key])) {
                return "key " + key + " in round " + round + ", at first " + initial[key] + ":\n" + histories[key];
            }
        }
        return null;
    }
}
