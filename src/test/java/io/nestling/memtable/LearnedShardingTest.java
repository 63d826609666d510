/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class LearnedShardingTest {
    private static final int KEYS = 3000;
    private static final int NEW_KEYS = 300;
    private static final int SHARDS = 4;

    private final Random random = new Random(7);

    private static MemtableOptions.Builder options() {
        return MemtableOptions.builder().index(IndexType.TRIE).capacityBytes(16 << 20);
    }

    private FlushResult flushed(final int count, final IntFunction<byte[]> keys) throws IOException {
        try (Memtable memtable = Memtable.open(options().shards(2).build())) {
            for (int i = 0; i < count; i++) {
                memtable.put(keys.apply(i), new byte[8]);
            }
            return memtable.flush(new CollectingSink());
        }
    }

    private byte[] anyKey(final int number) {
        return ByteBuffer.allocate(8).putLong(random.nextLong()).array();
    }

    private static byte[] ascending(final int number) {
        return ByteBuffer.allocate(8).putLong(number).array();
    }

    @Test
    void shouldSpreadKeysThatAreDistributedAsBefore() throws IOException {
        final Sharding learned = Sharding.learned(
            SHARDS, List.of(flushed(KEYS, this::anyKey), flushed(KEYS, this::anyKey)));
        assertEquals("by 4 ranges", learned.toString());
        try (Memtable memtable = Memtable.open(options().shards(SHARDS).sharding(learned).build())) {
            final TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
            for (int i = 0; i < KEYS; i++) {
                final byte[] key = anyKey(i);
                keys.add(key);
                memtable.put(key, key);
            }
            for (final MemtableStats.ShardStats shard : memtable.stats().shards()) {
                assertTrue(Math.abs(shard.entries() - KEYS / SHARDS) < KEYS / SHARDS / 4, () -> "unequal: " + shard);
            }
            try (EntryCursor cursor = memtable.cursor()) {
                for (final byte[] key : keys) {
                    assertTrue(cursor.valid() ? cursor.next() : cursor.first());
                    assertArrayEquals(key, cursor.key());
                }
                assertFalse(cursor.next());
            }
        }
    }

    @Test
    void shouldHashKeysThatMoveOn() throws IOException {
        final FlushResult first = flushed(KEYS, LearnedShardingTest::ascending);
        final FlushResult second = flushed(KEYS, i -> ascending(KEYS + i));
        assertFalse(Sharding.learned(SHARDS, List.of(first, second)).isByRanges());
        assertFalse(Sharding.learned(SHARDS, List.of(second, first)).isByRanges(), "keys that move back");
        assertTrue(Sharding.learned(SHARDS, List.of(first, second, second)).isByRanges(), "the last two count");
    }

    @Test
    void shouldHashWithoutEnoughToLearnFrom() throws IOException {
        final FlushResult many = flushed(KEYS, this::anyKey);
        final FlushResult few = flushed(3 * SHARDS - 1, this::anyKey);
        final FlushResult enough = flushed(3 * SHARDS, i -> many.keys().boundaries(3 * SHARDS + 1)[i]);
        assertFalse(Sharding.learned(SHARDS, List.of()).isByRanges());
        assertFalse(Sharding.learned(SHARDS, List.of(many)).isByRanges());
        assertFalse(Sharding.learned(SHARDS, List.of(flushed(0, this::anyKey), many)).isByRanges());
        assertFalse(Sharding.learned(SHARDS, List.of(many, flushed(0, this::anyKey))).isByRanges(), "an empty flush came last");
        assertFalse(Sharding.learned(SHARDS, List.of(many, few)).isByRanges());
        assertTrue(Sharding.learned(SHARDS, List.of(many, enough)).isByRanges());
        assertFalse(Sharding.learned(1, List.of(many, many)).isByRanges());
        assertTrue(Sharding.learned(85, List.of(many, many)).isByRanges());
        assertFalse(Sharding.learned(86, List.of(many, many)).isByRanges(), "255 keys are fewer than 3 each");
    }

    /** What was learned is wrong for the keys that come: below, above, and all between two of the learned ones. */
    @Test
    void shouldTakeKeysOfAnotherKindIntoOneRange() throws IOException {
        final IntFunction<byte[]> learnedKeys = i -> ("user" + (char) ('a' + i % 26) + i).getBytes(StandardCharsets.UTF_8);
        final Sharding learned = Sharding.learned(SHARDS, List.of(flushed(KEYS, learnedKeys), flushed(KEYS, learnedKeys)));
        assertEquals("by 4 ranges", learned.toString());
        assertInOneShard(learned, 0, LearnedShardingTest::ascending);
        assertInOneShard(learned, SHARDS - 1, i -> ascending(-1 - i));
        assertInOneShard(learned, 0, i -> ("user" + i).getBytes(StandardCharsets.UTF_8));
        assertInOneShard(learned, 0, i -> new byte[i]);
        assertInOneShard(learned, SHARDS - 1, i -> ("user{" + i).getBytes(StandardCharsets.UTF_8));
        assertInOneShard(learned, 1, i -> ("userj" + i).getBytes(StandardCharsets.UTF_8));
    }

    private static void assertInOneShard(final Sharding learned, final int shard, final IntFunction<byte[]> keys) {
        try (Memtable memtable = Memtable.open(options().shards(SHARDS).sharding(learned).build())) {
            final TreeSet<byte[]> sorted = new TreeSet<>(Arrays::compareUnsigned);
            for (int i = 0; i < NEW_KEYS; i++) {
                final byte[] key = keys.apply(i);
                sorted.add(key);
                memtable.put(key, key);
            }
            for (int i = 0; i < SHARDS; i++) {
                assertEquals(i == shard ? NEW_KEYS : 0, memtable.stats().shards().get(i).entries(), "shard " + i);
            }
            try (EntryCursor cursor = memtable.cursor()) {
                assertShows(sorted, cursor, EntryCursor::first, EntryCursor::next);
                assertShows(sorted.descendingSet(), cursor, EntryCursor::last, EntryCursor::previous);
                for (final byte[] key : sorted) {
                    assertArrayEquals(key, memtable.get(key));
                    assertTrue(cursor.seek(key));
                    assertArrayEquals(key, cursor.key());
                    assertEquals(!key.equals(sorted.first()), cursor.seekLowerThan(key));
                }
            }
        }
    }

    private static void assertShows(
        final Iterable<byte[]> keys, final EntryCursor cursor, final Predicate<EntryCursor> start,
        final Predicate<EntryCursor> step) {
        boolean found = start.test(cursor);
        for (final byte[] key : keys) {
            assertTrue(found);
            assertArrayEquals(key, cursor.key());
            assertArrayEquals(key, cursor.value());
            found = step.test(cursor);
        }
        assertFalse(found);
    }

    /** Long keys that differ behind the kept bytes are one key to a sample. */
    @Test
    void shouldKeepTheBeginningOfLongKeysOnce() throws IOException {
        final FlushResult result = flushed(40, i -> {
            final byte[] key = new byte[KeySample.MAX_KEY_BYTES + 1];
            key[0] = (byte) (i / 2);
            key[key.length - 1] = (byte) i;
            return key;
        });
        assertEquals(20, result.keys().size());
        assertEquals(KeySample.MAX_KEY_BYTES, result.keys().boundaries(2)[0].length);
    }

    @Test
    void shouldTakeKeysThatAreEquallyFarApart() throws IOException {
        final KeySample keys = flushed(2560, LearnedShardingTest::ascending).keys();
        assertEquals(KeySample.MAX_KEYS, keys.size());
        final byte[][] quarters = keys.boundaries(4);
        for (int i = 0; i < quarters.length; i++) {
            assertEquals(640 * (i + 1) - 1, ByteBuffer.wrap(quarters[i]).getLong());
        }
    }

    @Test
    void shouldRefuseBadNumbersOfShards() {
        final var low = assertThrows(IllegalArgumentException.class, () -> Sharding.learned(0, List.of()));
        assertEquals("expected shards of 1 to 1024 but was 0", low.getMessage());
        assertThrows(IllegalArgumentException.class, () -> Sharding.learned(1025, List.of()));
        assertThrows(NullPointerException.class, () -> Sharding.learned(2, Arrays.asList(null, null)));
    }
}
