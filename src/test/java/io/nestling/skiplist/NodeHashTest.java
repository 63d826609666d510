/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.PaddedCounters;
import io.nestling.offheap.SlabAllocator;
import io.nestling.offheap.WriteFailure;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.LimitedAllocator;
import io.nestling.testing.NettySlabs;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import io.netty.buffer.PooledByteBufAllocator;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

@Tag("jdk")
@Tag("once")
class NodeHashTest {
    private static final int KEYS = 12_000;
    private static final int MAX_OF_ONE_HASH = NodeHashLayout.LAST_SLOT - 1 + HashBuckets.MAX_CELLS * NodeHashLayout.CELL_SLOTS;

    private static long hashOf(final int number) {
        final byte[] key = ListFixture.key(number);
        return ListFixture.HASH.hash(key, 0, key.length);
    }

    /** A table alone, with nodes that nobody links. */
    private static final class Table implements AutoCloseable {
        private final MemoryBudget budget = MemoryBudget.fromSmall(8L << 20);
        private final PaddedCounters entries = new PaddedCounters(1);
        private final NodeArena arena =
            new NodeArena(SlabAllocator.direct(), budget, new EpochReclaimer(), 64L << 20);
        private final NodeHash hash = new NodeHash(SlabAllocator.direct(), budget, arena, entries, 16L << 20, new WriteFailure());

        int add(final long hashed) {
            final int node = arena.allocate(SkipListNodeLayout.LOW_UNITS);
            final long location = hash.lock(hashed);
            final boolean crowded = hash.add(location, hashed, node);
            hash.unlock(location);
            entries.add(0, 0, 1);
            if (crowded) {
                hash.move();
            }
            return node;
        }

        int slots() {
            int slots = 0;
            for (int bucket = 0; bucket < hash.buckets(); bucket++) {
                slots += hash.slotsTaken(bucket);
            }
            return slots;
        }

        @Override
        public void close() {
            hash.close();
            arena.close();
            assertEquals(0, budget.used());
        }
    }

    @Test
    void shouldHaveEachNodeOnceWhileItGrows() {
        final Random random = Seeds.random("shouldHaveEachNodeOnceWhileItGrows");
        try (Table table = new Table()) {
            final List<Long> hashes = new ArrayList<>();
            final List<Integer> nodes = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                hashes.add(random.nextLong());
                nodes.add(table.add(hashes.get(hashes.size() - 1)));
                if (random.nextInt(5) == 0) {
                    final int other = random.nextInt(hashes.size());
                    table.hash.remove(hashes.get(other), nodes.get(other));
                    assertFalse(table.hash.has(hashes.get(other), nodes.get(other)));
                    hashes.set(other, hashes.get(hashes.size() - 1));
                    nodes.set(other, nodes.get(nodes.size() - 1));
                    hashes.remove(hashes.size() - 1);
                    nodes.remove(nodes.size() - 1);
                    table.entries.add(0, 0, -1);
                }
                if (i < 2_000 ? i % 50 == 0 : i % 2_000 == 0) {
                    for (int j = 0; j < hashes.size(); j++) {
                        assertTrue(table.hash.has(hashes.get(j), nodes.get(j)), "node " + nodes.get(j));
                        assertFalse(table.hash.isIncomplete(hashes.get(j)));
                    }
                    assertEquals(hashes.size(), table.slots());
                }
            }
            final double load = (double) hashes.size() / table.hash.buckets();
            assertTrue(load > 9 && load < 14, load + " nodes a bucket");
        }
    }

    /** Nobody needs a larger table who adds nodes and takes them out again. */
    @Test
    void shouldNotGrowWithoutMoreNodes() {
        final Random random = Seeds.random("shouldNotGrowWithoutMoreNodes");
        try (Table table = new Table()) {
            final long[] hashes = random.longs(2_000).toArray();
            final int[] nodes = new int[hashes.length];
            for (int i = 0; i < hashes.length; i++) {
                nodes[i] = table.add(hashes[i]);
            }
            for (int i = 0; i < 100_000; i++) {
                final int at = random.nextInt(hashes.length);
                table.hash.remove(hashes[at], nodes[at]);
                table.arena.free(nodes[at], SkipListNodeLayout.LOW_UNITS);
                table.entries.add(0, 0, -1);
                hashes[at] = random.nextLong();
                nodes[at] = table.add(hashes[at]);
            }
            assertEquals(hashes.length, table.slots());
            assertTrue(table.hash.buckets() < hashes.length / 7, table.hash.buckets() + " buckets");
        }
    }

    @Test
    void shouldTakeMoreNodesOfOneHashThanABucketHasSlots() {
        try (Table table = new Table()) {
            final long hashed = 0x1234_5678_9ABC_DEF0L;
            final int[] nodes = new int[MAX_OF_ONE_HASH];
            for (int i = 0; i < nodes.length; i++) {
                nodes[i] = table.add(hashed);
                for (int j = 0; j <= i; j++) {
                    assertTrue(table.hash.has(hashed, nodes[j]), "node " + j + " of " + i);
                }
            }
            assertFalse(table.hash.isIncomplete(hashed));
            final int more = table.add(hashed);
            assertFalse(table.hash.has(hashed, more));
            assertTrue(table.hash.isIncomplete(hashed));
            for (int i = 0; i < nodes.length; i++) {
                table.hash.remove(hashed, nodes[i]);
                for (int j = 0; j < nodes.length; j++) {
                    assertEquals(j > i, table.hash.has(hashed, nodes[j]), "node " + j + " of " + i);
                }
            }
            assertTrue(table.hash.isIncomplete(hashed), "the one that was lost may still be there");
        }
    }

    /** There are never more cells than the most nodes of the bucket needed. */
    @Test
    void shouldUseCellsAgain() {
        final Random random = Seeds.random("shouldUseCellsAgain");
        try (Table table = new Table()) {
            final long hashed = 0x1234_5678_9ABC_DEF0L;
            final List<Integer> nodes = new ArrayList<>();
            int most = 0;
            for (int round = 0; round < 2_000; round++) {
                if (nodes.size() < MAX_OF_ONE_HASH && random.nextInt(100) < (round / 100 % 2 == 0 ? 80 : 20)) {
                    nodes.add(table.add(hashed));
                } else if (!nodes.isEmpty()) {
                    final int node = nodes.remove(random.nextInt(nodes.size()));
                    table.hash.remove(hashed, node);
                    table.arena.free(node, SkipListNodeLayout.LOW_UNITS);
                }
                assertEquals(nodes.size(), table.slots());
                nodes.forEach(node -> assertTrue(table.hash.has(hashed, node)));
                int cells = 0;
                for (int bucket = 0; bucket < table.hash.buckets(); bucket++) {
                    cells += table.hash.cells(bucket).length;
                }
                most = Math.max(most, nodes.size());
                final int spilled = most <= NodeHashLayout.LAST_SLOT ? 0 : most - NodeHashLayout.LAST_SLOT + 1;
                assertEquals((spilled + NodeHashLayout.CELL_SLOTS - 1) / NodeHashLayout.CELL_SLOTS, cells, "cells");
                final long unused = SkipListNodeLayout.FIRST_UNIT << SkipListNodeLayout.UNIT_SHIFT;
                assertEquals((nodes.size() + cells) * 24L, table.arena.bytesUsed() - unused, "bytes of nodes and cells");
            }
        }
    }

    /** The last bucket of a table that fills its slab is read like the others. */
    @Test
    void shouldReadAllBucketsOfATableThatFillsItsSlab() {
        final MemoryBudget budget = MemoryBudget.fromSmall(8L << 20);
        try (NodeArena arena = new NodeArena(SlabAllocator.direct(), budget, new EpochReclaimer(), 64L << 20);
            NodeHash hash = new NodeHash(NettySlabs.of(PooledByteBufAllocator.DEFAULT), budget, arena, new PaddedCounters(1),
                16 << 10, new WriteFailure())) {
            assertEquals(16 << 10, hash.bytes());
            new Random(1).longs(1 << 14).forEach(hashed -> assertEquals(PointIndex.NONE, hash.candidate(hashed)));
        }
    }

    /** A cell takes the place of a node, also of the last one that a slab has room for. */
    @Test
    void shouldFindAKeyInACellAtTheEndOfTheSlab() {
        final MemoryBudget budget = MemoryBudget.fromSmall(1L << 20);
        final HeapKeySource source = new HeapKeySource(payload -> ListFixture.key((int) payload));
        try (SkipList list = new SkipList(new IndexContext(NettySlabs.of(PooledByteBufAllocator.DEFAULT), budget,
            new EpochReclaimer(), source, 300 << 10), 2, ListFixture.HASH)) {
            final int[] numbers = IntStream.range(0, 1 << 16).filter(number ->
                NodeHashLayout.bucket(NodeHashLayout.prefix(hashOf(number)), list.hash.buckets()) == 7).limit(16).toArray();
            for (int i = 0; i < 15; i++) {
                list.put(ListFixture.key(numbers[i]), 0, ListFixture.key(numbers[i]).length, numbers[i]);
            }
            final NodeArena arena = list.arena;
            final int end = (int) (arena.slab().size() / SkipListNodeLayout.UNIT_BYTES);
            for (int left = (end - arena.endOfUnits()) % SkipListNodeLayout.LOW_UNITS; left > 0; left--) {
                arena.allocate(SkipListNodeLayout.SMALL_UNITS); // whole nodes of three units are left
            }
            int before = SkipListNodeLayout.NULL;
            int last = SkipListNodeLayout.NULL;
            for (int node = arena.allocate(SkipListNodeLayout.LOW_UNITS); node != SkipListNodeLayout.NULL;
                node = arena.allocate(SkipListNodeLayout.LOW_UNITS)) {
                before = node > last ? last : before;
                last = Math.max(last, node);
            }
            assertEquals(end, last + SkipListNodeLayout.LOW_UNITS);
            arena.free(last, SkipListNodeLayout.LOW_UNITS); // for the cell
            arena.free(before, SkipListNodeLayout.LOW_UNITS); // for the node
            list.put(ListFixture.key(numbers[15]), 0, ListFixture.key(numbers[15]).length, numbers[15]);
            assertArrayEquals(new int[] {last}, list.hash.cells(7));
            for (final int number : numbers) {
                assertEquals(number, list.get(ListFixture.key(number), 0, ListFixture.key(number).length));
            }
        }
    }

    /** Numbers of nodes may become large while few keys are there, as those that were removed are held for a reader. */
    @Test
    void shouldGrowForTheSakeOfLargeNumbers() {
        try (ListFixture fixture = new ListFixture(64L << 20)) {
            final int guard = fixture.epochs().enter();
            for (int i = 0; i < 40_000; i++) {
                fixture.put(i, 1);
                fixture.remove(i);
            }
            fixture.epochs().exit(guard);
            for (int i = 0; i < KEYS; i++) {
                fixture.put(i, 2);
            }
            fixture.list().verify();
            for (int i = 0; i < 2 * KEYS; i++) {
                assertFalse(fixture.list().hash.isIncomplete(hashOf(i)));
            }
        }
    }

    /** So that no test of the whole list passes for the reason alone that the list was asked each time. */
    @Test
    void shouldAnswerWithoutTheList() {
        try (ListFixture fixture = new ListFixture(64L << 20)) {
            for (int i = 0; i < KEYS; i++) {
                fixture.put(i, 1);
            }
            final int guard = fixture.epochs().enter();
            for (int i = 0; i < 2 * KEYS; i++) {
                final byte[] key = ListFixture.key(i);
                assertEquals(i < KEYS ? ListFixture.payload(i, 1) : PointIndex.NONE,
                    fixture.list().hash.get(fixture.list().nodes, key, 0, key.length, hashOf(i)));
            }
            fixture.epochs().exit(guard);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldAskTheListWhileABucketIsLocked(final boolean hashed) {
        try (ListFixture fixture = new ListFixture(64L << 20, 2, hashed)) {
            for (int i = 0; i < KEYS; i++) {
                fixture.put(i, 1);
            }
            final NodeHash hash = fixture.list().hash;
            final KeyBatch batch = new KeyBatch();
            final long[] payloads = new long[100];
            for (int i = 0; i < 100; i++) {
                final byte[] key = ListFixture.key(KEYS - 50 + i);
                batch.add(key, 0, key.length);
            }
            for (int i = 0; i < 100; i++) {
                final int number = KEYS - 50 + i;
                final long expected = i < 50 ? ListFixture.payload(number, 1) : PointIndex.NONE;
                final long location = hashed ? hash.lock(hashOf(number)) : 0;
                final byte[] key = ListFixture.key(number);
                if (hashed) {
                    assertEquals(
                        NodeHash.UNKNOWN, hash.get(fixture.list().nodes, key, 0, key.length, hashOf(number)));
                    assertEquals(NodeHash.UNKNOWN, hash.candidate(hashOf(number)));
                }
                assertEquals(expected, fixture.get(number));
                fixture.list().getAll(batch, payloads);
                assertEquals(expected, payloads[i]);
                if (hashed) {
                    hash.unlock(location);
                }
            }
        }
    }

    /** A writer that stops while it holds a bucket keeps writers of that bucket waiting, and nobody else. */
    @Test
    void shouldHoldUpOnlyWritersOfTheSameBucket() throws InterruptedException {
        try (ListFixture fixture = new ListFixture(64L << 20)) {
            for (int i = 0; i < KEYS; i++) {
                fixture.put(i, 1);
            }
            final long location = fixture.list().hash.lock(hashOf(KEYS));
            final CountDownLatch put = new CountDownLatch(1);
            final Thread writer = new Thread(() -> {
                fixture.put(KEYS, 1);
                put.countDown();
            });
            writer.start();
            for (int i = 0; i < KEYS; i++) {
                assertEquals(ListFixture.payload(i, 1), fixture.put(i, 2), "updates need no bucket");
                assertEquals(ListFixture.payload(i, 2), fixture.get(i));
            }
            assertEquals(PointIndex.NONE, fixture.get(KEYS));
            assertEquals(1, put.getCount(), "not before the bucket is unlocked");
            fixture.list().hash.unlock(location);
            assertTrue(put.await(30, TimeUnit.SECONDS));
            writer.join();
            assertEquals(ListFixture.payload(KEYS, 1), fixture.get(KEYS));
            fixture.list().verify();
        }
    }

    @Test
    void shouldDoWithoutMemoryForItsBuckets() {
        // One step of the budget, which the nodes take.
        try (ListFixture fixture = new ListFixture(16 << 10)) {
            assertEquals(0, fixture.list().hash.buckets());
            for (int i = 0; i < 100; i++) {
                assertEquals(PointIndex.NONE, fixture.put(i, 1));
                assertEquals(ListFixture.payload(i, 1), fixture.get(i));
            }
            assertEquals(ListFixture.payload(7, 1), fixture.remove(7));
            assertEquals(PointIndex.NONE, fixture.get(7));
            fixture.list().verify();
        }
    }

    @Test
    void shouldDoWithoutASlabOfItsOwn() {
        final MemoryBudget budget = MemoryBudget.ofBytes(4L << 20);
        final EpochReclaimer epochs = new EpochReclaimer();
        final KeyBatch batch = KeyBatch.of(ListFixture.key(3), ListFixture.key(200));
        try (SkipList list = new SkipList(new IndexContext(new LimitedAllocator(SlabAllocator.direct(), 1), budget, epochs,
            new HeapKeySource(payload -> ListFixture.key((int) payload)), 4L << 20))) {
            for (int i = 0; i < 100; i++) {
                list.put(ListFixture.key(i), 0, ListFixture.key(i).length, i);
            }
            list.prefetchAll(batch);
            final long[] payloads = new long[2];
            final int guard = epochs.enter();
            list.getAll(batch, payloads);
            epochs.exit(guard);
            assertEquals(3, payloads[0]);
            assertEquals(PointIndex.NONE, payloads[1]);
            list.verify();
            assertEquals(100L, list.figures().get("nodes"));
        }
        assertEquals(0, budget.used());
    }

    /** Whatever stands in a node, its own key is the only one that it has. */
    @Test
    void shouldTellKeysApart() {
        final Random random = Seeds.random("shouldTellKeysApart");
        final List<byte[]> keys = new ArrayList<>(List.of(new byte[0], new byte[1], new byte[8], new byte[9], new byte[20]));
        while (keys.size() < 400) {
            final byte[] key = Arrays.copyOf(keys.get(random.nextInt(keys.size())), random.nextInt(24));
            if (key.length > 0 && random.nextBoolean()) {
                key[random.nextInt(key.length)] = (byte) random.nextInt(3);
            }
            if (keys.stream().noneMatch(other -> Arrays.equals(other, key))) {
                keys.add(key);
            }
        }
        final EpochReclaimer epochs = new EpochReclaimer();
        try (SkipList list = new SkipList(new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(4L << 20), epochs,
            new HeapKeySource(payload -> keys.get((int) payload)), 4L << 20))) {
            for (int i = 0; i < keys.size(); i++) {
                list.put(keys.get(i), 0, keys.get(i).length, i);
            }
            final Nodes nodes = list.nodes;
            final int guard = epochs.enter();
            int seen = 0;
            for (int node = nodes.next(SkipListNodeLayout.HEAD, 0); node != SkipListNodeLayout.NULL; node = nodes.next(node, 0)) {
                final long own = nodes.payload(node);
                for (int i = 0; i < keys.size(); i++) {
                    final long payload = nodes.payloadOf(node, keys.get(i), 0, keys.get(i).length);
                    assertEquals(i == own, payload == own, i + " at the node of " + own);
                    assertEquals(i != own, payload < 0);
                }
                seen++;
            }
            epochs.exit(guard);
            assertEquals(keys.size(), seen);
        }
    }

    /** Keys are put, removed and put again by some while the table grows, and others look for those that stay. */
    @Test
    void shouldLoseNoKeyWhileManyWritersMakeItGrow() throws InterruptedException {
        final int writers = 3;
        final int staying = 1_000;
        try (ListFixture fixture = new ListFixture(64L << 20)) {
            for (int i = 0; i < staying; i++) {
                fixture.put(i, 1);
            }
            final AtomicInteger running = new AtomicInteger(writers);
            Threads.runTogether(writers + 2, thread -> {
                if (thread >= writers) {
                    final Random random = new Random(thread);
                    do {
                        final int number = random.nextInt(staying);
                        assertEquals(ListFixture.payload(number, 1), fixture.get(number));
                    } while (running.get() > 0);
                    return;
                }
                try {
                    for (int i = staying + thread; i < 30_000; i += writers) {
                        assertEquals(PointIndex.NONE, fixture.put(i, 1));
                        if (i % 4 == 0) {
                            assertEquals(ListFixture.payload(i, 1), fixture.remove(i));
                            assertEquals(PointIndex.NONE, fixture.get(i));
                            assertEquals(PointIndex.NONE, fixture.put(i, 2));
                        }
                        assertEquals(ListFixture.payload(i, i % 4 == 0 ? 2 : 1), fixture.get(i));
                    }
                } finally {
                    running.decrementAndGet();
                }
            });
            fixture.list().verify();
            assertEquals(30_000, fixture.list().entryCount());
        }
    }
}
