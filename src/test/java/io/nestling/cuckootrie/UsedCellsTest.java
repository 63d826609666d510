/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class UsedCellsTest {
    private static final long LAST = (1L << 30) - 1;

    @Test
    void shouldKnowNoUsedCellAtFirst() {
        final UsedCells used = new UsedCells();
        for (final long bucket : new long[] {0, 15, 16, 8191, 8192, LAST}) {
            assertEquals(0, used.of(bucket));
            assertEquals(0b1111, used.freeCells(bucket));
            assertTrue(used.hasRoom(bucket));
        }
    }

    @Test
    void shouldKeepFourBitsForEachBucket() {
        final Random random = new Random(Seeds.seed("UsedCellsTest"));
        final UsedCells used = new UsedCells();
        final int[] expected = new int[30_000];
        for (int i = 0; i < 200_000; i++) {
            final int bucket = random.nextInt(20_000);
            final int cell = random.nextInt(4);
            switch (random.nextInt(4)) {
                case 0:
                    used.remove(bucket, cell);
                    expected[bucket] &= ~(1 << cell);
                    break;
                case 1:
                    expected[bucket] = random.nextInt(16);
                    used.set(bucket, expected[bucket]);
                    break;
                default:
                    used.add(bucket, cell);
                    expected[bucket] |= 1 << cell;
            }
        }
        for (int bucket = 0; bucket < expected.length; bucket++) {
            assertEquals(expected[bucket], used.of(bucket));
            assertEquals(~expected[bucket] & 0b1111, used.freeCells(bucket));
            assertEquals(Integer.bitCount(expected[bucket]), used.count(bucket));
            assertEquals(expected[bucket] != 0b1111, used.hasRoom(bucket));
        }
    }

    @Test
    void shouldTakeTheLastBucketOfTheGreatestTable() {
        final UsedCells used = new UsedCells();
        used.add(LAST, 3);
        assertEquals(0b1000, used.of(LAST));
        assertEquals(0, used.of(LAST - 1));
        assertEquals(0, used.of(63));
    }
}
