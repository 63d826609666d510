/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.order.LazyKeySorter;
import io.nestling.offheap.Claim;
import io.nestling.offheap.RecordStore;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The space that a shard reserves for a write, so that it cannot fail halfway, and for some more of the size of the largest so
 * far, so that the memtable is marked full before a write is refused.
 * <h2>Thread safety</h2>
 * The shard's only writer, unless a method says otherwise.
 */
final class ShardSpace {
    /** Writes for which the index reserves space beyond the one under way. */
    static final int SPARE_ENTRIES = 4;
    private static final int INITIAL_KEY_BYTES = 64;
    private static final long INITIAL_RECORD_BYTES = 1024;
    /** Entries for which the index reserves space while many write. */
    private static final int ENTRIES_AHEAD = 64 * ShardLock.PREFERRED_SLOTS;

    private final MemtableState state;
    private final MemtableShard shard;
    private final RecordStore records;
    private final AtomicLong largestAhead = new AtomicLong();
    private final Claim reserving = new Claim();
    private int longestKey = INITIAL_KEY_BYTES;
    private long largestRecord = INITIAL_RECORD_BYTES;

    ShardSpace(final MemtableState state, final MemtableShard shard) {
        this.state = state;
        this.shard = shard;
        this.records = shard.records();
    }

    /** Returns the size of the largest record so far, in bytes. */
    long largestRecord() {
        return largestRecord;
    }

    /** Updates the sizes of the largest key and record, for which space stays reserved. */
    void update(final int keyLength, final long recordBytes) {
        // Without a store if nothing changes: other processors keep the line.
        if (keyLength > longestKey) {
            longestKey = keyLength;
        }
        if (recordBytes > largestRecord) {
            largestRecord = recordBytes;
        }
    }

    /**
     * Reserves space for the records {@code from} to {@code to - 1} of a list, and some for later writes. Marks the memtable full
     * if only the first fits.
     */
    void reserve(final long[] recordBytes, final int from, final int to, final long keyBytes, final int newKeys) {
        if (!state.isMarkedFull()) {
            try {
                reserve(recordBytes, from, to, keyBytes, true);
            } catch (final SpaceExhaustedException e) {
                state.markFull();
            }
        }
        if (state.isMarkedFull()) {
            reserve(recordBytes, from, to, keyBytes, false);
        }
        final LazyKeySorter sorter = shard.sorter();
        if (sorter != null && newKeys > 0) {
            final Claim guard = state.enter();
            try {
                sorter.reserve(newKeys);
            } finally {
                guard.held = Claim.FREE;
            }
        }
    }

    private void reserve(
        final long[] recordBytes, final int from, final int to, final long keyBytes, final boolean withSpare) {
        final long spareBytes = withSpare ? largestRecord : 0;
        if (to - from == 1) {
            records.reserve(recordBytes[from], spareBytes);
        } else {
            records.reserve(recordBytes, from, to, spareBytes);
        }
        final int spareEntries = withSpare ? SPARE_ENTRIES : 0;
        shard.index().reserve(to - from + spareEntries, keyBytes + (long) spareEntries * longestKey);
    }

    /**
     * Reserves space for later writes of many writers, or marks the memtable full. Needs no lock.
     */
    void reserveAhead(final long recordBytes) {
        // memtable-concurrency.md, claim 19
        if (largestAhead.get() < recordBytes) {
            largestAhead.accumulateAndGet(recordBytes, Math::max);
        }
        if (!state.isMarkedFull() && reserving.tryHold(Claim.HELD)) {
            try {
                records.reserve(largestAhead.get(), 0);
                shard.index().reserve(ENTRIES_AHEAD, (long) ENTRIES_AHEAD * INITIAL_KEY_BYTES);
            } catch (final SpaceExhaustedException e) {
                state.markFull();
            } finally {
                reserving.held = Claim.FREE;
            }
        }
    }

    /** Releases the reservations of a refused write. */
    void release() {
        shard.index().reserve(0, 0);
        records.trim();
        final LazyKeySorter sorter = shard.sorter();
        if (sorter != null) {
            final Claim guard = state.enter();
            try {
                sorter.reserve(0);
            } finally {
                guard.held = Claim.FREE;
            }
        }
    }
}
