/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.ConcurrentIndex;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.IndexContext;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.Claim;
import io.nestling.memory.RecordLayout;
import io.nestling.memory.RecordStore;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memory.VersionLinks;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A part of a memtable's keys: an index from keys to their newest records, and the records, each of which
 * links to the one before of its key.
 * <p>
 * Single writes go by a {@link ShardWriter}, which is that of the lock's holder or, if the index takes many
 * writers, that of the place where the thread has entered; batches use the methods here. Keys of an index
 * without order are put in order by a {@link KeyOrder}.
 * <h2>Thread safety</h2>
 * Writing methods need the lock, unless they say otherwise. Reading methods may be called by any thread inside a
 * guard of the epochs.
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
    /** Row of the counters of whoever is the only writer. */
    static final int ALONE = 0;
    /** Entries for which the index keeps space beside many writers. */
    private static final int ENTRIES_AHEAD = 64 * ShardLock.HOME_PLACES;

    private final MemtableState state;
    private final int number;
    private final RecordStore records;
    private final VersionLinks links;
    private final PointIndex index;
    private final KeyOrder order;
    private final boolean recordsHoldKeys;
    private final LockedWriter alone;
    /* Each made by the first thread at its place. */
    private final SharedWriter[] writers;
    private final ShardLock lock;
    private final ShardCounters counters;
    private final AtomicLong largestAhead = new AtomicLong();
    private final Claim reserving = new Claim();
    private RecoveredKeys recovered;
    private int longestKey = INITIAL_KEY_BYTES;
    private long largestRecord = INITIAL_RECORD_BYTES;

    MemtableShard(final MemtableState state, final int number) {
        this.state = state;
        this.number = number;
        final MemtableOptions options = state.options();
        final SlabSizes sizes = SlabSizes.of(options, state.budget());
        this.recordsHoldKeys = !options.index().storesKeys() || !options.index().ordered();
        this.records = new RecordStore(state.slabs(), state.budget(), sizes.recordBytes());
        try {
            this.index = options.index().create(new IndexContext(
                state.slabs(), state.budget(), state.epochs(), records, sizes.indexBytes(), state.failure()));
        } catch (final RuntimeException | Error e) {
            records.close();
            throw e;
        }
        final boolean concurrent = options.index().concurrentWriters() && index instanceof ConcurrentIndex;
        final int places = concurrent ? ShardLock.PLACES : 1;
        this.links = new VersionLinks(records, concurrent);
        this.lock = new ShardLock(places);
        this.counters = new ShardCounters(places);
        this.alone = concurrent ? null : new LockedWriter(state, this);
        this.writers = concurrent ? new SharedWriter[places] : null;
        try {
            this.order = index instanceof OrderedIndex ? null : new KeyOrder(state, records, index, sizes.orderBytes());
        } catch (final RuntimeException | Error e) {
            index.close();
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

    VersionLinks links() {
        return links;
    }

    PointIndex index() {
        return index;
    }

    /**
     * A cursor over the keys and the pointers of their newest records. It shows all keys that are visible at a
     * sequence number, and maybe others. Called inside a guard; without order in the index, it is made here.
     */
    EntryCursor cursor(final long visible) {
        if (order != null) {
            return order.cursor(visible);
        }
        // Indexes for many writers and those that store keys are read beside a writer that stands still, without waiting for it.
        return state.failure().cause == null || alone == null || !recordsHoldKeys
            ? ((OrderedIndex) index).cursor() : recovered().cursor();
    }

    private synchronized RecoveredKeys recovered() {
        if (recovered == null) {
            final Claim claim = lock.lock(); // writes that are under way end first, and no others follow
            try {
                recovered = new RecoveredKeys(records, state.slabs());
            } finally {
                claim.held = Claim.FREE;
            }
        }
        return recovered;
    }

    /** What keeps the order of the keys if the index does not; else null. */
    KeyOrder order() {
        return order;
    }

    // ---- writing ----

    /** Begins a single write, which ends when the writer's guard, if it has one, and then its slot are freed by stores. */
    ShardWriter begin() {
        final int place = lock.enter();
        try {
            final ShardWriter writer = alone != null ? alone : writerAt(place);
            writer.guard = null; // what one left that was here before is freed by now
            return writer;
        } catch (final Throwable e) {
            lock.slots[place].held = Claim.FREE;
            throw e;
        }
    }

    private SharedWriter writerAt(final int place) {
        if (writers[place] == null) {
            writers[place] = new SharedWriter(state, this, place); // the place belongs to this thread
        }
        return writers[place];
    }

    /** Pointer of a key's newest record, or {@link RecordLayout#NO_RECORD}. */
    long newest(final byte[] key, final int offset, final int length) {
        return recordOf(index.get(key, offset, length));
    }

    static long recordOf(final long payload) {
        return payload == PointIndex.NONE ? RecordLayout.NO_RECORD : payload;
    }

    /** The version word of a new version, without number; {@code links} are 0 or {@link VersionLinks#flags}. */
    long versionWord(final EntryKind kind, final int links) {
        return RecordLayout.versionWord(UNNUMBERED, kind.code(), false, recordsHoldKeys) | links;
    }

    /** Bytes of a record that is to be appended. */
    long recordBytes(final long versionWord, final int keyLength, final int valueLength) {
        return RecordLayout.recordBytes(versionWord, recordsHoldKeys ? keyLength : RecordLayout.NO_KEY, valueLength);
    }

    /** Remembers the largest key and record, for which space is kept. */
    void noteSizes(final int keyLength, final long recordBytes) {
        longestKey = Math.max(longestKey, keyLength);
        largestRecord = Math.max(largestRecord, recordBytes);
    }

    /** Reserves space for a record, and another one as large as the largest. */
    void ensureRecord(final long bytes) {
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

    /**
     * Keeps room for the writes to come of many writers, beside which it may be called, or notes that there is
     * none.
     */
    void reserveAhead(final long recordBytes) {
        if (largestAhead.get() < recordBytes) {
            largestAhead.accumulateAndGet(recordBytes, Math::max);
        }
        if (!state.isNotedFull() && reserving.tryHold(Claim.HELD)) {
            try {
                records.ensure(largestAhead.get(), 0);
                index.reserve(ENTRIES_AHEAD, (long) ENTRIES_AHEAD * INITIAL_KEY_BYTES);
            } catch (final SpaceExhaustedException e) {
                state.noteFull();
            } finally {
                reserving.held = Claim.FREE;
            }
        }
    }

    /** Reserves what putting new keys in order will take, if the index does not keep it. */
    void ensureOrder(final int newKeys) {
        if (order != null && newKeys > 0) {
            order.ensure(newKeys);
        }
    }

    /** Gives back what a write that was refused has reserved. */
    void endReservation() {
        index.reserve(0, 0);
        records.trim();
        if (order != null) {
            order.trim();
        }
    }

    /** Appends a record without value, for which space is reserved; {@code versionWord} as {@link #versionWord} makes it. */
    long append(
        final long versionWord, final long previous, final byte[] key, final int offset, final int length,
        final int valueLength) {
        final long linkWord = previous == RecordLayout.NO_RECORD ? previous : links.linkWord(versionWord, previous);
        final long record = records.append(
            versionWord, linkWord, key, offset, recordsHoldKeys ? length : RecordLayout.NO_KEY, valueLength);
        if ((versionWord & RecordLayout.HAS_SKIP) != 0) {
            links.putSkipWord(record);
        }
        if (order != null && previous == RecordLayout.NO_RECORD) {
            final Claim token = state.enter();
            try {
                order.add(record, ALONE);
            } finally {
                token.held = Claim.FREE;
            }
        }
        return record;
    }

    /**
     * Makes a record the newest of its key (release) and numbers it. If the index has no room, the record keeps the number 0,
     * which no reader sees.
     */
    void apply(final long record, final long sequence, final byte[] key, final int offset, final int length) {
        final boolean isNew = index.put(key, offset, length, record) == PointIndex.NONE;
        records.putSequence(record, sequence); // until its number is visible, readers pass the record over
        if (isNew) {
            counters.countKey(ALONE);
        } else if (order != null) {
            final long previous = records.previous(record);
            if (previous != RecordLayout.NO_RECORD) {
                order.supersede(previous);
            }
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
        while (record != RecordLayout.NO_RECORD && isAbove(records.versionWordAcquire(record), visible)) {
            record = links.older(record, visible);
        }
        return record;
    }

    /** Whether a record has a greater number, or none yet, in which case it will get a greater one. */
    private static boolean isAbove(final long versionWord, final long visible) {
        return Long.compareUnsigned(RecordLayout.sequence(versionWord) - 1, visible) >= 0;
    }

    /**
     * Tells whether a key is deleted, given its newest visible record: by that record, or by a range
     * tombstone above it.
     */
    boolean isDeleted(final long record, final byte[] key, final long visible) {
        final long word = records.versionWord(record);
        return RecordLayout.kind(word) == EntryKind.TOMBSTONE.code()
            || state.rangeTombstones().isCovered(key, visible, RecordLayout.sequence(word));
    }

    /** A copy of a record's value. */
    byte[] value(final long record) {
        final byte[] value = new byte[records.valueLength(record)];
        records.copyValue(record, value, 0);
        return value;
    }

    MemtableStats.ShardStats stats() {
        return new MemtableStats.ShardStats(
            counters.keys(), counters.versions(), indexBytesUsed(), recordBytesUsed(), counters.versions(),
            lock.contendedCount(), lock.contentionNanos());
    }

    private long indexBytesUsed() {
        return index.bytesUsed() + (order == null ? 0 : order.bytesUsed());
    }

    private long recordBytesUsed() {
        long bytes = records.bytesUsed();
        for (int place = 0; writers != null && place < writers.length; place++) {
            final SharedWriter writer = writers[place];
            bytes -= writer == null ? 0 : writer.bytesUnused();
        }
        return bytes;
    }

    /** Gives all memory back. The caller has ended all other use. It may be called again, also after it has thrown. */
    @Override
    public void close() {
        try {
            index.close();
        } finally {
            try {
                if (order != null) {
                    order.close();
                }
            } finally {
                try {
                    records.close();
                } finally {
                    closeRecovered();
                }
            }
        }
    }

    private synchronized void closeRecovered() {
        if (recovered != null) {
            recovered.close();
            recovered = null;
        }
    }
}
