/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.index.EntryKind;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;
import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.KeySource;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.RecordLayout;
import io.nestling.memory.RecordStore;
import io.nestling.memory.SlabAllocator;

/**
 * An index that stands alone and is filled with keys. A key's payload is the number of its last line, from 1,
 * or where its key stands if the index does not store keys.
 * <p>
 * Used by one thread.
 */
final class IndexBuilder implements AutoCloseable {
    private static final long MAX_BYTES = 64L << 30;
    private static final long MIN_BYTES = 256L << 20;
    /* An index and its records take less than this for each byte of the text that the keys are read from. */
    private static final long BYTES_PER_TEXT_BYTE = 256;

    private final MemoryBudget budget = MemoryBudget.ofBytes(MAX_BYTES);
    private final RecordStore records;
    private final PointIndex index;
    private long keys;
    private long keyBytes;

    /**
     * Makes an empty index.
     *
     * @param factory what kind
     * @param textBytes about how much text the keys are read from, at most; an index that may grow without need begins
     *     larger
     */
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

    /** The index. */
    PointIndex index() {
        return index;
    }

    /** Number of keys added. */
    long keys() {
        return keys;
    }

    /** Bytes of all keys added. */
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
