/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.RecordStore;
import io.nestling.offheap.SlabAllocator;

/**
 * An index of this library as a subject: without records if it stores the keys, else with a store of records that
 * have the keys and values of eight bytes.
 * <h2>Thread safety</h2>
 * That of the index. Readers concurrent with a writer enter a guard.
 */
final class IndexSubject implements Subject {
    private final EpochReclaimer epochs = new EpochReclaimer();
    private final RecordStore records;
    private final long emptyStoreBytes;
    private final PointIndex index;

    /**
     * Creates an empty subject. A self-contained index needs no records for these keys, so that {@code recordBytes} is not used.
     */
    IndexSubject(final IndexFactory factory, final boolean selfContained, final long indexBytes, final long recordBytes) {
        final SlabAllocator allocator = SlabAllocator.direct();
        if (selfContained) {
            records = null;
            emptyStoreBytes = 0;
            index = factory.create(context(allocator, KeySource.NONE, indexBytes));
            return;
        }
        final long slabBytes = Math.min(Long.highestOneBit(2 * recordBytes - 1), Long.highestOneBit(allocator.maxSlabBytes()));
        records = new RecordStore(allocator, MemoryBudget.ofBytes(recordBytes), slabBytes);
        emptyStoreBytes = records.bytesUsed();
        try {
            final PointIndex inner = factory.create(context(allocator, records, indexBytes));
            index = inner instanceof OrderedIndex ordered
                ? new RecordIndex.Ordered(ordered, records) : new RecordIndex(inner, records);
        } catch (final RuntimeException | Error e) {
            records.close();
            throw e;
        }
    }

    private IndexContext context(final SlabAllocator allocator, final KeySource keys, final long bytes) {
        return new IndexContext(allocator, MemoryBudget.ofBytes(bytes), epochs, keys, bytes);
    }

    @Override
    public PointIndex index() {
        return index;
    }

    @Override
    public long indexBytes() {
        return index.bytesUsed();
    }

    @Override
    public long totalBytes() {
        return indexBytes() + (records == null ? 0 : records.bytesUsed() - emptyStoreBytes);
    }

    @Override
    public int enterGuard() {
        return epochs.enter();
    }

    @Override
    public void exitGuard(final int guard) {
        epochs.exit(guard);
    }

    @Override
    public void close() {
        try {
            index.close();
        } finally {
            if (records != null) {
                records.close();
            }
        }
    }
}
