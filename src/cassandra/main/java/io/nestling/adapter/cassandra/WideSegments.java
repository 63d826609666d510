/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.rows.AbstractUnfilteredRowIterator;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.RowAndDeletionMergeIterator;
import org.apache.cassandra.db.rows.Rows;
import org.apache.cassandra.db.rows.Unfiltered;

import java.util.Iterator;

/** Iterates over the rows and deletions of consecutive segments of a wide partition. */
final class WideSegments extends AbstractUnfilteredRowIterator {
    private final WidePartition partition;
    private final Source source;
    private int next;
    private Segment current;

    /** The segments. */
    @FunctionalInterface
    interface Source {
        /** Returns the segment with a number, or null after the last one; called with ascending numbers from 0. */
        Segment segment(int number);
    }

    /** One segment: rows merged with deletions. */
    static final class Segment extends RowAndDeletionMergeIterator {
        private final Iterator<Row> rows;

        Segment(
            final WidePartition partition, final ColumnFilter columns, final boolean reversed, final Iterator<Row> rows,
            final Iterator<RangeTombstone> ranges) {
            super(
                partition.metadata(), partition.partitionKey(), partition.partitionLevelDeletion(), columns,
                Rows.EMPTY_STATIC_ROW, reversed, partition.stats(), rows, ranges, true);
            this.rows = rows;
        }

        @Override
        public void close() {
            if (rows instanceof WideRows) {
                ((WideRows) rows).close();
            }
        }
    }

    WideSegments(
        final WidePartition partition, final ColumnFilter columns, final Row staticRow, final boolean reversed,
        final Source source) {
        super(
            partition.metadata(), partition.partitionKey(), partition.partitionLevelDeletion(), columns.fetchedColumns(),
            staticRow, reversed, partition.stats());
        this.partition = partition;
        this.source = source;
    }

    @Override
    protected Unfiltered computeNext() {
        while (true) {
            if (current == null) {
                current = source.segment(next++);
                if (current == null) {
                    return endOfData();
                }
            }
            if (current.hasNext()) {
                return current.next();
            }
            current.close();
            current = null;
        }
    }

    @Override
    public void close() {
        try {
            if (current != null) {
                current.close();
                current = null;
            }
        } finally {
            partition.exitGuard();
        }
    }
}
