/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.BitSet;

class PermutationTest {
    @Test
    void shouldHitEachNumberOnce() {
        final long seed = Seeds.seed("PermutationTest");
        for (int bound = 1; bound < 5000; bound = bound < 70 ? bound + 1 : bound * 3 / 2) {
            final Permutation permutation = new Permutation(bound, seed + bound);
            final BitSet hit = new BitSet();
            for (int i = 0; i < bound; i++) {
                final long number = permutation.apply(i);
                assertTrue(number >= 0 && number < bound, () -> number + " is not below the bound");
                assertFalse(hit.get((int) number), () -> number + " twice");
                hit.set((int) number);
            }
        }
    }

    @Test
    void shouldStayBelowLargeBounds() {
        for (final long bound : new long[] {(1L << 31) + 1, 466_560_000L, 1L << 62}) {
            final Permutation permutation = new Permutation(bound, 1);
            for (long i = 0; i < 1000; i++) {
                final long number = permutation.apply(bound - 1 - i);
                assertTrue(number >= 0 && number < bound);
            }
        }
    }

    /** Neighbours are far from each other: the first hundredth fills all hundredths alike. */
    @Test
    void shouldSpreadNeighbours() {
        final int bound = 1_000_000;
        final int parts = 100;
        final Permutation permutation = new Permutation(bound, 5);
        final int[] counts = new int[parts];
        for (int i = 0; i < bound / parts; i++) {
            counts[(int) (permutation.apply(i) * parts / bound)]++;
        }
        final int even = bound / parts / parts;
        for (final int count : counts) {
            assertEquals(even, count, 5 * Math.sqrt(even));
        }
    }

    @Test
    void boundOutOfRangeThrowsIllegalArgumentException() {
        assertThrows(IllegalArgumentException.class, () -> new Permutation(0, 1));
        assertThrows(IllegalArgumentException.class, () -> new Permutation((1L << 62) + 1, 1));
    }
}
