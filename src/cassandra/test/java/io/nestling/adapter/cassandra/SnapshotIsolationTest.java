/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.testing.Seeds;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.RangeTombstoneMarker;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Readers see all rows of an update or none, and do not see later updates. */
class SnapshotIsolationTest {
    private static final int PARTITIONS = 4;
    private static final int ROWS = 40;
    private static final int RANGES = 40;
    private static final long RUN_NANOS = 700_000_000L;

    @ParameterizedTest
    @CsvSource({
        "trie,off_heap,0", "trie,off_heap,1000000", "cuckoo_trie,off_heap,0", "wormhole,off_heap,1000000",
        "mlp_index,off_heap,0", "skip_list,off_heap,1500", "trie,partitions_on_heap,0"})
    void shouldShowWholeUpdatesOnly(final String index, final String storage, final String wideBytes) throws Exception {
        final long seed = Seeds.seed("snapshot isolation " + index);
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.wide(Murmur3Partitioner.instance), new Random(seed), PARTITIONS, ROWS);
        final NestlingMemtable memtable = fixture.nestling(
            "index", index, "row_index", index, "storage", storage, "wide_partition_bytes", wideBytes, "shards", "2");
        final AtomicLong[] marks = new AtomicLong[PARTITIONS];
        for (int i = 0; i < PARTITIONS; i++) {
            marks[i] = new AtomicLong(1);
            fixture.put(memtable, fixture.updates.marked(fixture.updates.key(i), 1, ROWS, RANGES));
        }
        final AtomicBoolean stop = new AtomicBoolean();
        final ExecutorService executor = Executors.newFixedThreadPool(4);
        final List<Future<Long>> readers = new ArrayList<>();
        final Future<Long> writer = executor.submit((Callable<Long>) () -> write(fixture, memtable, marks, stop));
        for (int i = 0; i < 3; i++) {
            final long readerSeed = seed + i;
            readers.add(executor.submit((Callable<Long>) () -> read(fixture, memtable, marks, stop, readerSeed)));
        }
        Thread.sleep(RUN_NANOS / 1_000_000);
        stop.set(true);
        assertTrue(writer.get() > PARTITIONS);
        for (final Future<Long> reader : readers) {
            assertTrue(reader.get() > 0);
        }
        executor.shutdown();
        MemtableFixture.discard(memtable);
    }

    private static long write(
        final MemtableFixture fixture, final NestlingMemtable memtable, final AtomicLong[] marks,
        final AtomicBoolean stop) {
        long count = 0;
        for (long mark = 2; !stop.get(); mark++) {
            final int partition = (int) (mark % PARTITIONS);
            fixture.put(memtable, fixture.updates.marked(fixture.updates.key(partition), mark, ROWS, RANGES));
            marks[partition].set(mark);
            count++;
        }
        return count;
    }

    private static long read(
        final MemtableFixture fixture, final NestlingMemtable memtable, final AtomicLong[] marks,
        final AtomicBoolean stop, final long seed) {
        final Random random = new Random(seed);
        long count = 0;
        while (!stop.get()) {
            final int partition = random.nextInt(PARTITIONS);
            final DecoratedKey key = fixture.updates.key(partition);
            final long least = marks[partition].get();
            try (UnfilteredRowIterator rows = fixture.read(memtable, key, Slices.ALL, random.nextBoolean())) {
                if (random.nextInt(4) == 0) {
                    Thread.yield(); // let many writes pass
                }
                check(rows, least);
            }
            count++;
        }
        return count;
    }

    private static void check(final UnfilteredRowIterator rows, final long least) {
        long mark = 0;
        int count = 0;
        while (rows.hasNext()) {
            final Unfiltered unfiltered = rows.next();
            final long value = unfiltered.isRow() ? mark((Row) unfiltered) : mark((RangeTombstoneMarker) unfiltered);
            if (count++ == 0) {
                mark = value;
            }
            assertEquals(mark, value, unfiltered.kind() + " " + count);
        }
        assertEquals(ROWS + 2 * RANGES, count);
        assertTrue(mark >= least, mark + " was read after " + least + " was written");
    }

    private static long mark(final Row row) {
        final Cell<?> cell = row.cells().iterator().next();
        final long value = LongType.instance.compose(cell.buffer());
        assertEquals(value, cell.timestamp());
        return value;
    }

    private static long mark(final RangeTombstoneMarker marker) {
        return (marker.isOpen(false) ? marker.openDeletionTime(false) : marker.closeDeletionTime(false)).markedForDeleteAt();
    }
}
