/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.testing.Seeds;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.memtable.AbstractAllocatorMemtable;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Memtables take little memory, charge what they take, and free all of it. */
class MemtableMemoryTest {
    private static final long KIB = 1 << 10;
    private static final int PARTITIONS = 200_000;
    private static final int MAX_HEAP_BYTES = 120;
    private static final int LARGE_ROWS = 128;
    private static final int LARGE_ROW_BYTES = 900_000;

    @ParameterizedTest
    @ValueSource(strings = {"trie", "cuckoo_trie", "wormhole", "mlp_index", "skip_list"})
    void shouldHoldHardlyAnyHeapPerPartition(final String index) {
        final MemtableFixture fixture = narrow();
        final NestlingMemtable memtable = fixture.nestling("index", index);
        fixture.put(memtable, fixture.updates.next()); // allocates what each memtable takes once
        final long before = ManyTables.usedHeap();
        for (int i = 0; i < PARTITIONS; i++) {
            fixture.put(memtable, MemtableComparison.update(fixture.metadata, i));
        }
        final long each = (ManyTables.usedHeap() - before) / PARTITIONS;
        assertTrue(each <= MAX_HEAP_BYTES, each + " bytes of heap a partition");
        assertTrue(memtable.partitionCount() > PARTITIONS - 2);
        MemtableFixture.discard(memtable);
    }

    @Test
    void shouldTakeNothingBeforeFirstWriteAndLittleAfterIt() {
        final MemtableFixture fixture = narrow();
        final long before = AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used();
        final List<NestlingMemtable> memtables = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            memtables.add(fixture.nestling("shards", "8"));
        }
        assertEquals(before, AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used());
        memtables.forEach(memtable -> fixture.put(memtable, fixture.updates.next()));
        final long each = (AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used() - before) / memtables.size();
        assertTrue(each > 0 && each <= 9 * KIB, each + " bytes for one partition");
        memtables.forEach(MemtableFixture::discard);
        assertEquals(before, AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used());
    }

    /** With six mappings a shard, the process would end at the system's limit of 65,530. */
    @Test
    void shouldHoldThousandsOfSmallTables() throws IOException {
        final MemtableFixture fixture = narrow();
        final int tables = 2_000;
        final int shards = 16;
        final int partitions = 64;
        final long before = AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used();
        final List<NestlingMemtable> memtables = new ArrayList<>();
        fixture.put(fixture.nestling("shards", "16"), fixture.updates.next());
        final long mappings = ManyTables.mappings();
        final long heap = ManyTables.usedHeap();
        for (int i = 0; i < tables; i++) {
            final NestlingMemtable memtable = fixture.nestling("shards", String.valueOf(shards));
            for (int j = 0; j < partitions; j++) {
                fixture.put(memtable, MemtableComparison.update(fixture.metadata, j));
            }
            memtables.add(memtable);
        }
        final long each = (AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used() - before) / tables;
        assertTrue(each > 0 && each <= shards * 9 * KIB, each + " bytes off heap a table");
        final long heapOfShard = (ManyTables.usedHeap() - heap) / tables / shards;
        assertTrue(heapOfShard <= 6 * KIB, heapOfShard + " bytes of heap a shard");
        assertTrue(ManyTables.mappings() - mappings < 1_000, ManyTables.mappings() - mappings + " mappings");
        for (final NestlingMemtable memtable : memtables) {
            assertEquals(partitions, memtable.partitionCount());
        }
        memtables.forEach(MemtableFixture::discard);
        assertTrue(ManyTables.mappings() - mappings < 100, ManyTables.mappings() - mappings + " mappings stay");
    }

    @ParameterizedTest
    @ValueSource(strings = {"off_heap", "partitions_on_heap"})
    void shouldGiveBackWhatItCharged(final String storage) {
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.wide(Murmur3Partitioner.instance), Seeds.random("accounting"), 50, 300);
        final long heapBefore = AbstractAllocatorMemtable.MEMORY_POOL.onHeap.used();
        final long offHeapBefore = AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used();
        final NestlingMemtable memtable = fixture.nestling("storage", storage, "shards", "3");
        long dataBytes = 0;
        for (int i = 0; i < 2000; i++) {
            final PartitionUpdate update = fixture.updates.next();
            dataBytes = memtable.getLiveDataSize();
            fixture.put(memtable, update);
        }
        final Memtable.MemoryUsage usage = Memtable.getMemoryUsage(memtable);
        assertEquals(
            usage.ownsOffHeap, AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used() - offHeapBefore);
        if (storage.equals("off_heap")) {
            assertTrue(usage.ownsOffHeap > dataBytes / 2, usage.ownsOffHeap + " for " + dataBytes);
            assertTrue(usage.ownsOnHeap < 128 * KIB, usage.ownsOnHeap + " bytes of heap");
        }
        MemtableFixture.discard(memtable);
        assertEquals(offHeapBefore, AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used());
        assertEquals(heapBefore, AbstractAllocatorMemtable.MEMORY_POOL.onHeap.used());
    }

    @Test
    void shouldKeepLittleOfThreadsThatWroteLargeRows() throws InterruptedException {
        final MemtableFixture fixture = narrow();
        final NestlingMemtable memtable = fixture.nestling();
        fixture.put(memtable, MemtableComparison.update(fixture.metadata, 0));
        final long before = ManyTables.usedHeap();
        final CyclicBarrier all = new CyclicBarrier(LARGE_ROWS); // so that each write has a thread of its own
        final List<Callable<Integer>> writes = new ArrayList<>();
        for (int i = 0; i < LARGE_ROWS; i++) {
            final int row = i;
            writes.add(() -> {
                fixture.put(memtable, MemtableComparison.update(fixture.metadata, row, LARGE_ROW_BYTES));
                return all.await();
            });
        }
        final ExecutorService threads = Executors.newFixedThreadPool(LARGE_ROWS);
        threads.invokeAll(writes);
        final long kept = ManyTables.usedHeap() - before;
        threads.shutdown();
        assertEquals(LARGE_ROWS, memtable.partitionCount());
        assertTrue(kept <= LARGE_ROWS * 64 * KIB, kept + " bytes of heap stay");
        MemtableFixture.discard(memtable);
    }

    @Test
    void shouldReuseMemoryOfWhatIsOverwritten() {
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.wide(Murmur3Partitioner.instance), Seeds.random("overwriting"), 5, 60);
        for (final String wideBytes : new String[] {"0", "1000000"}) {
            final NestlingMemtable memtable = fixture.nestling("wide_partition_bytes", wideBytes);
            for (int i = 0; i < 20_000; i++) {
                fixture.put(memtable, fixture.updates.marked(fixture.updates.key(i % 5), i, 20));
            }
            final long taken = Memtable.getMemoryUsage(memtable).ownsOffHeap;
            assertTrue(taken < 2048 * KIB, taken + " bytes, wide from " + wideBytes);
            MemtableFixture.discard(memtable);
        }
    }

    @Test
    void shouldAnswerNothingWhenDiscardedAndKeepWhatALeakedIteratorReads() {
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.wide(Murmur3Partitioner.instance), Seeds.random("discarding"), 5, 60);
        final NestlingMemtable memtable = fixture.nestling("wide_partition_bytes", "0");
        fixture.put(memtable, fixture.updates.marked(fixture.updates.key(0), 1, 20));
        final UnfilteredRowIterator leaked = fixture.read(memtable, fixture.updates.key(0), Slices.ALL, false);
        assertTrue(leaked.hasNext());
        MemtableFixture.discard(memtable);
        assertNull(memtable.rowIterator(fixture.updates.key(0)));
        int rows = 0;
        while (leaked.hasNext()) {
            leaked.next();
            rows++;
        }
        assertEquals(20, rows);
        leaked.close();
    }

    private static MemtableFixture narrow() {
        return new MemtableFixture(TestTables.narrow(Murmur3Partitioner.instance), Seeds.random("memory"), 5, 1);
    }
}
