/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.testing.Seeds;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.memtable.AbstractAllocatorMemtable;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Several writers share partitions, each with rows of its own, and say which of them they have written; readers find each of
 * these rows with the version that was written last, or a later one. Afterwards sizes are what was charged.
 */
class ConcurrentWritersTest {
    private static final int WRITERS = 3;
    private static final int READERS = 2;
    private static final int PARTITIONS = 6;
    private static final int ROWS_OF_WRITER = 150;
    private static final long RUN_MILLIS = 700;

    /** The rows of one writer: {@code versions[partition][row]} is the last that the memtable has taken; 0 if none. */
    private record Written(AtomicReferenceArray<long[]> versions) {
        Written() {
            this(new AtomicReferenceArray<>(PARTITIONS));
            for (int i = 0; i < PARTITIONS; i++) {
                versions.set(i, new long[ROWS_OF_WRITER]);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "mlp_index,off_heap,2048,1", "trie,off_heap,0,2", "cuckoo_trie,off_heap,600,1", "wormhole,off_heap,1000000,2",
        "skip_list,off_heap,2048,1", "wormhole,partitions_on_heap,0,1"})
    void shouldShowEachWriteThatHasReturned(
        final String index, final String storage, final String wideBytes, final String shards) throws Exception {
        final long seed = Seeds.seed("concurrent writers " + index);
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.series(Murmur3Partitioner.instance), new Random(seed), PARTITIONS, 1);
        final long heapBefore = AbstractAllocatorMemtable.MEMORY_POOL.onHeap.used();
        final long offHeapBefore = AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used();
        final NestlingMemtable memtable = fixture.nestling(
            "index", index, "row_index", index, "storage", storage, "wide_partition_bytes", wideBytes, "shards", shards);
        final List<Written> written = new ArrayList<>();
        final AtomicBoolean stop = new AtomicBoolean();
        final AtomicLong writes = new AtomicLong();
        final ExecutorService executor = Executors.newFixedThreadPool(WRITERS + READERS);
        final List<Future<Long>> running = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            final int writer = i;
            written.add(new Written());
            running.add(executor.submit((Callable<Long>) () -> write(
                fixture, memtable, writer, written.get(writer), new Random(seed + writer), stop)));
        }
        for (int i = 0; i < READERS; i++) {
            final Random random = new Random(seed - 1 - i);
            running.add(executor.submit((Callable<Long>) () -> read(fixture, memtable, written, random, stop)));
        }
        Thread.sleep(RUN_MILLIS);
        stop.set(true);
        for (int i = 0; i < running.size(); i++) {
            final long count = running.get(i).get();
            assertTrue(count > 0, "thread " + i);
            writes.addAndGet(i < WRITERS ? count : 0);
        }
        executor.shutdown();
        assertEquals(writes.get(), memtable.operationCount());
        assertEquals(PARTITIONS, memtable.partitionCount());
        checkSizes(memtable, storage, heapBefore, offHeapBefore);
        MemtableFixture.discard(memtable);
        assertEquals(heapBefore, AbstractAllocatorMemtable.MEMORY_POOL.onHeap.used());
        assertEquals(offHeapBefore, AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used());
    }

    /** Checks that Cassandra is charged with what shards hold, no less and no more. */
    private static void checkSizes(
        final NestlingMemtable memtable, final String storage, final long heapBefore, final long offHeapBefore) {
        final Memtable.MemoryUsage usage = Memtable.getMemoryUsage(memtable);
        assertEquals(usage.ownsOffHeap, AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used() - offHeapBefore);
        assertEquals(usage.ownsOnHeap, AbstractAllocatorMemtable.MEMORY_POOL.onHeap.used() - heapBefore);
        assertEquals(
            memtable.sum(MemtableShard::offHeapBytes),
            memtable.sum(MemtableShard::indexBytes) + memtable.sum(MemtableShard::recordBytes));
        if (storage.equals("off_heap")) {
            assertEquals(memtable.sum(MemtableShard::offHeapBytes), usage.ownsOffHeap);
            assertTrue(memtable.sum(MemtableShard::recordBytes) > 0, "no bytes of records");
            assertTrue(usage.ownsOffHeap >= memtable.getLiveDataSize() / 2, usage + " for " + memtable.getLiveDataSize());
        }
    }

    private static long write(
        final MemtableFixture fixture, final NestlingMemtable memtable, final int writer, final Written written,
        final Random random, final AtomicBoolean stop) {
        long version = 0;
        while (!stop.get() || version < 2L * PARTITIONS) {
            version++;
            final int partition = (int) (version % PARTITIONS);
            final int row = random.nextInt(ROWS_OF_WRITER);
            fixture.put(memtable, update(fixture, partition, writer * ROWS_OF_WRITER + row, version));
            final long[] versions = written.versions.get(partition).clone();
            versions[row] = version;
            written.versions.set(partition, versions);
        }
        return version;
    }

    private static PartitionUpdate update(
        final MemtableFixture fixture, final int partition, final int row, final long version) {
        final PartitionUpdate.SimpleBuilder builder = PartitionUpdate.simpleBuilder(fixture.metadata, key(partition));
        builder.timestamp(version).row(row).add("n", version).add("t", text(row, version));
        return builder.build();
    }

    private static ByteBuffer key(final int partition) {
        return Int32Type.instance.decompose(partition);
    }

    /** Returns a text of a length that changes from version to version. */
    private static String text(final int row, final long version) {
        return (row + "-" + version + ".").repeat((int) (1 + version % 5));
    }

    private static long read(
        final MemtableFixture fixture, final NestlingMemtable memtable, final List<Written> written, final Random random,
        final AtomicBoolean stop) {
        long count = 0;
        while (!stop.get()) {
            if (random.nextInt(10) > 0) {
                final int partition = random.nextInt(PARTITIONS);
                final DecoratedKey key = fixture.metadata.partitioner.decorateKey(key(partition));
                final List<long[]> known = known(written, partition);
                try (UnfilteredRowIterator rows = fixture.read(memtable, key, Slices.ALL, random.nextBoolean())) {
                    check(rows, known);
                }
            } else {
                scan(fixture, memtable, written);
            }
            count++;
        }
        return count;
    }

    private static void scan(final MemtableFixture fixture, final NestlingMemtable memtable, final List<Written> written) {
        final List<List<long[]>> known = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            known.add(known(written, i));
        }
        int count = 0;
        try (UnfilteredPartitionIterator partitions = memtable.partitionIterator(
            ColumnFilter.all(fixture.metadata), DataRange.allData(fixture.metadata.partitioner),
            SSTableReadsListener.NOOP_LISTENER)) {
            while (partitions.hasNext()) {
                try (UnfilteredRowIterator rows = partitions.next()) {
                    check(rows, known.get(Int32Type.instance.compose(rows.partitionKey().getKey())));
                    count++;
                }
            }
        }
        final long expected = known.stream().filter(rows -> sum(rows) > 0).count();
        assertTrue(count >= expected, count + " partitions after " + expected + " were written");
    }

    private static long sum(final List<long[]> rows) {
        long sum = 0;
        for (final long[] versions : rows) {
            for (final long version : versions) {
                sum += version;
            }
        }
        return sum;
    }

    private static List<long[]> known(final List<Written> written, final int partition) {
        return written.stream().map(writer -> writer.versions.get(partition)).toList();
    }

    private static void check(final UnfilteredRowIterator rows, final List<long[]> known) {
        final long[] found = new long[WRITERS * ROWS_OF_WRITER];
        while (rows != null && rows.hasNext()) {
            final Row row = (Row) rows.next();
            final int number = Int32Type.instance.compose(row.clustering().bufferAt(0));
            found[number] = LongType.instance.compose(row.getCell(rows.metadata().getColumn(name("n"))).buffer());
            final String text = UTF8Type.instance.compose(row.getCell(rows.metadata().getColumn(name("t"))).buffer());
            assertEquals(text(number, found[number]), text, "row " + number);
        }
        for (int i = 0; i < found.length; i++) {
            final long least = known.get(i / ROWS_OF_WRITER)[i % ROWS_OF_WRITER];
            assertTrue(found[i] >= least, "row " + i + " has version " + found[i] + " after " + least + " was written");
        }
    }

    private static ByteBuffer name(final String column) {
        return ByteBufferUtil.bytes(column);
    }
}
