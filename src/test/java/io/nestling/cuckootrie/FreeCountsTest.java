/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FreeCountsTest {
    private static final long LAST = (1L << 30) - 1;

    @Test
    void shouldCountManyFreeCellsAtFirst() {
        final FreeCounts free = new FreeCounts();
        for (final long bucket : new long[] {0, 31, 32, 16_383, 16_384, LAST}) {
            assertEquals(FreeCounts.MANY, free.of(bucket));
            assertTrue(free.hasRoom(bucket));
        }
    }

    @Test
    void shouldKeepACountForEachBucket() {
        final Random random = new Random(Seeds.seed("FreeCountsTest"));
        final FreeCounts free = new FreeCounts();
        final int[] expected = new int[60_000];
        Arrays.fill(expected, FreeCounts.MANY);
        for (int i = 0; i < 200_000; i++) {
            final int bucket = random.nextInt(40_000);
            final int cells = random.nextInt(16);
            free.set(bucket, cells);
            expected[bucket] = Math.min(Integer.bitCount(cells), FreeCounts.MANY);
        }
        for (int bucket = 0; bucket < expected.length; bucket++) {
            assertEquals(expected[bucket], free.of(bucket));
            assertEquals(expected[bucket] > 0, free.hasRoom(bucket));
        }
    }

    @Test
    void shouldKeepCountsWhenItReachesFarther() {
        final FreeCounts free = new FreeCounts();
        for (long buckets = 1; buckets < 1 << 17; buckets = buckets * 3 + 1) {
            free.reach(buckets);
            free.set(buckets - 1, 0b100);
            free.reach(buckets);
            free.reach(1);
            assertEquals(1, free.of(buckets - 1));
            assertEquals(FreeCounts.MANY, free.of(buckets));
        }
    }

    @Test
    void shouldTakeTheLastBucketOfTheGreatestTable() {
        final FreeCounts free = new FreeCounts();
        free.set(LAST, 0);
        assertEquals(0, free.of(LAST));
        assertEquals(FreeCounts.MANY, free.of(LAST - 1));
        assertEquals(FreeCounts.MANY, free.of(63));
    }
}
