/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.LookupResult;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.index.ValueRules;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.order.LazyKeySorter;
import io.nestling.memtable.order.RecoveredKeys;
import io.nestling.offheap.Claim;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;
import io.nestling.offheap.SlabAllocator;
import io.nestling.offheap.VersionLinks;

import java.util.Arrays;

/**
 * A part of a memtable's keys: an index from keys to their newest records, and the records, each of which
 * links to the next older one of its key.
 * <p>
 * A single write uses a {@link ShardWriter}: the {@link LockedWriter}, or the {@link SharedWriter} of its writer slot if the
 * index takes many writers. Batches use the methods here. A {@link LazyKeySorter} sorts the keys of an index without order.
 * <h2>Thread safety</h2>
 * Writing methods need the lock, unless they say otherwise. Reading methods may be called by any thread inside a
 * guard of the epochs.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Sequence numbers descend along the links of a key's records.</li>
 * <li>Keys are never removed from the index. A record is removed from the store when nobody can read it and no index leads to
 * it ({@link RecordRecycler}).</li>
 * <li>Unless the memtable is marked full, a write of the size of the largest one so far fits.</li>
 * </ol>
 * <p> Longer than 450 lines: writers, batches and readers share one structure, which is replaced under them.
 */
final class MemtableShard implements AutoCloseable {
    private static final int VALUE = EntryKind.VALUE.code();
    /** Row of the counters, and writer slot, of a thread that is the only writer. */
    static final int SINGLE_WRITER_ROW = 0;

    private final MemtableState state;
    private final int number;
    private final SlabSizes sizes;
    private final RecordStore records;
    private final VersionLinks links;
    /* Null where records stay until the memtable is closed. */
    private final RecordRecycler recycler;
    /* Replaced once, by the only writer, when the first one is full; the first one stays for those that read it. */
    private volatile ShardStructure structure;
    private final ShardStructure first;
    private final ShardSpace space;
    private final LockedWriter lockedWriter;
    /* By writer slot; each is created by the first thread that holds the slot. Null unless many write. */
    private SharedWriter[] writers;
    private final ShardLock lock = new ShardLock(1);
    private ShardCounters counters = new ShardCounters(1);
    private RecoveredKeys recovered;
    /** True if the key of the last write of a writer that took its turn was in the index already. Under the lock. */
    boolean lastWasPresent;
    /** The error that ended the recycling of records; null if none did. Set by a store, without a call that could fail. */
    volatile Throwable recyclingError;

    /** Creates an empty shard, which takes no memory off the heap. */
    MemtableShard(final MemtableState state, final int number) {
        this.state = state;
        this.number = number;
        this.sizes = SlabSizes.of(state.options(), state.budget());
        this.records =
            new RecordStore(state.slabs(), state.budget(), sizes.recordBytes(), SlabAllocator.SMALL_BYTES);
        this.links = new VersionLinks(records, state.options().index().concurrentWriters(), state.secret());
        this.recycler = state.recyclesRecords() ? new RecordRecycler(state, records) : null;
        this.first = ShardStructure.small(state, records);
        this.structure = first;
        this.space = new ShardSpace(state, this);
        this.lockedWriter = new LockedWriter(state, this);
    }

    /** Returns the number of this shard in its memtable, from 0. */
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

    ShardSpace space() {
        return space;
    }

    PointIndex index() {
        return structure.index();
    }

    /**
     * Returns a cursor over the keys and the pointers of their newest records. It shows all keys that are visible at a
     * sequence number, and maybe others. Called inside a guard. If the index has no order, this sorts the new keys.
     */
    EntryCursor cursor(final long visible) {
        final ShardStructure present = structure;
        if (present.sorter() != null) {
            return present.sorter().cursor(visible);
        }
        // The first index, those for many writers and those that store keys are read beside a stalled writer without waiting.
        final boolean mayWait = !present.isSmall() && !present.takesManyWriters() && present.recordsHoldKeys();
        return mayWait && state.failure().cause != null ? recovered().cursor() : ((OrderedIndex) present.index()).cursor();
    }

    private synchronized RecoveredKeys recovered() {
        if (recovered == null) {
            final Claim claim = lock.lock(); // writes under way end first, and no others follow
            try {
                recovered = new RecoveredKeys(records, state.slabs());
            } finally {
                claim.held = Claim.FREE;
            }
        }
        return recovered;
    }

    /** Returns whether the shard is in its first, small structure. */
    boolean isSmall() {
        return structure.isSmall();
    }

    /** Returns what sorts the keys of an index without order; null for an ordered index. */
    LazyKeySorter sorter() {
        return structure.sorter();
    }

    // ---- writing ----

    /**
     * Begins a single write; throws if there is no memory for it, or if the memtable takes no writes. The caller ends it by
     * freeing, by stores, the writer's guard (if any) and then its slot.
     */
    ShardWriter begin(final int keyLength, final int valueLength) {
        final int writerSlot = lock.enter();
        try {
            if (isSmall()) {
                state.checkWritable();
                final long recordBytes = largestRecordBytes(keyLength, valueLength);
                makeRoom(1, recordBytes, recordBytes, valueLength);
            }
            final ShardWriter writer = structure.takesManyWriters() ? writerAt(writerSlot) : lockedWriter;
            if (writer.guard != null) {
                writer.guard = null; // an earlier write has left it, and it is free by now
            }
            return writer;
        } catch (final Throwable e) {
            lock.slots[writerSlot].held = Claim.FREE; // no call: the stack may be at its end
            throw e;
        }
    }

    /** Returns the greatest size of a record with a key and a value, with all links. */
    static long largestRecordBytes(final int keyLength, final int valueLength) {
        return RecordLayout.recordBytes(
            RecordLayout.HAS_KEY | RecordLayout.HAS_PREVIOUS | RecordLayout.HAS_SKIP | RecordLayout.HAS_EXPIRY, keyLength,
            valueLength);
    }

    /**
     * Replaces the small structure if it has no room for some records and for spare ones. If there is no memory for that, marks
     * the memtable full, and throws if not even the records fit. The caller is the only writer, of {@code keys} records that take
     * {@code recordBytes} together, the largest one {@code largest}, and their values {@code valueBytes}.
     */
    void makeRoom(final int keys, final long recordBytes, final long largest, final long valueBytes) {
        // memtable-concurrency.md, claims 45, 46 and 47
        final ShardStructure present = structure;
        if (!present.isSmall()) {
            return;
        }
        state.chargeFirst();
        if (present.fits(records, keys + ShardSpace.SPARE_ENTRIES, recordBytes + Math.max(largest, space.largestRecord()))) {
            return;
        }
        final Claim[] slots = Claim.array(ShardLock.WRITER_SLOTS); // before anything changes: the heap may be exhausted
        final SharedWriter[] manyWriters = new SharedWriter[ShardLock.WRITER_SLOTS];
        final ShardCounters manyCounters = new ShardCounters(ShardLock.WRITER_SLOTS);
        final ShardStructure grown;
        try {
            ShardStructure.checkRoom(state.budget(), records, keys, valueBytes);
            grown = present.grown(state, records, sizes);
        } catch (final SpaceExhaustedException e) {
            state.markFull();
            if (present.fits(records, keys, recordBytes)) {
                return;
            }
            throw e;
        } catch (final Throwable e) {
            state.hasLost = true;
            throw e;
        }
        if (grown.takesManyWriters()) {
            manyCounters.add(counters);
            counters = manyCounters;
            writers = manyWriters;
        }
        structure = grown;
        if (grown.takesManyWriters()) {
            lock.admitMany(slots);
            space.reserveAhead(largest);
        }
    }

    private SharedWriter writerAt(final int writerSlot) {
        if (writers[writerSlot] == null) {
            writers[writerSlot] = new SharedWriter(state, this, writerSlot); // this thread holds the slot
        }
        return writers[writerSlot];
    }

    /** Returns the pointer of a key's newest record, or {@link RecordLayout#NO_RECORD}. */
    long newest(final byte[] key, final int offset, final int length) {
        return recordOf(index().get(key, offset, length));
    }

    static long recordOf(final long payload) {
        return payload == PointIndex.NONE ? RecordLayout.NO_RECORD : payload;
    }

    /**
     * Returns whether the next key is expected to be new: the last one was. Then its record is appended without links, which
     * move the value if the key is there nevertheless; and an index without order needs to know before.
     */
    boolean expectsNew(final int valueLength) {
        return !lastWasPresent && valueLength <= ShardWriter.MAX_MOVED_BYTES && sorter() == null;
    }

    /** Notes whether the key of the last write was in the index already. */
    void noteLast(final boolean wasPresent) {
        if (lastWasPresent != wasPresent) { // without a store if nothing changes: other processors keep the line
            lastWasPresent = wasPresent;
        }
    }

    /** Returns the version word of a new version, without sequence number; {@code links} is 0 or {@link #linkFlags}. */
    long versionWord(final EntryKind kind, final int links) {
        return RecordLayout.versionWord(RecordLayout.UNNUMBERED, kind.code(), false, structure.recordsHoldKeys()) | links;
    }

    /** Returns the flags for the links of a new version; the number is one that differs between the versions of the key. */
    int linkFlags(final long number) {
        return recycler == null ? links.flags(number) : RecordLayout.HAS_PREVIOUS; // a skip word would lead to recycled ones
    }

    /** Recycles replaced records of a key, given its newest record. The caller has completed the write of that. */
    void recycle(final long newest) {
        if (recycler != null && recyclingError == null) {
            recycler.recycle(newest, isSmall());
        }
    }

    /** Recycles replaced records of the keys of a batch that is complete. */
    void recycle(final BatchPlan plan) {
        for (int at = plan.start(number); at < plan.start(number + 1); at++) {
            if (plan.newer()[at] == RecordLayout.NO_RECORD) { // else a newer one may be waiting to recycle it
                recycle(plan.records()[at]); // in the order of the batch: of a key's records the newest comes last
            }
        }
    }

    /** Returns the size of a record to be appended, in bytes. */
    long recordBytes(final long versionWord, final int keyLength, final int valueLength) {
        return RecordLayout.recordBytes(versionWord, structure.recordsHoldKeys() ? keyLength : RecordLayout.NO_KEY, valueLength);
    }

    /** Appends a record without value, for which space is reserved; {@code versionWord} comes from {@link #versionWord}. */
    long append(
        final long versionWord, final long previous, final byte[] key, final int offset, final int length,
        final int valueLength) {
        final long linkWord = previous == RecordLayout.NO_RECORD ? previous : links.linkWord(versionWord, previous);
        final long record = records.appendAlone(
            versionWord, linkWord, key, offset, structure.recordsHoldKeys() ? length : RecordLayout.NO_KEY, valueLength);
        if ((versionWord & RecordLayout.HAS_SKIP) != 0) {
            links.putSkipWord(record);
        }
        final LazyKeySorter sorter = sorter();
        if (sorter != null && previous == RecordLayout.NO_RECORD) {
            final Claim guard = state.enter();
            try {
                sorter.add(record, SINGLE_WRITER_ROW);
            } finally {
                guard.held = Claim.FREE;
            }
        }
        return record;
    }

    /**
     * Makes a record the newest of its key (release). Readers pass it over until it has a number that is visible; if the index
     * refuses it, it never gets one. Returns whether the key is new.
     */
    boolean publish(final long record, final byte[] key, final int offset, final int length) {
        final ShardStructure present = structure;
        final boolean isNew = present.index().put(key, offset, length, record) == PointIndex.NONE;
        if (isNew) {
            counters.countKey(SINGLE_WRITER_ROW);
        } else if (present.sorter() != null) {
            final long previous = records.previous(record);
            if (previous != RecordLayout.NO_RECORD) {
                records.supersede(previous);
            }
        }
        return isNew;
    }

    /**
     * Publishes a record as {@link #publish} does, unless the key has one already; returns that one, or {@link
     * RecordLayout#NO_RECORD} if the key is new. Only without a sorter.
     */
    long publishIfNew(final long record, final byte[] key, final int offset, final int length) {
        final long newest = recordOf(index().putIfAbsent(key, offset, length, record));
        if (newest == RecordLayout.NO_RECORD) {
            counters.countKey(SINGLE_WRITER_ROW);
        }
        return newest;
    }

    /**
     * Returns the oldest record of a key with a number above another one, or {@link RecordLayout#NO_RECORD}. Steps along all of
     * them, of which none is visible.
     */
    long oldestAbove(final long newest, final long sequence) {
        long above = RecordLayout.NO_RECORD;
        for (long record = newest; record != RecordLayout.NO_RECORD && sequence(record) > sequence;
            record = records.previous(record)) {
            above = record;
        }
        return above;
    }

    /** Numbers a record and links it in behind a newer one of its key, {@link #oldestAbove} its number. */
    void insert(final long record, final long newer, final long sequence) {
        // memtable-concurrency.md, claim 61
        if (sorter() != null) {
            records.supersede(newer);
        }
        records.putSequence(record, sequence); // before the link: RecoveredKeys takes what no numbered record links to
        links.insert(newer, record);
    }

    /**
     * Links the record that was appended last, without links, to an older one; returns it, since it may move. If there is no
     * room for the links, the record and all that is reserved are released.
     */
    long link(final long record, final long previous) {
        final long linked;
        try {
            linked = records.addLinksAlone(record, linkFlags(previous));
        } catch (final SpaceExhaustedException e) {
            space.release();
            throw e;
        }
        links.link(linked, previous);
        return linked;
    }

    // ---- reading, inside a guard ----

    /** Returns the newest record of a key at or below a sequence number, or {@link RecordLayout#NO_RECORD}. */
    long find(final byte[] key, final int offset, final int length, final long visible) {
        return newestVisible(recordOf(index().get(key, offset, length)), visible);
    }

    /** Returns the first record at or below a sequence number along the links, or {@link RecordLayout#NO_RECORD}. */
    long newestVisible(final long newest, final long visible) {
        // memtable-concurrency.md, claims 2 and 16
        long record = newest;
        while (record != RecordLayout.NO_RECORD && isAbove(records.versionWordAcquire(record), visible)) {
            record = links.older(record, visible);
        }
        return record;
    }

    /** Returns whether a record has a greater number, or none yet: then it will get a greater one. */
    private static boolean isAbove(final long versionWord, final long visible) {
        return Long.compareUnsigned(RecordLayout.sequence(versionWord) - 1, visible) >= 0;
    }

    /** Returns whether a record has an operand, or a value that has not expired. */
    static boolean isAlive(final RecordStore records, final long record, final long word, final long now) {
        final int kind = RecordLayout.kind(word);
        return kind == VALUE || switch (EntryKind.of(kind)) { // most are values
            case VALUE -> true;
            case TOMBSTONE -> false;
            case OPERAND -> true;
            case EXPIRING -> records.expiry(record) > now;
            case RANGE_TOMBSTONE -> throw new IllegalStateException("a range tombstone is not an entry");
        };
    }

    /**
     * Returns whether the newest visible record of a key has its value: there is one, it is no tombstone and has not expired, and
     * no newer range tombstone deletes it.
     */
    boolean isValue(final long record, final byte[] key, final int length, final long visible, final long now) {
        if (record == RecordLayout.NO_RECORD) {
            return false;
        }
        final long word = records.versionWord(record);
        return isAlive(records, record, word, now)
            && !state.rangeTombstones().isCovered(key, length, visible, RecordLayout.sequence(word));
    }

    /** Returns the number of the tombstone or range tombstone that deletes a key without a value; 0 if nothing does. */
    long deletion(final long record, final byte[] key, final int length, final long visible) {
        final long covering = covering(key, length, visible);
        return record == RecordLayout.NO_RECORD ? covering : Math.max(covering, sequence(record));
    }

    /** Returns what is known of a key, given its newest visible record. */
    LookupResult lookup(final long record, final byte[] key, final int length, final long visible, final long now) {
        if (isValue(record, key, length, visible, now)) {
            if (OperandReader.isOperand(records, record)) {
                return OperandReader.read(this, record, covering(key, length, visible), now)
                    .result(Arrays.copyOf(key, length), sequence(record), rules());
            }
            return LookupResult.value(sequence(record), value(record));
        }
        final long deletion = deletion(record, key, length, visible);
        return deletion > 0 ? LookupResult.tombstone(deletion) : LookupResult.ABSENT;
    }

    /** Returns the value of a key, given its newest visible record; null unless {@link #isValue}. */
    byte[] value(final long record, final byte[] key, final int length, final long visible, final long now) {
        return !isValue(record, key, length, visible, now) ? null
            : !OperandReader.isOperand(records.versionWord(record)) ? value(record)
            : OperandReader.combine(this, record, key, length, covering(key, length, visible), now);
    }

    ValueRules rules() {
        return state.options().rules();
    }

    private long covering(final byte[] key, final int length, final long visible) {
        return state.rangeTombstones().newestCovering(key, length, visible);
    }

    long sequence(final long record) {
        return RecordLayout.sequence(records.versionWord(record));
    }

    /** Returns a copy of a record's value. */
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

    /** Returns the number of records that were recycled. */
    long recycledVersions() {
        return recycler == null ? 0 : recycler.recycled();
    }

    private long indexBytesUsed() {
        return structure.index().bytesUsed() + orderBytesUsed();
    }

    /** Returns the bytes that the order of keys takes beside an index that has none. */
    long orderBytesUsed() {
        final LazyKeySorter sorter = structure.sorter();
        return sorter == null ? 0 : sorter.bytesUsed();
    }

    private long recordBytesUsed() {
        long bytes = records.bytesUsed();
        final SharedWriter[] present = writers;
        for (int i = 0; present != null && i < present.length; i++) {
            final SharedWriter writer = present[i];
            bytes -= writer == null ? 0 : writer.bytesUnused();
        }
        return bytes;
    }

    /** Releases all memory. The caller has ended all other use. May be called again, also after it has thrown. */
    @Override
    public void close() {
        try {
            structure.close();
        } finally {
            try {
                first.close();
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
