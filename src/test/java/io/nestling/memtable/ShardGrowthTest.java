/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexFactory;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import io.nestling.testing.StressThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The move of a shard from the small structure to the memtable's index. */
class ShardGrowthTest {
    private static final int WRITERS = 3;
    private static final int KEYS = 80;

    private static Memtable open(final IndexFactory index, final int shards) {
        return Memtable.open(MemtableOptions.builder().index(index).shards(shards).capacityBytes(64L << 20).build());
    }

    private static byte[] key(final long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number * 0x9E37_79B9_7F4A_7C15L).array();
    }

    private static byte[] value(final long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    @ParameterizedTest
    @MethodSource("io.nestling.memtable.TestIndexes#real")
    void shouldTakeNothingBeforeTheFirstWriteAndLittleForIt(final IndexFactory index) {
        try (Memtable memtable = open(index, 16)) {
            final long heap = memtable.state().heap().bytes();
            assertTrue(heap < 40_000, heap + " bytes of heap charged");
            assertEquals(heap, memtable.stats().reservedBytes());
            assertEquals(null, memtable.get(key(1)));
            assertFalse(memtable.cursor().first());
            assertEquals(heap, memtable.stats().reservedBytes());
            memtable.put(key(1), new byte[100]);
            // One small slab, and the array on the heap.
            assertTrue(memtable.stats().reservedBytes() <= heap + (8 << 10) + 64, memtable.stats().toString());
        }
    }

    @ParameterizedTest
    @MethodSource("io.nestling.memtable.TestIndexes#all")
    void shouldKeepVersionsSnapshotsAndCursorsWhenAShardMoves(final IndexFactory index) {
        final Random random = Seeds.random("ShardGrowthTest versions " + index);
        try (Memtable memtable = open(index, 1)) {
            final MemtableModel model = new MemtableModel(1);
            for (int i = 0; i < 60; i++) {
                final byte[] key = key(random.nextInt(30));
                final WriteBatch batch = new WriteBatch();
                if (random.nextInt(4) == 0) {
                    batch.delete(key);
                } else {
                    batch.put(key, value(i));
                }
                memtable.write(batch);
                batch.forEach(model::apply);
            }
            assertTrue(memtable.shards().shard(0).isSmall());
            try (Snapshot before = memtable.snapshot(); EntryCursor open = memtable.cursor()) {
                assertTrue(open.first());
                MemtableChecks.grown(memtable);
                assertFalse(memtable.shards().shard(0).isSmall());
                int shown = 1;
                while (open.next()) {
                    shown++;
                }
                for (int i = 0; i < 300; i++) {
                    final byte[] key = key(random.nextInt(200));
                    final WriteBatch batch = new WriteBatch().put(key, value(i));
                    batch.forEach(model::apply);
                    memtable.write(batch);
                }
                for (int i = 0; i < 200; i++) {
                    MemtableChecks.point(memtable, model, key(i), before);
                    MemtableChecks.point(memtable, model, key(i), null);
                }
                int expected = 0;
                try (EntryCursor again = before.cursor()) {
                    for (boolean found = again.first(); found; found = again.next()) {
                        expected++;
                    }
                }
                assertEquals(expected, shown);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.nestling.memtable.TestIndexes#all")
    void shouldLoseNothingOfManyThreadsWhenAShardMoves(final IndexFactory index) throws InterruptedException {
        final int rounds = Effort.count(20, 100, 2_000);
        for (int round = 0; round < rounds; round++) {
            try (Memtable memtable = open(index, 1)) {
                final StressThreads threads = new StressThreads();
                final AtomicLong done = new AtomicLong();
                for (int writer = 0; writer < WRITERS; writer++) {
                    final int from = writer * KEYS;
                    threads.start("writer " + writer, () -> {
                        for (int i = from; i < from + KEYS; i++) {
                            memtable.put(key(i), value(i));
                            assertArrayEquals(value(i), memtable.get(key(i)));
                            if (i % 10 == 9) {
                                memtable.write(new WriteBatch().put(key(from), value(i)).put(key(i), value(-i)));
                                assertArrayEquals(value(-i), memtable.get(key(i)));
                                assertArrayEquals(value(i), memtable.get(key(from)));
                            }
                        }
                        done.incrementAndGet();
                    });
                }
                threads.start("reader", () -> {
                    long seen = 0;
                    while (done.get() < WRITERS) {
                        final Snapshot snapshot = memtable.snapshot();
                        long count = 0;
                        try (snapshot; EntryCursor cursor = snapshot.cursor()) {
                            for (boolean found = cursor.first(); found; found = cursor.next()) {
                                count++;
                            }
                        }
                        assertTrue(count >= seen, count + " keys behind " + seen);
                        seen = count;
                    }
                });
                threads.join();
                assertFalse(memtable.shards().shard(0).isSmall());
                assertEquals(WRITERS * KEYS, memtable.stats().entries());
                for (int i = 0; i < WRITERS * KEYS; i++) {
                    final boolean first = i % KEYS == 0;
                    assertArrayEquals(value(first ? i + KEYS - 1 : i % 10 == 9 ? -i : i), memtable.get(key(i)), "key " + i);
                }
                memtable.freeze();
                assertEquals(WRITERS * KEYS, memtable.flush(new CollectingSink()).entries());
            }
        }
    }

    @Test
    void shouldHandOnSmallSlabsAndNeverShowTheirBytes() {
        final Random random = Seeds.random("ShardGrowthTest slabs");
        for (int round = 0; round < 50; round++) {
            final Memtable[] memtables = new Memtable[20];
            for (int i = 0; i < memtables.length; i++) {
                memtables[i] = open(TestIndexes.real().findFirst().orElseThrow(), 4);
                final int keys = random.nextInt(20);
                for (int k = 0; k < keys; k++) {
                    memtables[i].put(key(k), value(i));
                }
                for (int k = 0; k < 20; k++) {
                    assertArrayEquals(k < keys ? value(i) : null, memtables[i].get(key(k)));
                }
                if (i > 0 && random.nextBoolean()) {
                    memtables[i - 1].close();
                }
            }
            for (final Memtable memtable : memtables) {
                memtable.close();
            }
        }
    }
}
