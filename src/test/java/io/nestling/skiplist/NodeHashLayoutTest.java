/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeHashLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Seeds;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Locale;
import java.util.Random;

@Tag("jdk")
class NodeHashLayoutTest {
    @Test
    void shouldAddUp() {
        assertEquals(64, 1 << BUCKET_SHIFT);
        assertEquals(1 << BUCKET_SHIFT, LAST_SLOT + 1 << SLOT_SHIFT);
        assertEquals(SkipListNodeLayout.LOW_UNITS << SkipListNodeLayout.UNIT_SHIFT, CELL_SLOTS + 1 << SLOT_SHIFT,
            "a cell is a low node's size");
        assertEquals(LAST_SLOT, TAKEN_MASK);
        assertEquals(CHANGE, TAKEN_MASK + 1 << TAKEN_SHIFT);
        assertTrue((LOCKED | SPILLED | INCOMPLETE) < 1 << TAKEN_SHIFT);
        assertEquals(2, tagBits(NodeHash.MAX_BUCKETS));
        assertEquals(15, taken(15 << TAKEN_SHIFT | LOCKED | INCOMPLETE | CHANGE));
    }

    /** The example of the class comment. */
    @Test
    void shouldLayOutTheExample() {
        assertEquals(17, tagBits(300));
        assertEquals(12, bucket(0x155556, 300));
        try (Slab slab = SlabAllocator.direct().allocate(1 << 21)) {
            slab.putInt(bucketOffset(12) + (1 << SLOT_SHIFT), slot(9, 0x155556, 17));
            final StringBuilder hex = new StringBuilder();
            for (int i = 772; i < 776; i++) {
                hex.append(String.format(Locale.ROOT, "%02x ", slab.getByte(i)));
            }
            assertEquals("56 55 13 00 ", hex.toString());
        }
    }

    /** A slot and its bucket tell all bits of the hash that count, whatever the number of buckets. */
    @Test
    void shouldKeepTheWholeHash() {
        final Random random = Seeds.random("shouldKeepTheWholeHash");
        for (int round = 0; round < 100_000; round++) {
            final int buckets = 32 + random.nextInt(1 << 5 + random.nextInt(18));
            final int hash = prefix(random.nextLong());
            final int bucket = bucket(hash, buckets);
            final int tagBits = tagBits(buckets);
            final int first = firstHash(bucket, buckets);
            assertTrue(bucket >= 0 && bucket < buckets);
            assertTrue(first <= hash && hash < firstHash(bucket + 1, buckets), () -> hash + " among " + buckets);
            assertEquals(bucket, bucket(first, buckets));
            assertTrue(firstHash(bucket + 1, buckets) - first <= 1 << tagBits, "as many hashes as tags at most");
            final int node = 1 + random.nextInt((1 << Integer.SIZE - 1 - tagBits) - 1);
            final int slot = slot(node, hash, tagBits);
            assertEquals(node, slot >>> tagBits);
            assertEquals(hash, NodeHashLayout.hash(slot, first, tagBits));
        }
    }

    @Test
    void shouldHaveNoSlotForANumberOfTooManyBits() {
        assertEquals(0, slot(1 << 12, 5, 20));
        assertEquals((1 << 12) - 1, slot((1 << 12) - 1, 5, 20) >>> 20);
    }
}
