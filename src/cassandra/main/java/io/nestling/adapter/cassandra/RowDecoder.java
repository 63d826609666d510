/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.marshal.ByteArrayAccessor;
import org.apache.cassandra.db.rows.ArrayCell;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.CellPath;
import org.apache.cassandra.db.rows.ComplexColumnData;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.utils.BulkIterator;
import org.apache.cassandra.utils.btree.BTree;
import org.apache.cassandra.utils.btree.UpdateFunction;

import java.nio.ByteBuffer;

import static io.nestling.adapter.cassandra.RowLayout.*;

/**
 * Decodes the rows that {@link RowEncoder} wrote. They refer only to the heap.
 * <h2>Thread safety</h2> One thread at a time.
 */
final class RowDecoder {
    private final ColumnMetadata[] columns;
    private final int clusteringSize;
    private ByteBlob in;
    private boolean hasBase;
    private long base;
    private int ttl;
    private long expiration;
    private long minDeletionTime;
    private ComplexColumnData.Builder complex;

    RowDecoder(final ColumnNumbers columns, final int clusteringSize) {
        this.columns = columns.byNumber();
        this.clusteringSize = clusteringSize;
    }

    /** Reads the clustering of a row. */
    static Clustering<?> clustering(final ByteBlob in, final int size) {
        return size == 0 ? Clustering.EMPTY : ByteArrayAccessor.instance.factory().clustering(values(in, size));
    }

    static byte[][] values(final ByteBlob in, final int size) {
        final byte[][] values = new byte[size][];
        for (int i = 0; i < size; i++) {
            final int length = in.getVarint() - 1;
            if (length >= 0) {
                values[i] = in.getBytes(length);
            }
        }
        return values;
    }

    static DeletionTime deletionTime(final ByteBlob in) {
        final long timestamp = in.getLong();
        return DeletionTime.build(timestamp, in.getInt() & SECONDS_MASK);
    }

    /** Reads a row with its clustering. */
    Row row(final ByteBlob source) {
        return content(source, clustering(source, clusteringSize));
    }

    /** Reads a row without its clustering, which a static row does not have or which was read already. */
    Row content(final ByteBlob source, final Clustering<?> clustering) {
        in = source;
        final int flags = in.getByte();
        LivenessInfo liveness = LivenessInfo.EMPTY;
        Row.Deletion deletion = Row.Deletion.LIVE;
        minDeletionTime = Cell.MAX_DELETION_TIME;
        hasBase = (flags & LIVENESS) != 0;
        ttl = Cell.NO_TTL;
        if (hasBase) {
            base = in.getLong();
            expiration = LivenessInfo.NO_EXPIRATION_TIME;
            if ((flags & LIVENESS_EXPIRES) != 0) {
                ttl = in.getInt();
                expiration = in.getInt() & SECONDS_MASK;
                minDeletionTime = expiration;
            }
            liveness = LivenessAccess.of(base, ttl, expiration);
        }
        if ((flags & DELETION) != 0) {
            deletion = new Row.Deletion(deletionTime(in), (flags & SHADOWABLE) != 0);
            minDeletionTime = Long.MIN_VALUE;
        }
        final int count = in.getVarint();
        final Object[] data = new Object[count];
        for (int i = 0; i < count; i++) {
            final ColumnMetadata column = columns[in.getVarint()];
            data[i] = column.isSimple() ? cell(column) : complex(column);
        }
        return BTreeRow.create(clustering, liveness, deletion, tree(data, count), minDeletionTime);
    }

    /** Returns a tree of sorted objects. */
    static Object[] tree(final Object[] objects, final int count) {
        if (count == 0) {
            return BTree.empty();
        }
        if (count == 1) {
            return BTree.singleton(objects[0]);
        }
        try (BulkIterator<Object> iterator = BulkIterator.of(objects)) {
            return BTree.build(iterator, count, UpdateFunction.noOp());
        } catch (final Exception e) {
            throw new AssertionError(e);
        }
    }

    private ComplexColumnData complex(final ColumnMetadata column) {
        if (complex == null) {
            complex = ComplexColumnData.builder();
        }
        complex.newColumn(column);
        final int header = in.getVarint();
        if ((header & 1) != 0) {
            complex.addComplexDeletion(deletionTime(in));
            minDeletionTime = Long.MIN_VALUE;
        }
        for (int i = header >>> 1; i > 0; i--) {
            complex.addCell(cell(column));
        }
        return complex.build();
    }

    private Cell<?> cell(final ColumnMetadata column) {
        final int flags = in.getByte();
        long timestamp = base;
        if ((flags & CELL_TIMESTAMP) != 0) {
            timestamp = in.getLong();
            if (!hasBase) {
                hasBase = true;
                base = timestamp;
            }
        }
        int cellTtl = Cell.NO_TTL;
        long deletionTime = Cell.NO_DELETION_TIME;
        if ((flags & CELL_EXPIRES_WITH_ROW) != 0) {
            cellTtl = ttl;
            deletionTime = expiration;
        } else if ((flags & (CELL_EXPIRES | CELL_DELETED)) != 0) {
            cellTtl = (flags & CELL_EXPIRES) != 0 ? in.getInt() : Cell.NO_TTL;
            deletionTime = in.getInt() & SECONDS_MASK;
        }
        if (deletionTime != Cell.NO_DELETION_TIME) {
            minDeletionTime = Math.min(minDeletionTime, cellTtl == Cell.NO_TTL ? Long.MIN_VALUE : deletionTime);
        }
        final CellPath path = column.isComplex() ? CellPath.create(ByteBuffer.wrap(in.getBytes(in.getVarint()))) : null;
        final byte[] value = in.getBytes((flags & CELL_VALUE) != 0 ? in.getVarint() : 0);
        return new ArrayCell(column, timestamp, cellTtl, deletionTime, value, path);
    }
}
