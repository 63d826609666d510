/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FullBucketsTest {
    @Test
    void shouldKnowNoFullBucketAtFirst() {
        final FullBuckets full = new FullBuckets();
        assertFalse(full.isFull(0));
        full.set(1L << 29, false);
        assertFalse(full.isFull(1L << 29));
    }

    @Test
    void shouldKeepOneBitForEachBucket() {
        final Random random = new Random(Seeds.seed("FullBucketsTest"));
        final FullBuckets full = new FullBuckets();
        final Set<Long> expected = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            final long bucket = random.nextInt(200_000);
            final boolean isFull = random.nextBoolean();
            full.set(bucket, isFull);
            if (isFull) {
                expected.add(bucket);
            } else {
                expected.remove(bucket);
            }
        }
        for (long bucket = 0; bucket < 300_000; bucket++) {
            assertEquals(expected.contains(bucket), full.isFull(bucket));
        }
    }

    @Test
    void shouldTakeTheLastBucketOfTheGreatestTable() {
        final FullBuckets full = new FullBuckets();
        full.set((1L << 30) - 1, true);
        assertTrue(full.isFull((1L << 30) - 1));
        assertFalse(full.isFull((1L << 30) - 2));
        assertFalse(full.isFull(63));
    }
}
