/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.index.EntryKind;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;
import io.nestling.offheap.SlabAllocator;

/**
 * Builds an index without a memtable. A key's payload is the number of its last line, from 1, or its record if the index does
 * not store keys.
 * <p>
 * Not thread-safe.
 */
final class IndexBuilder implements AutoCloseable {
    private static final long MAX_BYTES = 64L << 30;
    private static final long MIN_BYTES = 256L << 20;
    /* Upper bound of the memory of an index and its records per byte of the text with the keys. */
    private static final long BYTES_PER_TEXT_BYTE = 256;

    private final MemoryBudget budget = MemoryBudget.ofBytes(MAX_BYTES);
    private final RecordStore records;
    private final PointIndex index;
    private long keys;
    private long keyBytes;

    /** Creates an empty index, whose address space is limited by an upper bound, about, of the text with the keys. */
    IndexBuilder(final IndexFactory factory, final long textBytes) {
        final SlabAllocator allocator = SlabAllocator.direct();
        final long wanted = Math.min(textBytes, MAX_BYTES / BYTES_PER_TEXT_BYTE) * BYTES_PER_TEXT_BYTE;
        final long bytes = Math.min(Math.max(wanted, MIN_BYTES), allocator.maxSlabBytes());
        records = factory.storesKeys() ? null : new RecordStore(allocator, budget, bytes);
        final KeySource source = records == null ? KeySource.NONE : records;
        index = factory.create(new IndexContext(allocator, budget, new EpochReclaimer(), source, bytes));
    }

    /** Adds a key. */
    void add(final byte[] key) {
        keys++;
        keyBytes += key.length;
        index.put(key, 0, key.length, records == null ? keys : append(key));
    }

    private long append(final byte[] key) {
        final long word = RecordLayout.versionWord(keys, EntryKind.VALUE.code(), false, true);
        return records.append(word, RecordLayout.NO_RECORD, key, 0, key.length, 0);
    }

    /** Returns the index. */
    PointIndex index() {
        return index;
    }

    /** Returns the number of keys added. */
    long keys() {
        return keys;
    }

    /** Returns the number of bytes of all keys added. */
    long keyBytes() {
        return keyBytes;
    }

    @Override
    public void close() {
        index.close();
        if (records != null) {
            records.close();
        }
    }
}
