/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.ClosedCursor;
import io.nestling.index.EntryCursor;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.order.LazyKeySorter;
import io.nestling.memtable.order.SortedRuns;
import io.nestling.offheap.Claim;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Effort;
import io.nestling.testing.NettySlabs;
import io.nestling.testing.Seeds;
import io.nestling.testing.StressThreads;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/** Order that is made when it is asked for. */
class LazyKeySorterTest {
    private static final int LARGE = 25_000;

    private static Memtable open(final long capacityBytes, final int shards) {
        return MemtableChecks.grown(Memtable.open(MemtableOptions.builder().index(HashIndex.factory()).shards(shards)
            .capacityBytes(capacityBytes).build()));
    }

    private static byte[] key(final Random random) {
        final byte[] key = new byte[1 + random.nextInt(12)];
        random.nextBytes(key);
        return key;
    }

    private static void put(
        final Memtable memtable, final NavigableMap<byte[], byte[]> model, final Random random, final int count) {
        for (int i = 0; i < count; i++) {
            final byte[] key = key(random);
            memtable.put(key, key);
            model.put(key, key);
        }
    }

    private static void checkScan(final Memtable memtable, final NavigableMap<byte[], byte[]> model) {
        try (EntryCursor cursor = memtable.cursor()) {
            boolean more = cursor.first();
            for (final Map.Entry<byte[], byte[]> entry : model.entrySet()) {
                assertTrue(more, "keys are missing");
                assertArrayEquals(entry.getKey(), cursor.key());
                assertArrayEquals(entry.getValue(), cursor.value());
                more = cursor.next();
            }
            assertFalse(more, "too many keys");
        }
    }

    private static void checkSeeks(
        final Memtable memtable, final NavigableMap<byte[], byte[]> model, final Random random) {
        try (EntryCursor cursor = memtable.cursor()) {
            for (int i = 0; i < 200; i++) {
                final byte[] target = key(random);
                Map.Entry<byte[], byte[]> entry = model.ceilingEntry(target);
                assertEquals(entry != null, cursor.seek(target));
                for (int step = 0; step < 5 && entry != null; step++) {
                    assertArrayEquals(entry.getKey(), cursor.key());
                    entry = model.higherEntry(entry.getKey());
                    assertEquals(entry != null, cursor.next());
                }
                entry = model.lowerEntry(target);
                assertEquals(entry != null, cursor.seekLowerThan(target));
                for (int step = 0; step < 5 && entry != null; step++) {
                    assertArrayEquals(entry.getKey(), cursor.key());
                    entry = model.lowerEntry(entry.getKey());
                    assertEquals(entry != null, cursor.previous());
                }
            }
        }
    }

    /** The runs that are new since it was positioned must not wake a closed cursor. */
    @Test
    void closedCursorsStayOnNoEntry() {
        try (Memtable memtable = open(16L << 20, 1)) {
            final LazyKeySorter sorter = memtable.shards().shard(0).sorter();
            for (int run = 1; run <= 3; run++) {
                memtable.put(new byte[] {(byte) run}, new byte[1]);
                final Claim guard = memtable.state().enter();
                final EntryCursor cursor = sorter.cursor(memtable.lastSequence());
                assertTrue(cursor.first());
                guard.held = Claim.FREE;
                memtable.put(new byte[] {0, (byte) run}, new byte[1]);
                final Claim next = memtable.state().enter();
                sorter.cursor(memtable.lastSequence()).close();
                ClosedCursor.closeAndCheck(cursor);
                next.held = Claim.FREE;
            }
        }
    }

    @Test
    void shouldMergeWhatHasComeSinceTheLastScan() {
        final Random random = Seeds.random("LazyKeySorterTest since");
        final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        try (Memtable memtable = open(16L << 20, 1)) {
            checkScan(memtable, model);
            int largeRuns = 0;
            for (final int count : new int[] {1, 0, 5, LARGE, 3, 700, 1, 10_000, 5, 10_000, 10}) {
                put(memtable, model, random, count);
                checkScan(memtable, model);
                checkSeeks(memtable, model, random);
                final SortedRuns runs = SortedRuns.of(memtable.shards().shard(0).sorter());
                assertEquals(memtable.lastSequence(), runs.upTo());
                assertTrue(runs.count() <= 12, runs.count() + " runs");
                largeRuns = Math.max(largeRuns, runs.large());
            }
            assertEquals(2, largeRuns, "runs off the heap");
            assertEquals(1, SortedRuns.of(memtable.shards().shard(0).sorter()).large(), "they were not merged");
            memtable.freeze();
            assertEquals(model.size(), memtable.flush(new CollectingSink()).entries());
        }
    }

    @Test
    void shouldKeepRunsFewWhenScansAndWritesTakeTurns() {
        final Random random = Seeds.random("LazyKeySorterTest turns");
        final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        try (Memtable memtable = open(16L << 20, 1)) {
            int most = 0;
            for (int i = 0; i < 5_000; i++) {
                put(memtable, model, random, 1 + random.nextInt(4));
                try (EntryCursor cursor = memtable.cursor()) {
                    final byte[] key = key(random);
                    final byte[] expected = model.ceilingKey(key);
                    assertEquals(expected != null, cursor.seek(key));
                    assertTrue(expected == null || Arrays.equals(expected, cursor.key()));
                }
                most = Math.max(most, SortedRuns.of(memtable.shards().shard(0).sorter()).count());
            }
            assertTrue(most > 1 && most <= 24, most + " runs");
            checkScan(memtable, model);
        }
    }

    @Test
    void shouldShowTheNewestVersionOfEachKey() {
        final Random random = Seeds.random("LazyKeySorterTest versions");
        final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        try (Memtable memtable = open(64L << 20, 2)) {
            put(memtable, model, random, 3_000);
            try (Snapshot before = memtable.snapshot(); EntryCursor cursor = memtable.cursor()) {
                assertTrue(cursor.first());
                final byte[] first = cursor.value();
                int number = 0;
                for (final Map.Entry<byte[], byte[]> entry : model.entrySet()) {
                    if (number++ % 3 == 0) {
                        entry.setValue(new byte[] {(byte) number});
                        memtable.put(entry.getKey(), entry.getValue());
                    }
                }
                checkScan(memtable, model);
                assertTrue(cursor.last() && cursor.first());
                assertArrayEquals(first, cursor.value(), "a cursor shows what was written after it was made");
                assertArrayEquals(first, before.get(model.firstKey()));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldPutAFullMemtableInOrder(final boolean netty) {
        final Random random = Seeds.random("LazyKeySorterTest full");
        final UnpooledByteBufAllocator source = new UnpooledByteBufAllocator(true);
        for (final long capacity : new long[] {128 << 10, 1 << 20, Effort.count(3 << 20, 8 << 20, 8 << 20)}) {
            final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
            try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(HashIndex.factory()).shards(1)
                .capacityBytes(capacity).memory(netty ? NettySlabs.of(source) : SlabAllocator.direct())
                .build())) {
                for (int refused = 0; refused < 30;) {
                    final byte[] key = key(random);
                    try {
                        memtable.put(key, key);
                        model.put(key, key);
                    } catch (final SpaceExhaustedException e) {
                        refused++;
                    }
                    if (random.nextInt(1_000) == 0) {
                        memtable.cursor().first();
                    }
                }
                checkScan(memtable, model);
                final MemtableStats stats = memtable.stats();
                assertTrue(stats.reservedBytes() <= stats.capacityBytes(), stats.toString());
                assertTrue(stats.idleBytes() >= 0, stats.toString());
                memtable.freeze();
                assertEquals(model.size(), memtable.flush(new CollectingSink()).entries());
            }
        }
        assertEquals(0, source.metric().usedDirectMemory());
    }

    @Test
    void shouldScanOneStateAfterAnotherBesideWriters() throws Exception {
        try (Memtable memtable = open(256L << 20, 1)) {
            final StressThreads threads = new StressThreads();
            final CountDownLatch left = new CountDownLatch(2);
            for (int writer = 0; writer < 2; writer++) {
                final Random random = Seeds.random("LazyKeySorterTest writer " + writer);
                threads.start("writer " + writer, () -> {
                    for (int i = 0; i < 30_000 && threads.goOn(); i++) {
                        final byte[] key = key(random);
                        memtable.put(key, key);
                    }
                    left.countDown();
                });
            }
            for (int reader = 0; reader < 2; reader++) {
                final Random random = Seeds.random("LazyKeySorterTest reader " + reader);
                threads.start("reader " + reader, () -> {
                    while (left.getCount() > 0 && threads.goOn()) {
                        walk(memtable, random.nextBoolean());
                        memtable.state().epochs().tryAdvance();
                    }
                });
            }
            threads.join();
            memtable.freeze();
            assertEquals(memtable.stats().entries(), memtable.flush(new CollectingSink()).entries());
        }
    }

    private static void walk(final Memtable memtable, final boolean forward) {
        final long written = memtable.stats().entries();
        long shown = 0;
        try (EntryCursor cursor = memtable.cursor()) {
            byte[] before = null;
            for (boolean more = forward ? cursor.first() : cursor.last(); more;
                more = forward ? cursor.next() : cursor.previous()) {
                final byte[] key = cursor.key();
                assertTrue(before == null || forward == Arrays.compareUnsigned(before, key) < 0, "out of order");
                assertArrayEquals(key, cursor.value());
                before = key;
                shown++;
            }
        }
        assertTrue(shown >= written - 2, shown + " of " + written + " keys shown");
    }
}
