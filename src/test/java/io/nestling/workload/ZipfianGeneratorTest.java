/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

class ZipfianGeneratorTest {
    private static final int DRAWS = 400_000;

    /** Probabilities of the ranks, by the sum that the generator does without. */
    static double[] probabilities(final int items) {
        final double[] probabilities = new double[items];
        double sum = 0;
        for (int i = 0; i < items; i++) {
            probabilities[i] = Math.pow(i + 1, -ZipfianGenerator.EXPONENT);
            sum += probabilities[i];
        }
        for (int i = 0; i < items; i++) {
            probabilities[i] /= sum;
        }
        return probabilities;
    }

    /**
     * Pearson's test: squared differences in units of their variance, for ranks and, farther back, groups of
     * ranks.
     */
    static void assertFits(final double[] probabilities, final long[] counts) {
        long draws = 0;
        for (final long count : counts) {
            draws += count;
        }
        double sum = 0;
        int groups = 0;
        double expected = 0;
        long met = 0;
        for (int i = 0; i < counts.length; i++) {
            expected += probabilities[i] * draws;
            met += counts[i];
            if (expected > 50 || i == counts.length - 1 && expected > 0) {
                sum += (met - expected) * (met - expected) / expected;
                groups++;
                expected = 0;
                met = 0;
            }
        }
        final double freedom = Math.max(groups - 1, 1);
        final double statistic = sum;
        assertTrue(sum < freedom + 6 * Math.sqrt(2 * freedom) + 6,
            () -> "chi square " + statistic + " with " + freedom + " degrees of freedom");
    }

    private static long[] draw(final ZipfianGenerator generator, final int items, final int draws) {
        final long[] counts = new long[items];
        for (int i = 0; i < draws; i++) {
            counts[(int) generator.next()]++;
        }
        return counts;
    }

    @Test
    void shouldDrawByZipfsLaw() {
        final long seed = Seeds.seed("ZipfianGeneratorTest");
        for (final int items : new int[] {1, 2, 3, 10, 1000, 1_000_000}) {
            assertFits(probabilities(items), draw(new ZipfianGenerator(items, new Randomness(seed)), items, DRAWS));
        }
    }

    @Test
    void shouldNoticeAnotherLaw() {
        final double[] even = new double[1000];
        Arrays.fill(even, 1.0 / even.length);
        final long[] counts = draw(new ZipfianGenerator(even.length, new Randomness(1)), even.length, DRAWS);
        assertThrows(AssertionError.class, () -> assertFits(even, counts));
        final double[] steeper = probabilities(1000);
        double sum = 0;
        for (int i = 0; i < steeper.length; i++) {
            steeper[i] *= Math.pow(i + 1, -0.02);
            sum += steeper[i];
        }
        for (int i = 0; i < steeper.length; i++) {
            steeper[i] /= sum;
        }
        assertThrows(AssertionError.class, () -> assertFits(steeper, counts));
    }

    @Test
    void shouldFollowAGrowingNumberOfItems() {
        final ZipfianGenerator generator = new ZipfianGenerator(10, new Randomness(Seeds.seed("ZipfianGeneratorTest.growth")));
        draw(generator, 10, 1000);
        generator.items(5000);
        assertFits(probabilities(5000), draw(generator, 5000, DRAWS));
        generator.items(3);
        assertFits(probabilities(3), draw(generator, 3, DRAWS));
    }

    @Test
    void shouldServeManyItemsAtOnce() {
        final long items = 3_000_000_000L;
        final ZipfianGenerator generator = new ZipfianGenerator(items, new Randomness(1));
        long largest = 0;
        int first = 0;
        for (int i = 0; i < DRAWS; i++) {
            final long rank = generator.next();
            assertTrue(rank >= 0 && rank < items);
            largest = Math.max(largest, rank);
            first += rank == 0 ? 1 : 0;
        }
        assertTrue(largest > items / 2);
        // By Euler and Maclaurin: the sum is about 100 n^0.01 + zeta(0.99), which is -99.4228.
        final double expected = DRAWS / (100 * Math.pow(items, 0.01) - 99.4228);
        assertEquals(expected, first, 6 * Math.sqrt(expected));
    }

    @Test
    void shouldRepeatItselfForTheSameSeed() {
        final ZipfianGenerator one = new ZipfianGenerator(1000, new Randomness(7));
        final ZipfianGenerator same = new ZipfianGenerator(1000, new Randomness(7));
        final ZipfianGenerator other = new ZipfianGenerator(1000, new Randomness(8));
        int different = 0;
        for (int i = 0; i < 1000; i++) {
            final long rank = one.next();
            assertEquals(rank, same.next());
            different += rank == other.next() ? 0 : 1;
        }
        assertTrue(different > 500);
    }

    @Test
    void noItemsThrowsIllegalArgumentException() {
        assertThrows(IllegalArgumentException.class, () -> new ZipfianGenerator(0, new Randomness(1)));
        final ZipfianGenerator generator = new ZipfianGenerator(1, new Randomness(1));
        assertThrows(IllegalArgumentException.class, () -> generator.items(-1));
        assertEquals(0, generator.next());
    }
}
