/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.LoweredLimit;
import io.nestling.index.ConcurrentIndex;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.index.small.SmallIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.order.LazyKeySorter;
import io.nestling.offheap.Claim;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;
import io.nestling.offheap.SlabAllocator;

/**
 * The index of a shard and, if that has no order, its sorter. A shard begins with a {@link SmallIndex} and moves once, to the
 * index that its memtable was opened with.
 *
 * @param index from keys to their newest records
 * @param sorter sorts the keys of an index without order; null for an ordered one
 * @param isSmall whether it is the first structure
 * @param takesManyWriters whether several threads may write at once
 * @param recordsHoldKeys whether records that are appended from now on hold their keys
 */
record ShardStructure(
    PointIndex index, LazyKeySorter sorter, boolean isSmall, boolean takesManyWriters, boolean recordsHoldKeys)
    implements AutoCloseable {

    /* Slots, counters and writers of a shard for many writers. */
    private static final long MANY_WRITERS_HEAP_BYTES = 14_000;
    private static final int SMALL_KEYS = LoweredLimit.of("memtable.smallKeys", SmallIndex.KEYS, 5);

    /** Returns the structure of an empty shard. */
    static ShardStructure small(final MemtableState state, final RecordStore records) {
        return new ShardStructure(new SmallIndex(context(state, records, SlabAllocator.SMALL_BYTES)), null, true, false, true);
    }

    private static IndexContext context(final MemtableState state, final RecordStore records, final long maxBytes) {
        return new IndexContext(state.slabs(), state.budget(), state.epochs(), records, maxBytes, state.failure());
    }

    /** Returns whether a small structure takes some more keys, and their records. */
    boolean fits(final RecordStore records, final int keys, final long recordBytes) {
        return index.entryCount() + keys <= SMALL_KEYS && records.fitsSmallSlab(recordBytes);
    }

    /** Throws if there is surely no memory for the values of some records. */
    static void checkRoom(
        final MemoryBudget budget, final RecordStore records, final int keys, final long valueBytes) {
        if (keys == 1) {
            records.checkSize(valueBytes);
        }
        if (!budget.hasRoom(valueBytes)) {
            throw new SpaceExhaustedException("expected values of at most " + budget.remaining() + " bytes, what is left of "
                + budget.capacity() + ", but was " + valueBytes);
        }
    }

    /**
     * Returns a structure of the memtable's own index with the entries of this one, which stays as it is; throws if it does not
     * fit.
     */
    ShardStructure grown(final MemtableState state, final RecordStore records, final SlabSizes sizes) {
        final IndexFactory factory = state.options().index();
        final long heapBytes = factory.heapBytes() + (factory.concurrentWriters() ? MANY_WRITERS_HEAP_BYTES : 0);
        state.heap().add(heapBytes);
        PointIndex larger = null;
        LazyKeySorter order = null;
        try {
            larger = factory.create(context(state, records, sizes.indexBytes()));
            order = larger instanceof OrderedIndex ? null : new LazyKeySorter(
                context(state, records, sizes.orderBytes()), records, larger, state.gate()::visible,
                ShardLock.WRITER_SLOTS);
            final ShardStructure grown = new ShardStructure(
                larger, order, false, factory.concurrentWriters() && larger instanceof ConcurrentIndex,
                !factory.storesKeys() || !factory.ordered());
            grown.addAll((SmallIndex) index, state, records);
            return grown;
        } catch (final Throwable e) {
            try {
                close(larger, order);
            } finally {
                state.heap().subtract(heapBytes);
            }
            throw e;
        }
    }

    private void addAll(final SmallIndex from, final MemtableState state, final RecordStore records) {
        final Claim guard = state.enter();
        try (EntryCursor cursor = from.cursor()) {
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                index.reserve(1, cursor.keyLength());
                index.put(cursor.keyBuffer(), 0, cursor.keyLength(), cursor.payload());
                if (sorter != null) {
                    sorter.reserve(1);
                    addToOrder(records, cursor.payload());
                }
            }
        } finally {
            guard.held = Claim.FREE;
        }
    }

    private void addToOrder(final RecordStore records, final long newest) {
        long first = newest;
        for (long older = newest; older != RecordLayout.NO_RECORD; older = records.previous(older)) {
            first = older;
        }
        sorter.add(first, MemtableShard.SINGLE_WRITER_ROW);
        if (first != newest) {
            records.supersede(first);
        }
    }

    /** Releases the memory of the index and its order. */
    @Override
    public void close() {
        close(index, sorter);
    }

    private static void close(final PointIndex index, final LazyKeySorter sorter) {
        try {
            if (index != null) {
                index.close();
            }
        } finally {
            if (sorter != null) {
                sorter.close();
            }
        }
    }
}
