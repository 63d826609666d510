/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryKind;
import io.nestling.index.IndexContext;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.RecordLayout;
import io.nestling.memory.RecordStore;
import io.nestling.memory.SpaceExhaustedException;

/**
 * A part of a memtable's keys: an index from keys to their newest records, and the records, each of which
 * links to the one before of its key.
 * <p>
 * A write goes in two halves, so that nothing can fail once it has a sequence number: {@link #prepare} checks
 * everything, reserves all space and appends the record, and {@link #commit} numbers and publishes it. The
 * record's value is copied in between.
 * <h2>Thread safety</h2>
 * Writing methods need the lock. Reading methods may be called by any thread inside a guard of the epochs.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Sequence numbers descend along the links of a key's records.</li>
 * <li>Keys are never removed from the index and records never from the store.</li>
 * <li>Unless the memtable is noted as full, a write of the size of the largest one so far fits.</li>
 * </ol>
 */
final class MemtableShard implements AutoCloseable {
    /** Writes for which the index keeps space beyond the one under way. */
    private static final int SPARE_ENTRIES = 4;
    private static final int INITIAL_KEY_BYTES = 64;
    private static final long INITIAL_RECORD_BYTES = 1024;
    private static final long UNNUMBERED = 0;

    private final MemtableState state;
    private final int number;
    private final RecordStore records;
    private final OrderedIndex index;
    private final boolean recordsHoldKeys;
    private final ShardLock lock = new ShardLock();
    private final ShardCounters counters = new ShardCounters();
    private int longestKey = INITIAL_KEY_BYTES;
    private long largestRecord = INITIAL_RECORD_BYTES;

    MemtableShard(final MemtableState state, final int number) {
        this.state = state;
        this.number = number;
        final MemtableOptions options = state.options();
        final SlabSizes sizes = SlabSizes.of(options, state.budget());
        this.recordsHoldKeys = !options.index().storesKeys();
        this.records = new RecordStore(options.allocator(), state.budget(), sizes.recordBytes());
        try {
            this.index = (OrderedIndex) options.index().create(new IndexContext(
                options.allocator(), state.budget(), state.epochs(), records, sizes.indexBytes()));
        } catch (final RuntimeException | Error e) {
            records.close();
            throw e;
        }
        try {
            records.ensure(largestRecord, 0);
            index.reserve(SPARE_ENTRIES, (long) SPARE_ENTRIES * longestKey);
        } catch (final RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Number of this shard among the memtable's, from 0. */
    int number() {
        return number;
    }

    ShardLock lock() {
        return lock;
    }

    ShardCounters counters() {
        return counters;
    }

    RecordStore records() {
        return records;
    }

    OrderedIndex index() {
        return index;
    }

    // ---- writing, under the lock ----

    /** Pointer of a key's newest record, or {@link RecordLayout#NO_RECORD}. */
    long newest(final byte[] key, final int offset, final int length) {
        return recordOf(index.get(key, offset, length));
    }

    static long recordOf(final long payload) {
        return payload == PointIndex.NONE ? RecordLayout.NO_RECORD : payload;
    }

    /** Bytes of a record that is to be appended. */
    long recordBytes(final boolean hasPrevious, final int keyLength, final int valueLength) {
        return RecordLayout.recordBytes(
            hasPrevious, recordsHoldKeys ? keyLength : RecordLayout.NO_KEY, valueLength);
    }

    /**
     * First half of a single write: reserves and appends the record of a new version, without value and
     * number.
     *
     * @return the record, whose value is to be copied in before {@link #commit}
     * @throws SpaceExhaustedException if it does not fit; nothing has changed then
     * @throws IllegalStateException if the memtable takes no writes
     */
    long prepare(
        final EntryKind kind, final byte[] key, final int offset, final int length, final int valueLength) {
        state.checkWritable();
        final long previous = newest(key, offset, length);
        final long bytes = recordBytes(previous != RecordLayout.NO_RECORD, length, valueLength);
        noteSizes(length, bytes);
        try {
            ensureRecord(bytes);
            reserveIndex(1, length);
        } catch (final SpaceExhaustedException e) {
            state.noteFull();
            throw e;
        }
        return append(kind, previous, key, offset, length, valueLength);
    }

    /** Remembers the largest key and record, for which space is kept. */
    void noteSizes(final int keyLength, final long recordBytes) {
        longestKey = Math.max(longestKey, keyLength);
        largestRecord = Math.max(largestRecord, recordBytes);
    }

    private void ensureRecord(final long bytes) {
        if (!state.isNotedFull()) {
            try {
                records.ensure(bytes, largestRecord);
                return;
            } catch (final SpaceExhaustedException e) {
                state.noteFull();
            }
        }
        records.ensure(bytes, 0);
    }

    /** Reserves space for the records {@code from} to {@code to - 1} of a list. */
    void ensureRecords(final long[] recordBytes, final int from, final int to) {
        if (!state.isNotedFull()) {
            try {
                records.ensure(recordBytes, from, to, largestRecord);
                return;
            } catch (final SpaceExhaustedException e) {
                state.noteFull();
            }
        }
        records.ensure(recordBytes, from, to, 0);
    }

    /** Reserves space in the index, and some for the writes to come. */
    void reserveIndex(final int entries, final long keyBytes) {
        if (!state.isNotedFull()) {
            try {
                index.reserve(entries + SPARE_ENTRIES, keyBytes + (long) SPARE_ENTRIES * longestKey);
                return;
            } catch (final SpaceExhaustedException e) {
                state.noteFull();
            }
        }
        index.reserve(entries, keyBytes);
    }

    /** Gives back what a write that was refused has reserved. */
    void endReservation() {
        index.reserve(0, 0);
        records.trim();
    }

    /** Appends a record without value and number, for which space is reserved. */
    long append(
        final EntryKind kind, final long previous, final byte[] key, final int offset, final int length,
        final int valueLength) {
        if (!recordsHoldKeys) {
            return records.append(UNNUMBERED, kind.code(), previous, valueLength);
        }
        final boolean hasPrevious = previous != RecordLayout.NO_RECORD;
        final long word = RecordLayout.versionWord(UNNUMBERED, kind.code(), hasPrevious, true);
        return records.append(word, previous, key, offset, length, valueLength);
    }

    /**
     * Second half of a single write: numbers a prepared record and makes it the newest of its key. Returns
     * its sequence number, for which the caller waits when it has left the lock.
     */
    long commit(
        final long record, final byte[] key, final int offset, final int length, final int valueLength) {
        final SequenceGate gate = state.gate();
        final long sequence = gate.claim(1);
        try {
            apply(record, sequence, key, offset, length);
            counters.countWrites(1, length, valueLength);
        } catch (final Throwable e) {
            gate.fail(sequence, e);
            throw e;
        }
        gate.complete(sequence, sequence);
        return sequence;
    }

    /** Numbers a record and makes it the newest of its key (release). */
    void apply(final long record, final long sequence, final byte[] key, final int offset, final int length) {
        records.putSequence(record, sequence);
        if (index.put(key, offset, length, record) == PointIndex.NONE) {
            counters.countKey(length);
        }
    }

    // ---- reading, inside a guard ----

    /** The newest record of a key at or below a sequence number, or {@link RecordLayout#NO_RECORD}. */
    long find(final byte[] key, final int offset, final int length, final long visible) {
        return visible(recordOf(index.get(key, offset, length)), visible);
    }

    /** The first record at or below a sequence number along the links, or {@link RecordLayout#NO_RECORD}. */
    long visible(final long newest, final long visible) {
        long record = newest;
        while (record != RecordLayout.NO_RECORD
            && RecordLayout.sequence(records.versionWord(record)) > visible) {
            record = records.previous(record);
        }
        return record;
    }

    /**
     * Tells whether a key is deleted, given its newest visible record: by that record, or by a range
     * tombstone above it.
     */
    boolean isDeleted(final long record, final byte[] key, final long visible) {
        final long word = records.versionWord(record);
        return RecordLayout.kind(word) == EntryKind.TOMBSTONE.code()
            || state.rangeTombstones().newestCovering(key, visible) > RecordLayout.sequence(word);
    }

    /** A copy of a record's value. */
    byte[] value(final long record) {
        final byte[] value = new byte[records.valueLength(record)];
        records.copyValue(record, value, 0);
        return value;
    }

    MemtableStats.ShardStats stats() {
        return new MemtableStats.ShardStats(
            counters.keys(), counters.versions(), index.bytesUsed(), records.bytesUsed(), counters.versions(),
            lock.contendedCount(), lock.contentionNanos());
    }

    /** Gives all memory back. The caller has ended all other use. */
    @Override
    public void close() {
        try {
            index.close();
        } finally {
            records.close();
        }
    }
}
