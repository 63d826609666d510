/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.PointIndex;
import io.nestling.testing.Seeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RegionLayoutTest {
    @Test
    void shouldFillTheHeader() {
        assertTrue(FOREST_OFFSET + MAX_BUCKETS * Short.BYTES <= HEADER_BYTES);
        assertEquals(LINE_BYTES, FOREST_OFFSET + Short.BYTES, "the node of bucket 0 is in the first line");
        assertEquals(HEADER_BYTES, 3 * LINE_BYTES);
        assertEquals(LOCKED_OFFSET + 3 * Long.BYTES, PATTERN_OFFSET);
        assertEquals(PATTERN_OFFSET + Integer.BYTES, DEPTH_OFFSET);
        assertEquals(DEPTH_OFFSET + Integer.BYTES, CORE_LOCK_OFFSET);
        assertEquals(CORE_LOCK_OFFSET + Long.BYTES, FULL_OFFSET);
        assertEquals(FULL_OFFSET + Long.BYTES, CORE_OFFSET);
        assertEquals(CORE_OFFSET + Long.BYTES, STATE_OFFSET);
        assertTrue(STATE_OFFSET + Integer.BYTES <= FOREST_OFFSET);
        assertEquals(0, STATE_OFFSET % Integer.BYTES);
        assertEquals(RegionArena.STASH_BYTES, Stash.slots(0) + Stash.SLOTS * SLOT_BYTES);
    }

    @Test
    void shouldAlignRegionsToLines() {
        for (int sizeClass = 0; sizeClass < SIZE_CLASSES; sizeClass++) {
            assertEquals(0, regionBytes(sizeClass) % LINE_BYTES);
        }
        assertEquals(LINE_BYTES, SLOTS_PER_BUCKET * SLOT_BYTES, "a bucket is one line");
    }

    @Test
    void shouldFindTheBucketOfTheExample() {
        assertEquals(11, region(128, 3));
        assertEquals(128, base(11));
        assertEquals(3, sizeClass(11));
        assertEquals(64, bucketsOf(11));
        assertEquals(448, bucketOffset(base(11), 2));
    }

    @Test
    void shouldChooseTwoBucketsEvenly() {
        final Random random = Seeds.random("shouldChooseTwoBucketsEvenly");
        for (int sizeClass = 0; sizeClass < SIZE_CLASSES; sizeClass++) {
            final int buckets = buckets(sizeClass);
            final int draws = 2_000 * buckets;
            final int[] count = new int[buckets];
            for (int i = 0; i < draws; i++) {
                final long hash = random.nextLong();
                final int primary = primary(hash, buckets);
                final int secondary = secondary(hash, buckets, primary);
                assertNotEquals(primary, secondary);
                assertEquals(secondary, alternate(hash, buckets, primary));
                assertEquals(primary, alternate(hash, buckets, secondary));
                count[primary]++;
                count[secondary]++;
            }
            for (final int hits : count) {
                assertTrue(hits > 3_600 && hits < 4_400, hits + " of about 4,000 in " + buckets + " buckets");
            }
        }
    }

    @Test
    void shouldKeepPayloadsApartFromFlags() {
        assertEquals(PointIndex.MAX_PAYLOAD, payload(PRESENT | PointIndex.MAX_PAYLOAD));
        assertEquals(PointIndex.MAX_PAYLOAD, payload(PRESENT | MOVING | PointIndex.MAX_PAYLOAD));
        assertTrue(isPresent(PRESENT));
        assertFalse(isPresent(PointIndex.MAX_PAYLOAD));
        assertEquals(5, buckets(0) + 1);
    }

    /** The inverse of an odd number modulo 2^64. */
    static long inverse(final long odd) {
        long inverse = odd;
        for (int i = 0; i < 6; i++) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }
}
