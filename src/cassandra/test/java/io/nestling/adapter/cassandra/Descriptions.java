/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.ComplexColumnData;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;

/** Converts the results of reads to complete texts. */
final class Descriptions {
    private static final int MAX_ROWS = 100_000;
    /* Between the expirations of random updates. */
    private static final long NOW_SECONDS = 1_700_000_150L;

    private Descriptions() {
    }

    static String of(final UnfilteredPartitionIterator partitions) {
        final StringBuilder text = new StringBuilder();
        try (partitions) {
            while (partitions.hasNext()) {
                text.append(of(partitions.next(), true)).append('\n');
            }
        }
        return text.toString();
    }

    /** Returns the text of rows and closes them. */
    static String of(final UnfilteredRowIterator rows, final boolean withColumns) {
        if (rows == null) {
            return "none";
        }
        final TableMetadata metadata = rows.metadata();
        final StringBuilder text = new StringBuilder();
        try (rows) {
            text.append(rows.partitionKey()).append(' ').append(rows.partitionLevelDeletion()).append(' ')
                .append(rows.isReverseOrder()).append(withColumns ? rows.columns() : "").append('\n');
            append(rows.staticRow(), metadata, text);
            for (int count = 0; rows.hasNext(); count++) {
                if (count == MAX_ROWS) {
                    throw new AssertionError("the rows do not end");
                }
                final Unfiltered unfiltered = rows.next();
                if (unfiltered.isRow()) {
                    append((Row) unfiltered, metadata, text);
                } else {
                    text.append(unfiltered.toString(metadata, true, true)).append('\n');
                }
            }
        }
        return text.toString();
    }

    static String of(final Row row, final TableMetadata metadata) {
        final StringBuilder text = new StringBuilder();
        append(row, metadata, text);
        return text.toString();
    }

    private static void append(final Row row, final TableMetadata metadata, final StringBuilder text) {
        text.append("row ").append(row.clustering().size() == 0 ? "" : row.clustering().toString(metadata)).append(' ')
            .append(row.primaryKeyLivenessInfo())
            .append(' ').append(row.deletion()).append(" columns ").append(row.columns())
            // Summaries must agree with the cells.
            .append(row.hasDeletion(NOW_SECONDS)).append(row.hasComplexDeletion()).append(row.dataSize());
        for (final ColumnData data : row) {
            text.append("\n  ").append(data.column().name).append(' ').append(data.column().type);
            if (data.column().isComplex()) {
                final DeletionTime deletion = ((ComplexColumnData) data).complexDeletion();
                text.append(deletion.isLive() ? "" : deletion);
                for (final Cell<?> cell : (ComplexColumnData) data) {
                    append(cell, text);
                }
            } else {
                append((Cell<?>) data, text);
            }
        }
        text.append('\n');
    }

    private static void append(final Cell<?> cell, final StringBuilder text) {
        text.append(" [").append(cell.path() == null ? "" : ByteBufferUtil.bytesToHex(cell.path().get(0))).append('=')
            .append(ByteBufferUtil.bytesToHex(cell.buffer())).append(" ts ").append(cell.timestamp()).append(" ttl ")
            .append(cell.ttl()).append(" ldt ").append(cell.localDeletionTime()).append(']');
    }
}
