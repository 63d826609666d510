/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.Map;

class InsertionCountsTest {
    private static final int THREADS = 20;
    private static final int TIMES = 10_000;

    @Test
    void shouldCountEachCaseAndTakeTheMostFrequentOneForTheRest() {
        final InsertionCounts counts = new InsertionCounts();
        long others = 0;
        for (final InsertionCase kind : InsertionCase.values()) {
            for (int i = 0; i < kind.ordinal() + 1 && kind != InsertionCase.SAME_NON; i++) {
                counts.count(kind);
                others += kind.addsKey() ? 1 : 0;
            }
        }
        counts.countRemoved();
        counts.countRemoved();
        final Map<String, Object> figures = counts.figures(1000);
        for (final InsertionCase kind : InsertionCase.values()) {
            final long expected = kind == InsertionCase.SAME_NON ? 1000 + 2 - others : kind.ordinal() + 1;
            assertEquals(expected, figures.get(kind.figureName()), kind.figureName());
        }
    }

    @Test
    void shouldLoseNothingAmongThreads() throws InterruptedException {
        final InsertionCounts counts = new InsertionCounts();
        final Thread[] threads = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; i < TIMES; i++) {
                    counts.count(InsertionCase.MAX);
                    counts.countRemoved();
                }
            });
            threads[t].start();
        }
        for (final Thread thread : threads) {
            thread.join();
        }
        final Map<String, Object> figures = counts.figures(0);
        assertEquals((long) THREADS * TIMES, figures.get(InsertionCase.MAX.figureName()));
        assertEquals((long) THREADS * TIMES, figures.get(InsertionCase.SAME_NON.figureName()), "all were removed");
    }
}
