/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.index.PointIndex;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.RegularAndStaticColumns;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.partitions.Partition;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.EncodingStats;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Rows;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.schema.TableMetadata;

import java.util.Collections;
import java.util.Iterator;
import java.util.NavigableSet;

/**
 * One state of a wide partition. It reads and decodes rows on demand; they stay valid forever, the partition itself only
 * while its guard is held.
 * <h2>Thread safety</h2> One thread at a time.
 */
final class WidePartition implements Partition {
    private final NestlingMemtable memtable;
    private final ShardMemory memory;
    private final DecoratedKey key;
    private final TableMetadata metadata;
    private final int number;
    private final long version;
    private final PartitionHead head;
    private final EncodingStats stats;
    private final SafeIndex rows;
    private final boolean ownsGuard;
    private final int guard;
    private boolean guardExited;

    private WidePartition(
        final NestlingMemtable memtable, final ShardMemory memory, final long record, final DecoratedKey key,
        final boolean ownsGuard, final int guard) {
        this.memtable = memtable;
        this.memory = memory;
        this.key = key;
        this.ownsGuard = ownsGuard;
        this.guard = guard;
        this.metadata = memtable.metadata();
        // The version is read first: everything read afterwards is at least as new.
        this.version = memory.arena.getLongAcquire(record + Records.VERSION_POINTER_OFFSET);
        this.number = memory.arena.getInt(record, Records.NUMBER_OFFSET);
        this.rows = memory.openedRows();
        final Scratch scratch = Scratch.take();
        try {
            this.head = PartitionHead.ofWide(memtable, memory, record, scratch.in);
        } finally {
            scratch.recycle();
        }
        this.stats = memtable.collectedStats();
    }

    /** Returns a partition whose first closed iterator exits the guard. */
    static WidePartition owningGuard(
        final NestlingMemtable memtable, final ShardMemory memory, final long record, final DecoratedKey key,
        final int guard) {
        return new WidePartition(memtable, memory, record, key, true, guard);
    }

    /** Returns a partition that is read while the caller holds the guard. */
    static WidePartition underGuard(
        final NestlingMemtable memtable, final ShardMemory memory, final long record, final DecoratedKey key) {
        return new WidePartition(memtable, memory, record, key, false, 0);
    }

    /** Exits the guard that this owns, if any; called when an iterator is closed. */
    void exitGuard() {
        if (ownsGuard && !guardExited) {
            guardExited = true;
            memory.epochs.exit(guard);
        }
    }

    RowDecoder newDecoder() {
        return new RowDecoder(memtable.columnNumbers(), metadata.comparator.size());
    }

    RecordArena arena() {
        return memory.arena;
    }

    SafeIndex rowIndex() {
        return rows;
    }

    /** Returns the number with which the keys of the rows begin. */
    int number() {
        return number;
    }

    /** Returns the version that is read; rows of later ones are skipped. */
    long version() {
        return version;
    }

    @Override
    public TableMetadata metadata() {
        return metadata;
    }

    @Override
    public DecoratedKey partitionKey() {
        return key;
    }

    @Override
    public DeletionTime partitionLevelDeletion() {
        return head.deletion().getPartitionDeletion();
    }

    @Override
    public RegularAndStaticColumns columns() {
        return memtable.collectedColumns();
    }

    @Override
    public EncodingStats stats() {
        return stats;
    }

    @Override
    public boolean isEmpty() {
        return head.deletion().isLive() && !head.hasRanges() && head.staticRow().isEmpty() && !hasRows();
    }

    @Override
    public boolean hasRows() {
        try (WideRows all = rows(Slice.ALL, false)) {
            return all.hasNext();
        }
    }

    /** Returns the row with a clustering, as it was written, or null. */
    Row find(final Clustering<?> clustering) {
        final Scratch scratch = Scratch.take();
        try {
            RowKeys.encode(number, clustering, metadata.comparator, scratch.rowKey);
            final long entry = rows.get(scratch.rowKey.bytes, scratch.rowKey.length);
            if (entry == PointIndex.NONE) {
                return null;
            }
            final long record = Records.rowOf(memory.arena, memory.arena.getLongAcquire(entry), version);
            if (record == RecordArena.NONE) {
                return null;
            }
            Records.readRow(memory.arena, record, scratch.in);
            return newDecoder().row(scratch.in);
        } finally {
            scratch.recycle();
        }
    }

    private Iterator<RangeTombstone> ranges(final Slice slice, final boolean reversed) {
        return head.rangeTree() == RecordArena.NONE ? head.deletion().rangeIterator(slice, reversed)
            : new RangeTree(memory.arena, metadata.comparator).iterator(head.rangeTree(), slice, reversed);
    }

    /** Returns the rows of a slice, as they were written. */
    WideRows rows(final Slice slice, final boolean reversed) {
        return new WideRows(this, slice, reversed);
    }

    @Override
    public Row getRow(final Clustering<?> clustering) {
        final ColumnFilter columns = ColumnFilter.selection(columns());
        if (clustering == Clustering.STATIC_CLUSTERING) {
            final Row row = staticRow(columns, true);
            return row.isEmpty() ? null : row;
        }
        final DeletionTime ofPartition = head.deletion().getPartitionDeletion();
        final Iterator<RangeTombstone> range = ranges(Slice.make(clustering), false);
        final DeletionTime ofRange = range.hasNext() ? range.next().deletionTime() : DeletionTime.LIVE;
        final boolean byRange = ofRange.supersedes(ofPartition);
        final DeletionTime deletion = byRange ? ofRange : ofPartition;
        final Row row = find(clustering);
        if (row != null) {
            return row.filter(columns, deletion, true, metadata);
        }
        return byRange ? BTreeRow.emptyDeletedRow(clustering, Row.Deletion.regular(deletion)) : null;
    }

    private Row staticRow(final ColumnFilter columns, final boolean withDeletion) {
        final DeletionTime deletion = head.deletion().getPartitionDeletion();
        if (columns.fetchedColumns().statics.isEmpty() || head.staticRow().isEmpty() && deletion.isLive()) {
            return Rows.EMPTY_STATIC_ROW;
        }
        final Row row = head.staticRow().filter(columns, deletion, withDeletion, metadata);
        return row == null ? Rows.EMPTY_STATIC_ROW : row;
    }

    @Override
    public UnfilteredRowIterator unfilteredIterator() {
        final ColumnFilter columns = ColumnFilter.selection(columns());
        // No row has other columns, so that rows pass a filter for all as they are; but where columns were dropped, it would
        // also leave out those that are no longer in the table.
        final ColumnFilter ofRows = metadata.droppedColumns.isEmpty() ? ColumnFilter.all(metadata) : columns;
        return unfilteredIterator(columns, ofRows, Slices.ALL, false);
    }

    @Override
    public UnfilteredRowIterator unfilteredIterator(
        final ColumnFilter columns, final Slices slices, final boolean reversed) {
        return unfilteredIterator(columns, columns, slices, reversed);
    }

    private UnfilteredRowIterator unfilteredIterator(
        final ColumnFilter columns, final ColumnFilter ofRows, final Slices slices, final boolean reversed) {
        final WideSegments.Source source = i -> {
            if (i >= slices.size()) {
                return null;
            }
            final Slice slice = slices.get(reversed ? slices.size() - 1 - i : i);
            final Iterator<Row> rowsOfSlice = isOneRow(slice) ? row(clustering(slice.start())) : rows(slice, reversed);
            return segment(ofRows, reversed, rowsOfSlice, ranges(slice, reversed));
        };
        return segments(columns, reversed, source);
    }

    /** Returns an iterator that exits the guard when it is closed; if it cannot be created, exits the guard. */
    private WideSegments segments(final ColumnFilter columns, final boolean reversed, final WideSegments.Source source) {
        try {
            return new WideSegments(this, columns, staticRow(columns, false), reversed, source);
        } catch (final Throwable e) {
            exitGuard();
            throw e;
        }
    }

    @Override
    public UnfilteredRowIterator unfilteredIterator(
        final ColumnFilter columns, final NavigableSet<Clustering<?>> clusteringsInQueryOrder, final boolean reversed) {
        final Iterator<Clustering<?>> clusterings = clusteringsInQueryOrder.iterator();
        final WideSegments.Source source = i -> {
            if (!clusterings.hasNext()) {
                return null;
            }
            final Clustering<?> clustering = clusterings.next();
            return segment(columns, reversed, row(clustering), ranges(Slice.make(clustering), reversed));
        };
        return segments(columns, reversed, source);
    }

    /** Returns whether a slice is one row: reads of named rows come as slices. */
    private boolean isOneRow(final Slice slice) {
        final ClusteringBound<?> start = slice.start();
        final ClusteringBound<?> end = slice.end();
        final int size = metadata.comparator.size();
        if (start.size() != size || end.size() != size || !start.isInclusive() || !end.isInclusive()) {
            return false;
        }
        for (int i = size - 1; i >= 0; i--) {
            if (metadata.comparator.compareComponent(i, start, end) != 0) {
                return false;
            }
        }
        return true;
    }

    private static <V> Clustering<V> clustering(final ClusteringBound<V> bound) {
        return bound.accessor().factory().clustering(bound.getRawValues());
    }

    private Iterator<Row> row(final Clustering<?> clustering) {
        final Row row = find(clustering);
        return row == null ? Collections.emptyIterator() : Collections.singleton(row).iterator();
    }

    private WideSegments.Segment segment(
        final ColumnFilter columns, final boolean reversed, final Iterator<Row> rowsOfSegment,
        final Iterator<RangeTombstone> ranges) {
        return new WideSegments.Segment(this, columns, reversed, rowsOfSegment, ranges);
    }

}
