/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;
import java.util.function.IntToLongFunction;

class WordSorterTest {
    private static void assertSorted(final long[] words, final int from, final int to) {
        final long[] sorted = words.clone();
        final int[] companions = new int[words.length];
        Arrays.setAll(companions, i -> i);
        WordSorter.sort(sorted, companions, from, to);
        final long[] expected = words.clone();
        Arrays.sort(expected, from, to);
        assertArrayEquals(expected, sorted);
        final boolean[] met = new boolean[words.length];
        for (int i = 0; i < words.length; i++) {
            assertEquals(sorted[i], words[companions[i]]);
            met[companions[i]] = true;
        }
        for (final boolean one : met) {
            assertEquals(true, one);
        }
    }

    private static void assertSorted(final int count, final IntToLongFunction word) {
        final long[] words = new long[count];
        Arrays.setAll(words, word);
        assertSorted(words, 0, count);
    }

    @Test
    void shouldSortWithCompanions() {
        final Random random = Seeds.random("WordSorterTest");
        for (int count = 0; count < 60; count++) {
            assertSorted(count, i -> random.nextLong());
            assertSorted(count, i -> random.nextInt(4) - 2);
        }
        for (final int count : new int[] {1000, 30_000}) {
            assertSorted(count, i -> random.nextLong());
            assertSorted(count, i -> random.nextInt(100));
            assertSorted(count, i -> i);
            assertSorted(count, i -> -i);
            assertSorted(count, i -> 7);
            assertSorted(count, i -> Math.min(i, count - i));
            assertSorted(count, i -> i % 2 == 0 ? Long.MIN_VALUE : Long.MAX_VALUE);
        }
    }

    @Test
    void shouldLeaveTheRestAlone() {
        final Random random = Seeds.random("WordSorterTest.range");
        final long[] words = random.longs(500).toArray();
        assertSorted(words, 100, 400);
        assertSorted(words, 200, 200);
    }

    @Test
    void shouldSortWithHeapSortWhereHalvingLeadsNowhere() {
        final Random random = Seeds.random("WordSorterTest.heap");
        for (int halvings = 0; halvings < 6; halvings++) {
            for (final int count : new int[] {0, 1, 25, 26, 27, 1000}) {
                final long[] words = random.longs(count + 20, -300, 300).toArray();
                final long[] expected = words.clone();
                Arrays.sort(expected, 10, count + 10);
                final int[] companions = new int[words.length];
                Arrays.setAll(companions, i -> (int) words[i]);
                WordSorter.quicksort(words, companions, 10, count + 10, halvings);
                assertArrayEquals(expected, words);
                assertArrayEquals(Arrays.stream(expected).mapToInt(word -> (int) word).toArray(), companions);
            }
        }
    }
}
