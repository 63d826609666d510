/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.testing.Seeds;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.memtable.AbstractAllocatorMemtable;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.SkipListMemtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.function.IntFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A partition with very many range tombstones: each write copies few of them, and what it replaces is used again. */
class RangeTombstonesTest {
    private static final long KIB = 1 << 10;
    private static final int FEW = 500;
    private static final int MANY = 4_000;
    private static final int HUNDRED_THOUSAND = 100_000;
    private static final int LONG = 60;
    /* A write copies a path through the tree: 16 KB of objects, however many range tombstones there are. */
    private static final long MAX_BYTES_OF_WRITE = 40 * KIB;

    private final Random random = Seeds.random("range tombstones");
    private final MemtableFixture fixture = new MemtableFixture(
        TestTables.series(Murmur3Partitioner.instance), random, 2, 1);

    @Test
    void shouldCopyFewRangesWithEachWrite() {
        final NestlingMemtable memtable = fixture.nestling();
        write(memtable, FEW, i -> fixture.updates.range(i * 11 % FEW * 20, 10));
        final long each = write(memtable, MANY, i -> fixture.updates.range(i * 19 % MANY * 20, 10)) / MANY;
        assertTrue(each < MAX_BYTES_OF_WRITE, each + " bytes of objects a write");
        assertEquals(2 * MANY, countMarkers(memtable));
        memtable.getFlushSet(null, null).forEach(partition -> assertFalse(partition.isEmpty()));
        final long taken = Memtable.getMemoryUsage(memtable).ownsOffHeap;
        assertTrue(taken < MANY * 160L, taken + " bytes for " + MANY + " range tombstones");
        discard(memtable);
    }

    @Test
    void shouldTakeAHundredThousandRangesWithBoundedWorkForEach() {
        final NestlingMemtable memtable = fixture.nestling();
        final long ofTenThousand = write(memtable, HUNDRED_THOUSAND / 10, this::range);
        final long before = write(memtable, HUNDRED_THOUSAND * 8 / 10, i -> range(HUNDRED_THOUSAND / 10 + i));
        final long last = write(memtable, HUNDRED_THOUSAND / 10, i -> range(HUNDRED_THOUSAND * 9 / 10 + i));
        assertTrue(last < ofTenThousand * 3 / 2, last + " bytes of objects for the last tenth, " + ofTenThousand
            + " for the first, " + before + " between");
        assertEquals(2 * HUNDRED_THOUSAND, countMarkers(memtable));
        discard(memtable);
    }

    /** Returns one of a hundred thousand ranges side by side, in the order of a permutation. */
    private Slice range(final int number) {
        return fixture.updates.range((int) (number * 7_919L % HUNDRED_THOUSAND) * 20, 10);
    }

    @Test
    void shouldDropRangesThatAreOverwritten() {
        final NestlingMemtable memtable = fixture.nestling();
        final int values = 20 * MANY;
        final long each = write(
            memtable, MANY, i -> fixture.updates.range(random.nextInt(values), values / 10)) / MANY;
        assertTrue(each < MAX_BYTES_OF_WRITE, each + " bytes of objects a write");
        final long taken = Memtable.getMemoryUsage(memtable).ownsOffHeap;
        assertTrue(taken < 256 * KIB, taken + " bytes for " + countMarkers(memtable) + " markers");
        // Each one begins before the one before it.
        write(memtable, MANY, i -> fixture.updates.range(-i, values * 2 + i));
        assertEquals(2, countMarkers(memtable));
        assertEquals(taken, Memtable.getMemoryUsage(memtable).ownsOffHeap, 64 * KIB);
        discard(memtable);
    }

    @Test
    void shouldTakeRangesOfLongClusterings() {
        final MemtableFixture wide = new MemtableFixture(TestTables.wide(Murmur3Partitioner.instance), random, 2, 1);
        final NestlingMemtable memtable = wide.nestling();
        final Memtable peer = CassandraProcess.create(SkipListMemtable.FACTORY, wide.ref, wide.owner);
        for (int i = 0; i < LONG; i++) {
            final String text = String.valueOf((char) ('a' + i * 7 % 26)).repeat(1 + random.nextInt(2) * 1_000);
            final PartitionUpdate update = update(wide, Slice.make(
                ClusteringBound.create(wide.metadata.comparator, true, true, i * 7 % LONG, text),
                ClusteringBound.create(wide.metadata.comparator, false, true, i * 7 % LONG + i % 2, text)), i);
            wide.put(memtable, update);
            wide.put(peer, update);
        }
        for (final boolean reversed : new boolean[] {false, true}) {
            assertEquals(
                Descriptions.of(wide.read(peer, wide.updates.key(1), Slices.ALL, reversed), true),
                Descriptions.of(wide.read(memtable, wide.updates.key(1), Slices.ALL, reversed), true));
        }
        discard(memtable);
        MemtableFixture.discard(peer);
    }

    private void discard(final NestlingMemtable memtable) {
        final long owned = Memtable.getMemoryUsage(memtable).ownsOffHeap;
        final long before = AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used();
        MemtableFixture.discard(memtable);
        assertEquals(before - owned, AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used());
    }

    /** Writes range tombstones, each newer than those before, and returns the bytes of heap that this allocated. */
    private long write(final Memtable memtable, final int count, final IntFunction<Slice> slice) {
        final long before = allocated();
        for (int i = 0; i < count; i++) {
            fixture.put(memtable, update(fixture, slice.apply(i), memtable.operationCount()));
        }
        return allocated() - before;
    }

    private static PartitionUpdate update(final MemtableFixture fixture, final Slice slice, final long timestamp) {
        final PartitionUpdate.Builder builder = new PartitionUpdate.Builder(
            fixture.metadata, fixture.updates.key(1), fixture.metadata.regularAndStaticColumns(), 0, false);
        builder.add(new RangeTombstone(slice, DeletionTime.build(timestamp, 1)));
        return builder.build();
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
            .getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private int countMarkers(final Memtable memtable) {
        int count = 0;
        try (UnfilteredRowIterator rows = fixture.read(memtable, fixture.updates.key(1), Slices.ALL, false)) {
            while (rows.hasNext()) {
                rows.next();
                count++;
            }
        }
        return count;
    }
}
