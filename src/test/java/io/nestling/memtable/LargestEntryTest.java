/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.IndexFactory;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Entries up to the size that the options name. */
class LargestEntryTest {
    private static final long MIB = 1 << 20;

    /** Seen to fail with a memtable that is full only once less than a step for each slab is left. */
    @ParameterizedTest
    @MethodSource("io.nestling.memtable.TestIndexes#real")
    void shouldTakeAnEntryOfThatSizeUnlessFull(final IndexFactory index) {
        for (int round = 0; round < Effort.count(4, 200, 10_000); round++) {
            final Random random = Seeds.random("LargestEntryTest " + index);
            final boolean first = round == 0;
            final int shards = 1 << random.nextInt(4);
            final long capacity = shards * (MIB + random.nextInt((int) MIB));
            final long most = capacity >> 2 + (first ? 0 : random.nextInt(8));
            // Most entries are small, of some size: the largest ones come as a surprise.
            final int few = first ? 400 : 1 + random.nextInt(400);
            final int every = first ? shards * 100 : 1 + random.nextInt(random.nextBoolean() ? 20 : 20_000);
            try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(index).shards(shards)
                .capacityBytes(capacity).maxEntryBytes(most).build())) {
                assertFalse(memtable.isFull(), "full when empty");
                for (long count = 0; !memtable.isFull(); count++) {
                    put(memtable, random, random.nextInt(every) == 0 ? (int) most : (int) Math.min(most, few), count);
                }
                final byte[] key = new byte[20];
                final long last = memtable.lastSequence();
                final SpaceExhaustedException e =
                    assertThrows(SpaceExhaustedException.class, () -> memtable.put(key, new byte[(int) capacity]));
                assertTrue(e.getMessage().matches("(?s).*\\d{3,}.*\\d{3,}.*"), e.getMessage());
                assertEquals(last, memtable.lastSequence());
                assertNull(memtable.get(key));
            }
        }
    }

    private static void put(final Memtable memtable, final Random random, final int bytes, final long count) {
        final int most = Math.min(bytes, MemtableOptions.ASSURED_KEY_BYTES);
        final byte[] key = new byte[random.nextInt(8) == 0 ? most : Math.min(most, 2 + random.nextInt(14))];
        random.nextBytes(key);
        try {
            memtable.put(key, new byte[bytes - key.length]);
        } catch (final SpaceExhaustedException e) {
            throw new AssertionError(
                "refused " + key.length + " of " + bytes + " bytes after " + count + " writes: " + memtable.stats(), e);
        }
    }

    @Test
    void shouldHaveADefaultThatFits() {
        for (final IndexType index : IndexType.values()) {
            assertEquals(MIB, MemtableOptions.builder().index(index).shards(4).build().maxEntryBytes());
            assertEquals(MemtableOptions.MIN_SHARD_BYTES / 64, MemtableOptions.builder().index(index).shards(16)
                .capacityBytes(16 * MemtableOptions.MIN_SHARD_BYTES).build().maxEntryBytes());
        }
    }

    @Test
    void buildThrowsIllegalArgumentWhenTheEntryIsTooLargeOrNotPositive() {
        final MemtableOptions.Builder builder =
            MemtableOptions.builder().index(IndexType.TRIE).shards(1).capacityBytes(MIB);
        assertThrows(IllegalArgumentException.class, () -> builder.maxEntryBytes(0));
        assertThrows(IllegalArgumentException.class, () -> builder.maxEntryBytes(-1));
        assertEquals(MIB / 4, builder.maxEntryBytes(MIB / 4).build().maxEntryBytes());
        builder.maxEntryBytes(MIB / 4 + 1);
        final IllegalArgumentException e = assertThrows(IllegalArgumentException.class, builder::build);
        assertEquals("expected maxEntryBytes of at most 262144, a part of capacityBytes 1048576, but was 262145",
            e.getMessage());
    }
}
