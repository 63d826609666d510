/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What readers may meet between two stores of the writer. */
class MlpPublicationTest {
    private static final int BUDGET_BYTES = 64 << 20;
    private static final long NANOS = 500_000_000L;
    private static final long PREFIX = 0x0102_0300_0000_0000L;
    /* Four for the fill and four for a node that finds no room; one put in a million adds some more, four at a time. */
    private static final int USUAL_BUCKETS_A_PUT = 8;
    private static final int MOST_BUCKETS_A_PUT = 256;
    private static final int MOST_UNUSUAL_PUTS = 4;
    /* Children in any order; the second eight have their top bit set, as the meta of a leaf has. */
    private static final int[] CHILDREN = {1, 2, 3, 4, 5, 6, 7, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88};

    private final EpochReclaimer epochs = new EpochReclaimer();

    private MlpIndex open(final MemoryBudget budget) {
        return new MlpIndex(new IndexContext(SlabAllocator.direct(), budget, epochs, KeySource.NONE, BUDGET_BYTES));
    }

    private MlpIndex open() {
        return open(MemoryBudget.ofBytes(BUDGET_BYTES));
    }

    private static byte[] key(final long word) {
        return ByteBuffer.allocate(Long.BYTES).putLong(word).array();
    }

    private static long put(final MlpIndex index, final long word, final long payload) {
        return index.put(key(word), 0, Long.BYTES, payload);
    }

    private static long remove(final MlpIndex index, final long word) {
        return index.remove(key(word), 0, Long.BYTES);
    }

    private static long get(final MlpIndex index, final long word) {
        return index.get(key(word), 0, Long.BYTES);
    }

    private static long packed(final int from) {
        long word = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            word |= (long) CHILDREN[from + i] << Byte.SIZE * i;
        }
        return word;
    }

    /** The children of a node are written before its meta: until then they stand in cells that seem to be free. */
    @Test
    void shouldNotTakeChildrenForALeafWhileTheirNodeIsAppended() {
        try (MlpIndex index = open()) {
            put(index, 0x0102_0304_0506_0708L, 1);
            final BucketTable table = index.lookup().table();
            final long absent = packed(8);
            final long bucket = BucketTable.primary(table.hash(absent, FIRST_LEVEL), table.buckets());
            final int cell = table.used(bucket);
            final long children = cellOffset(bucket, cell) + CHILDREN_OFFSET;
            table.slab().putLong(children, packed(0) | Long.MIN_VALUE);
            table.slab().putLong(children + Long.BYTES, absent);
            assertTrue(MlpNodeLayout.isLeaf(table.slab().getLong(children)), "looks like a leaf");
            assertFalse(table.begins(bucket, cell + 1));
            assertEquals(PointIndex.NONE, get(index, absent));
            table.slab().clear(children, 2 * Long.BYTES);
            index.verify();
        }
    }

    @Test
    void shouldNotFindAnAbsentKeyWhileWideNodesAreAppended() throws InterruptedException {
        for (int i = 0; i < 64; i++) {
            final long prefix = (i * 0x9E37_79B9L & 0x7F_FFFF) << 40;
            try (MlpIndex index = open()) {
                for (final int child : CHILDREN) {
                    put(index, prefix | (long) child << Byte.SIZE, child);
                }
                final long absent = packed(8);
                final long splitting = prefix | 1L << 24;
                put(index, splitting, 7);
                if (standsWhereIsLookedFor(index, prefix, absent)) {
                    appendBesideReader(index, absent, splitting);
                    return;
                }
            }
        }
        throw new AssertionError("no wide node stands in a bucket of the absent key");
    }

    /** Whether the node of 16 children below a split stands in a bucket of some word. */
    private static boolean standsWhereIsLookedFor(final MlpIndex index, final long prefix, final long absent) {
        final BucketTable table = index.lookup().table();
        final Node node = new Node();
        if (!table.find(prefix, 5, node) || cells(node.meta) != MEDIUM_CELLS) {
            return false;
        }
        boolean stands = false;
        for (int level = FIRST_LEVEL; level <= FIRST_LEVEL + 1; level++) {
            final long hash = table.hash(absent, level);
            stands |= BucketTable.primary(hash, table.buckets()) == bucketAt(node.at)
                || BucketTable.secondary(hash, table.buckets()) == bucketAt(node.at);
        }
        return stands;
    }

    private void appendBesideReader(final MlpIndex index, final long absent, final long splitting) throws InterruptedException {
        final AtomicLong found = new AtomicLong();
        whileReading(() -> found.addAndGet(get(index, absent) == PointIndex.NONE ? 0 : 1), () -> {
            assertEquals(7, remove(index, splitting));
            assertEquals(PointIndex.NONE, put(index, splitting, 7));
        });
        assertEquals(0, found.get());
    }

    /** Runs something again and again under guards in another thread while changes are made. */
    private void whileReading(final Runnable read, final Runnable change) throws InterruptedException {
        final AtomicBoolean done = new AtomicBoolean();
        final Thread reader = new Thread(() -> {
            while (!done.get()) {
                final int guard = epochs.enter();
                try {
                    read.run();
                } finally {
                    epochs.exit(guard);
                }
            }
        });
        reader.start();
        try {
            final long end = System.nanoTime() + NANOS;
            while (System.nanoTime() < end) {
                change.run();
            }
        } finally {
            done.set(true);
            reader.join();
        }
    }

    private static long child(final int child) {
        return PREFIX | (long) child << 32 | 5;
    }

    /** A child that stays may go from one word to the other by two changes: who has read one word before must notice. */
    @Test
    void shouldTellReadersOfChangesOfANodeInItsPlace() {
        try (MlpIndex index = open()) {
            for (final int child : new int[] {10, 20, 30, 40, 50, 60, 70, 80, 5}) {
                put(index, child(child), child);
            }
            final BucketTable table = index.lookup().table();
            final Node node = new Node();
            assertTrue(table.find(PREFIX, FIRST_LEVEL, node));
            assertEquals(MEDIUM_CELLS, cells(node.meta));
            final long bucket = bucketAt(node.at);
            final int version = table.versions().begin(bucket);
            remove(index, child(10));
            assertFalse(table.versions().unchanged(bucket, version), "a child removed in place");
            final int next = table.versions().begin(bucket);
            put(index, child(90), 90);
            assertFalse(table.versions().unchanged(bucket, next), "a child added in place");
        }
    }

    @Test
    void shouldAlwaysShowAChildThatStays() throws InterruptedException {
        try (MlpIndex index = open()) {
            for (final int child : new int[] {20, 30, 40, 50, 60, 70, 80, 5}) {
                put(index, child(child), child);
            }
            final AtomicLong missed = new AtomicLong();
            final Random random = Seeds.random("MlpPublicationTest.shouldAlwaysShowAChildThatStays");
            whileReading(() -> {
                try (EntryCursor cursor = index.cursor()) {
                    missed.addAndGet(cursor.seek(key(child(5))) && cursor.payload() == 5 ? 0 : 1);
                }
            }, () -> {
                final int other = 10 + random.nextInt(100);
                if (remove(index, child(other)) == PointIndex.NONE && index.entryCount() < MEDIUM_CHILDREN) {
                    put(index, child(other), other);
                }
            });
            assertEquals(0, missed.get());
        }
    }

    /** A table that had to be filled while there was no memory must not make up for all of it in one put. */
    @Test
    void shouldAddFewBucketsAPut() {
        final MemoryBudget budget = MemoryBudget.ofBytes(BUDGET_BYTES);
        final Random random = Seeds.random("MlpPublicationTest.shouldAddFewBucketsAPut");
        try (MlpIndex index = open(budget)) {
            final long taken = budget.remaining() - 2 * MemoryBudget.SLAB_BYTES;
            assertTrue(budget.tryAcquire(taken));
            boolean full = false;
            while (!full) {
                try {
                    put(index, random.nextLong() & Long.MAX_VALUE, 1);
                } catch (final SpaceExhaustedException e) {
                    full = true;
                }
            }
            budget.release(taken);
            final BucketTable table = index.lookup().table();
            final long atLimit = table.buckets();
            int unusual = 0;
            for (int i = 0; i < 40_000; i++) {
                final long before = table.buckets();
                put(index, random.nextLong() & Long.MAX_VALUE, 1);
                assertTrue(table.buckets() - before <= MOST_BUCKETS_A_PUT, () -> "put added " + (table.buckets() - before));
                unusual += table.buckets() - before > USUAL_BUCKETS_A_PUT ? 1 : 0;
            }
            assertTrue(unusual <= MOST_UNUSUAL_PUTS, unusual + " puts added more than " + USUAL_BUCKETS_A_PUT);
            assertTrue(table.buckets() > atLimit + atLimit / 4, "grows again");
            final double load = (double) index.writer().cellsUsed() / (table.buckets() * CELLS);
            assertTrue(load < 0.65, () -> "load " + load);
            index.verify();
        }
    }
}
