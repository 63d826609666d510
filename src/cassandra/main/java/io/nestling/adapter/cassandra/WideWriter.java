/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.index.PointIndex;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.marshal.ByteArrayAccessor;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Row;

import java.util.Arrays;
import java.util.Iterator;

/**
 * Writes wide partitions. A write links new records with the next version to the rows that it changes, and publishes that
 * version in its last step; until then readers skip the new records. If it fails, it restores the rows.
 * <h2>Thread safety</h2> One write, under the lock of the shard.
 */
final class WideWriter {
    private static final int INITIAL_CHANGES = 8;
    private static final int CHANGE_WORDS = 3;

    private final NestlingMemtable memtable;
    private final ShardMemory memory;
    private final RecordArena arena;
    private final Scratch scratch;
    private final ClusteringComparator comparator;
    private final RowEncoder encoder;
    /* The entry of each changed row, its previous record or NONE, and its new record. */
    private long[] changes = new long[INITIAL_CHANGES * CHANGE_WORDS];
    private int changeWords;
    /* Null if the write adds no ranges to a tree. */
    private RangeTree ranges;

    WideWriter(final NestlingMemtable memtable, final ShardMemory memory, final Scratch scratch) {
        this.memtable = memtable;
        this.memory = memory;
        this.arena = memory.arena;
        this.scratch = scratch;
        this.comparator = memtable.metadata().comparator;
        this.encoder = new RowEncoder(memtable.columnNumbers());
    }

    /**
     * Turns a whole partition into a wide one.
     *
     * @return its record, which the caller publishes; {@link RecordArena#NONE}, without a change, if clusterings of the
     *     table cannot be keys of an index
     */
    long split(final ByteBlob blob) {
        final int end = blob.position;
        final int clusteringSize = comparator.size();
        final RowDecoder decoder = new RowDecoder(memtable.columnNumbers(), clusteringSize);
        blob.position = 0;
        final PartitionHead head = PartitionHead.read(blob, decoder, comparator);
        if (!canEncodeNext(blob, end)) {
            blob.position = end;
            return RecordArena.NONE;
        }
        final int number = memory.nextWideNumber();
        final SafeIndex rows = memory.openRows();
        while (blob.position < end) {
            final int length = blob.getVarint();
            final int start = blob.position;
            RowKeys.encode(number, RowDecoder.clustering(blob, clusteringSize), comparator, scratch.rowKey);
            addRow(rows, 1, blob.bytes, start, length);
            blob.position = start + length;
        }
        return newRecord(number, 1, head);
    }

    /**
     * Returns whether the next clustering or, without a row, one of empty values can be encoded: types of an application need
     * not have a byte-comparable form.
     */
    private boolean canEncodeNext(final ByteBlob blob, final int end) {
        final int position = blob.position;
        try {
            byte[][] values = new byte[comparator.size()][0];
            if (position < end) {
                blob.getVarint();
                values = RowDecoder.values(blob, values.length);
            }
            RowKeys.encode(0, ByteArrayAccessor.instance.factory().clustering(values), comparator, scratch.rowKey);
            return true;
        } catch (final RuntimeException e) {
            if (position < end) {
                if (!(e instanceof UnsupportedOperationException)) {
                    throw e;
                }
                memtable.cannotSplitRows();
            }
            return false; // without a row: some types have no empty values
        } finally {
            blob.position = position;
        }
    }

    private long newRecord(final int number, final long version, final PartitionHead whole) {
        PartitionHead head = whole;
        if (whole.deletion().hasRanges()) {
            ranges = new RangeTree(arena, comparator);
            head = whole.withTree(ranges);
        }
        final ByteBlob out = scratch.out;
        out.position = 0;
        PartitionBlob.putHead(
            head.deletion(), head.rangeTree(), head.staticRow(), encoder, out);
        final int headBytes = out.position;
        final long record = arena.allocate(Records.WIDE_BLOB_OFFSET + headBytes);
        arena.putInt(record, 0, ~headBytes);
        arena.putInt(record, Records.NUMBER_OFFSET, number);
        arena.putLong(record, Records.VERSION_OFFSET, version);
        arena.putLong(record, Records.CREATED_VERSION_OFFSET, version);
        arena.putBytes(record, Records.WIDE_BLOB_OFFSET, out.bytes, 0, headBytes);
        return record;
    }

    /** Adds the row whose key is in the scratch, and returns its entry. */
    private long addRow(final SafeIndex rows, final long version, final byte[] row, final int offset, final int length) {
        final KeyScratch key = scratch.rowKey;
        final long entry = Records.newEntry(arena, rows.storesKeys(), key, Records.ROW_OFFSET + length);
        final long record = arena.getLong(entry, 0);
        Records.putRowHeader(arena, record, version, RecordArena.NONE, length);
        arena.putBytes(record, Records.ROW_OFFSET, row, offset, length);
        rows.add(key.bytes, key.length, entry);
        return entry;
    }

    /**
     * Merges an update of one row into a large row without the lock; see {@link RecordShard}. The caller holds a guard until the
     * write has ended.
     */
    void prepare(final long partitionRecord, final PartitionUpdate update, final UpdateMerge merge) {
        if (update.rowCount() != 1 || !update.deletionInfo().isLive() || !update.staticRow().isEmpty()) {
            return;
        }
        final Row row = update.iterator().next();
        if (!row.hasComplex()) {
            return; // as large as before, or smaller: most of it is the update
        }
        final SafeIndex rows = memory.openedRows();
        final KeyScratch key = scratch.rowKey;
        RowKeys.encode(arena.getInt(partitionRecord, Records.NUMBER_OFFSET), row.clustering(), comparator, key);
        final long entry = rows.get(key.bytes, key.length);
        final long record = entry == PointIndex.NONE ? RecordArena.NONE : arena.getLongAcquire(entry);
        if (record != RecordArena.NONE && arena.getInt(record, 0) >= Records.LARGE_BYTES) {
            mergeRow(record, row, merge);
            merge.prepared(record, 1);
        }
    }

    /** Writes the merge of a row with one in a record to the scratch's output. */
    private void mergeRow(final long record, final Row update, final UpdateMerge merge) {
        Records.readRow(arena, record, scratch.in);
        final Row existing = new RowDecoder(memtable.columnNumbers(), comparator.size()).row(scratch.in);
        scratch.out.position = 0;
        encoder.put(merge.merge(existing, update), scratch.out);
    }

    /** Merges an update into a wide partition. */
    void merge(final long partitionEntry, final PartitionUpdate update, final UpdateMerge merge) {
        final long record = arena.getLong(partitionEntry, 0);
        final int number = arena.getInt(record, Records.NUMBER_OFFSET);
        final long version = arena.getLong(record, Records.VERSION_OFFSET) + 1;
        long newRecord = record;
        try {
            if (!update.deletionInfo().isLive() || !update.staticRow().isEmpty()) {
                newRecord = mergeHead(record, version, update, merge);
            }
            final SafeIndex rows = memory.openRows();
            for (final Iterator<Row> iterator = update.iterator(); iterator.hasNext();) {
                mergeRow(rows, number, version, iterator.next(), merge);
            }
        } catch (final Throwable e) {
            undo();
            if (newRecord != record) {
                arena.free(newRecord, wideBytes(newRecord));
            }
            throw e;
        }
        if (newRecord == record) {
            arena.putLongRelease(record + Records.VERSION_POINTER_OFFSET, version);
        } else {
            arena.putLongRelease(partitionEntry, newRecord);
            arena.retire(record, wideBytes(record));
            if (ranges != null) {
                ranges.retireReplaced();
            }
        }
        retireReplaced();
    }

    private int wideBytes(final long record) {
        return Records.WIDE_BLOB_OFFSET + ~arena.getInt(record, 0);
    }

    private long mergeHead(
        final long record, final long version, final PartitionUpdate update, final UpdateMerge merge) {
        final PartitionHead head = PartitionHead.ofWide(memtable, memory, record, scratch.in);
        final PartitionHead newHead = head.with(merge, update.deletionInfo(), update.staticRow());
        return newHead == head ? record : newRecord(arena.getInt(record, Records.NUMBER_OFFSET), version, newHead);
    }

    private void mergeRow(
        final SafeIndex rows, final int number, final long version, final Row update, final UpdateMerge merge) {
        reserveChange(); // first: after the row has changed, recording the change must not fail
        final KeyScratch key = scratch.rowKey;
        final ByteBlob out = scratch.out;
        final Clustering<?> clustering = update.clustering();
        RowKeys.encode(number, clustering, comparator, key);
        final long entry = rows.get(key.bytes, key.length);
        final long before = entry == PointIndex.NONE ? RecordArena.NONE : arena.getLong(entry, 0);
        if (before == RecordArena.NONE) {
            out.position = 0;
            encoder.put(merge.insert(update), out);
        } else if (!merge.isPreparedFor(before)) {
            mergeRow(before, update, merge);
        }
        if (entry == PointIndex.NONE) {
            final long added = addRow(rows, version, out.bytes, 0, out.position);
            recordChange(added, RecordArena.NONE, arena.getLong(added, 0));
            return;
        }
        final long now = arena.allocate(Records.ROW_OFFSET + out.position);
        Records.putRowHeader(arena, now, version, before, out.position);
        arena.putBytes(now, Records.ROW_OFFSET, out.bytes, 0, out.position);
        recordChange(entry, before, now);
        arena.putLongRelease(entry, now);
    }

    private void reserveChange() {
        if (changeWords == changes.length) {
            changes = Arrays.copyOf(changes, changeWords * 2);
        }
    }

    private void recordChange(final long entry, final long before, final long now) {
        changes[changeWords++] = entry;
        changes[changeWords++] = before;
        changes[changeWords++] = now;
    }

    private void undo() {
        for (int i = 0; i < changeWords; i += CHANGE_WORDS) {
            arena.putLongRelease(changes[i], changes[i + 1]);
            retire(changes[i], changes[i + 2]);
        }
        if (ranges != null) {
            ranges.undo();
        }
    }

    private void retireReplaced() {
        for (int i = 0; i < changeWords; i += CHANGE_WORDS) {
            if (changes[i + 1] != RecordArena.NONE) {
                retire(changes[i], changes[i + 1]);
            }
        }
    }

    /** Retires a row's record, unless it is part of its entry, which stays. */
    private void retire(final long entry, final long record) {
        final boolean storesKeys = memory.openedRows().storesKeys();
        final int offset = Records.firstRecordOffset(storesKeys, storesKeys ? 0 : arena.keyLength(entry));
        if (record != Records.firstRecord(entry, offset)) {
            arena.retire(record, Records.ROW_OFFSET + arena.getInt(record, 0));
        }
    }
}
