/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.cuckoo;

import org.junit.jupiter.api.Test;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BucketAddressingTest {
    @Test
    void shouldDoAsTheExampleSays() {
        assertEquals(5, BucketAddressing.bucketOf(0b1101, 6));
        assertEquals(3, BucketAddressing.bucketOf(0b1111, 6));
    }

    @Test
    void shouldMoveHashesOfOneBucketOnlyWhenABucketIsAdded() {
        final Random random = new Random(1);
        for (long buckets = 1; buckets < 300; buckets++) {
            for (int i = 0; i < 200; i++) {
                final long hash = random.nextLong();
                final long before = BucketAddressing.bucketOf(hash, buckets);
                final long after = BucketAddressing.bucketOf(hash, buckets + 1);
                assertTrue(before >= 0 && before < buckets);
                final boolean moves = before == BucketAddressing.splitFrom(buckets)
                    && (hash & BucketAddressing.splitBit(buckets)) != 0;
                assertEquals(moves ? buckets : before, after);
            }
        }
    }

    @Test
    void shouldTakeAsManyBucketsAsThereAreHashes() {
        final long buckets = (1L << 40) + 12_345;
        assertEquals(12_344 + (1L << 40), BucketAddressing.bucketOf((1L << 40) + 12_344, buckets));
        assertEquals(12_345, BucketAddressing.bucketOf((1L << 40) + 12_345, buckets));
    }
}
