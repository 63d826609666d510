/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import io.nestling.index.EntryCursor;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;
import io.nestling.offheap.RecordWalk;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;

/**
 * The sorted keys of a shard, recovered from its records alone. It replaces an index in which a write has ended halfway, which
 * may lack entries or hold them twice. Holds each key once, with the newest record that has a number.
 * <p>
 * Time O(n); 16 bytes a key off the heap, not charged to the budget, and during construction a bit on the heap for each 8
 * bytes of records.
 * <h2>Thread safety</h2>
 * Immutable. During construction no thread writes to the shard.
 */
public final class RecoveredKeys implements AutoCloseable {
    private final RecordStore records;
    private final Slab slab;
    private final KeyEntries entries;

    /**
     * Collects and sorts the keys of records that one writer at a time appended, in a slab; throws if the system has no memory
     * for it.
     */
    public RecoveredKeys(final RecordStore records, final SlabAllocator allocator) {
        this.records = records;
        final long[] superseded = superseded();
        long count = 0;
        final RecordWalk counting = new RecordWalk(records);
        for (long record = counting.next(); record != RecordLayout.NO_RECORD; record = counting.next()) {
            count += isNewest(record, superseded) ? 1 : 0;
        }
        final long bytes = Math.max(1, count) * KeyEntries.ENTRY_BYTES + MemoryBudget.SLAB_BYTES - 1 & -MemoryBudget.SLAB_BYTES;
        this.slab = allocator.allocate(bytes);
        try {
            this.entries = KeyEntries.inSlab(slab, count);
            long at = 0;
            final RecordWalk collecting = new RecordWalk(records);
            for (long record = collecting.next(); record != RecordLayout.NO_RECORD; record = collecting.next()) {
                if (isNewest(record, superseded)) {
                    entries.set(at++, 0, record);
                }
            }
            new KeySorter(records).sort(entries);
        } catch (final Throwable e) {
            slab.close();
            throw e;
        }
    }

    /** Returns a bit for each record, set if another record with a number links to it. */
    private long[] superseded() {
        long last = 0;
        final RecordWalk whole = new RecordWalk(records);
        for (long record = whole.next(); record != RecordLayout.NO_RECORD; record = whole.next()) {
            last = Math.max(last, records.ordinal(record));
        }
        final long[] bits = new long[(int) (last >>> 6) + 1];
        final RecordWalk walk = new RecordWalk(records);
        for (long record = walk.next(); record != RecordLayout.NO_RECORD; record = walk.next()) {
            final long previous = records.previous(record);
            if (isNumbered(record) && previous != RecordLayout.NO_RECORD) {
                final long number = records.ordinal(previous);
                bits[(int) (number >>> 6)] |= 1L << number;
            }
        }
        return bits;
    }

    private boolean isNewest(final long record, final long[] superseded) {
        // memtable-concurrency.md, claim 58
        final long number = records.ordinal(record);
        return isNumbered(record) && (records.versionWord(record) & RecordLayout.SUPERSEDED) == 0 // a recycled one has it
            && (superseded[(int) (number >>> 6)] >>> number & 1) == 0;
    }

    private boolean isNumbered(final long record) {
        return RecordLayout.sequence(records.versionWord(record)) != RecordLayout.UNNUMBERED;
    }

    /** Returns an unpositioned cursor over the keys and the pointers of their newest records. */
    public EntryCursor cursor() {
        return new KeyRunCursor(records, entries);
    }

    @Override
    public void close() {
        slab.close();
    }
}
