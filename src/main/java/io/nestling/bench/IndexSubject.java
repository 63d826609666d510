/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.KeySource;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.RecordLayout;
import io.nestling.memory.RecordStore;
import io.nestling.memory.SlabAllocator;

/**
 * An index of this library as a subject: alone if it stores keys itself, else with a store of records that
 * hold keys and values of eight bytes.
 * <h2>Thread safety</h2>
 * As that of the index. Readers beside a writer enter a guard.
 */
final class IndexSubject implements Subject {
    private final EpochReclaimer epochs = new EpochReclaimer();
    private final RecordStore records;
    private final long bytesOfEmptyStore;
    private final PointIndex index;

    /**
     * Makes an empty subject.
     *
     * @param factory makes the index
     * @param alone whether the index needs no records for these keys
     * @param indexBytes address space of the index
     * @param recordBytes most bytes of all records; not used by an index that stands alone
     */
    IndexSubject(final IndexFactory factory, final boolean alone, final long indexBytes, final long recordBytes) {
        final SlabAllocator allocator = SlabAllocator.direct();
        if (alone) {
            records = null;
            bytesOfEmptyStore = 0;
            index = factory.create(context(allocator, KeySource.NONE, indexBytes));
            return;
        }
        final long slabBytes = Math.min(Long.highestOneBit(2 * recordBytes - 1), Long.highestOneBit(allocator.maxSlabBytes()));
        records = new RecordStore(allocator, MemoryBudget.ofBytes(recordBytes), slabBytes);
        bytesOfEmptyStore = records.bytesUsed();
        try {
            final PointIndex inner = factory.create(context(allocator, records, indexBytes));
            index = inner instanceof OrderedIndex
                ? new OrderedRecordIndex((OrderedIndex) inner, records) : new RecordIndex(inner, records);
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
        return indexBytes() + (records == null ? 0 : recordBytesWithoutValues());
    }

    /* A value of eight bytes and its length; what the record is padded with counts as overhead of the key. */
    private long recordBytesWithoutValues() {
        final long valueBytes = Long.BYTES + RecordLayout.varintBytes(Long.BYTES);
        return Math.max(0, records.bytesUsed() - bytesOfEmptyStore - index.entryCount() * valueBytes);
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
