/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.DeletionInfo;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.partitions.BTreePartitionData;
import org.apache.cassandra.db.partitions.ImmutableBTreePartition;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.memory.EnsureOnHeap;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NavigableSet;

/** One state of a partition that is an object of Cassandra; readers get copies on the heap. */
final class ObjectPartition extends ImmutableBTreePartition {
    private final EnsureOnHeap ensureOnHeap;

    ObjectPartition(
        final TableMetadata metadata, final DecoratedKey key, final BTreePartitionData data,
        final EnsureOnHeap ensureOnHeap) {
        super(metadata, key, data);
        this.ensureOnHeap = ensureOnHeap;
    }

    @Override
    protected boolean canHaveShadowedData() {
        return true; // merging keeps what a deletion of the partition or of a range covers
    }

    @Override
    public DeletionInfo deletionInfo() {
        return ensureOnHeap.applyToDeletionInfo(super.deletionInfo());
    }

    @Override
    public Row staticRow() {
        return ensureOnHeap.applyToStatic(super.staticRow());
    }

    @Override
    public DecoratedKey partitionKey() {
        return ensureOnHeap.applyToPartitionKey(super.partitionKey());
    }

    @Override
    public Row getRow(final Clustering<?> clustering) {
        return ensureOnHeap.applyToRow(super.getRow(clustering));
    }

    @Override
    public Row lastRow() {
        return ensureOnHeap.applyToRow(super.lastRow());
    }

    @Override
    public UnfilteredRowIterator unfilteredIterator(
        final ColumnFilter selection, final Slices slices, final boolean reversed) {
        return unfilteredIterator(holder(), selection, slices, reversed);
    }

    @Override
    public UnfilteredRowIterator unfilteredIterator(
        final ColumnFilter selection, final NavigableSet<Clustering<?>> clusterings, final boolean reversed) {
        return ensureOnHeap.applyToPartition(super.unfilteredIterator(selection, clusterings, reversed));
    }

    @Override
    public UnfilteredRowIterator unfilteredIterator() {
        return unfilteredIterator(ColumnFilter.selection(super.columns()), Slices.ALL, false);
    }

    @Override
    public UnfilteredRowIterator unfilteredIterator(
        final BTreePartitionData current, final ColumnFilter selection, final Slices slices, final boolean reversed) {
        return ensureOnHeap.applyToPartition(super.unfilteredIterator(current, selection, slices, reversed));
    }

    @Override
    public Iterator<Row> iterator() {
        return ensureOnHeap.applyToPartition(super.iterator());
    }

    /** Returns the rows in either order. Overrides a method of Cassandra 6, which must copy like the method above. */
    public Iterator<Row> iterator(final boolean reverse) {
        if (!reverse) {
            return iterator();
        }
        final Deque<Row> rows = new ArrayDeque<>();
        iterator().forEachRemaining(rows::addFirst);
        return rows.iterator();
    }
}
