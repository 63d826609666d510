/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.DeletionInfo;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Rows;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.utils.memory.HeapCloner;

/**
 * Merges one update into a partition: reconciles by Cassandra's rules, notifies secondary indexes, and counts.
 * <h2>Thread safety</h2> One thread at a time.
 */
final class UpdateMerge implements ColumnData.PostReconciliationFunction {
    private final UpdateTransaction indexer;
    private long dataSize;
    private long timeDelta = Long.MAX_VALUE;
    private long preparedRecord = RecordArena.NONE;
    private int preparedParts;

    UpdateMerge(final UpdateTransaction indexer) {
        this.indexer = indexer;
    }

    /**
     * Notes that the update was merged into a record before the lock was taken; what was counted holds for that record alone.
     *
     * @param parts number of rows and ranges of the result
     */
    void prepared(final long record, final int parts) {
        preparedRecord = record;
        preparedParts = parts;
    }

    /** Returns whether the update was merged into a record already; if it was into another one, forgets what was counted. */
    boolean isPreparedFor(final long record) {
        if (preparedRecord == record) {
            return true;
        }
        if (preparedRecord != RecordArena.NONE) {
            preparedRecord = RecordArena.NONE;
            dataSize = 0;
            timeDelta = Long.MAX_VALUE;
        }
        return false;
    }

    boolean isPrepared() {
        return preparedRecord != RecordArena.NONE;
    }

    /** Returns the number of rows and ranges of the prepared result. */
    int preparedParts() {
        return preparedParts;
    }

    /** Returns the growth of the partition's data in bytes, as Cassandra counts them. */
    long dataSize() {
        return dataSize;
    }

    /** Returns the least time difference to an overwritten cell; {@link Long#MAX_VALUE} if there was none. */
    long timeDelta() {
        return timeDelta;
    }

    /** Returns whether secondary indexes have to see the rows. */
    boolean isIndexed() {
        return indexer != UpdateTransaction.NO_OP;
    }

    void start() {
        indexer.start();
    }

    void commit() {
        indexer.commit();
    }

    /** Counts data that was inserted without {@link #insert(Row)}. */
    void addDataSize(final long bytes) {
        dataSize += bytes;
    }

    /** Merges the deletions of an update into those of a partition; returns the same object if nothing changes. */
    DeletionInfo merge(final DeletionInfo existing, final DeletionInfo update) {
        if (update.isLive() || !update.mayModify(existing)) {
            return existing;
        }
        if (!update.getPartitionDeletion().isLive()) {
            indexer.onPartitionDeletion(update.getPartitionDeletion());
        }
        if (update.hasRanges()) {
            update.rangeIterator(false).forEachRemaining(indexer::onRangeTombstone);
        }
        return existing.mutableCopy().add(update.clone(HeapCloner.instance));
    }

    /** Inserts a new row. */
    Row insert(final Row row) {
        indexer.onInserted(row);
        dataSize += row.dataSize();
        return row;
    }

    /** Merges a row into a present one. */
    Row merge(final Row existing, final Row update) {
        final Row merged = Rows.merge(existing, update, this);
        indexer.onUpdated(existing, merged);
        return merged;
    }

    @Override
    public ColumnData insert(final ColumnData data) {
        dataSize += data.dataSize();
        return data;
    }

    @Override
    public Cell<?> merge(final Cell<?> existing, final Cell<?> winner) {
        if (winner != existing) {
            timeDelta = Math.min(timeDelta, Math.abs(winner.timestamp() - existing.timestamp()));
            dataSize += winner.dataSize() - existing.dataSize();
        }
        return winner;
    }

    @Override
    public void delete(final ColumnData existing) {
        dataSize -= existing.dataSize();
    }

    @Override
    public void onAllocatedOnHeap(final long bytes) {
        // nothing allocated here stays on the heap
    }
}
