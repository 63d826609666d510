/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.CellPath;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.ComplexColumnData;
import org.apache.cassandra.db.rows.Row;

import java.util.function.BiConsumer;

import static io.nestling.adapter.cassandra.RowLayout.*;

/**
 * Encodes rows in the form of {@link RowLayout}.
 * <h2>Thread safety</h2> One thread at a time.
 */
final class RowEncoder {
    private static final BiConsumer<RowEncoder, ColumnData> COLUMN = RowEncoder::putColumn;

    private final ColumnNumbers columns;
    private ByteBlob out;
    private boolean hasBase;
    private long base;
    private int ttl;
    private long expiration;

    RowEncoder(final ColumnNumbers columns) {
        this.columns = columns;
    }

    /** Writes a row. */
    void put(final Row row, final ByteBlob destination) {
        out = destination;
        if (!row.isStatic()) {
            putClustering(row.clustering());
        }
        final LivenessInfo liveness = row.primaryKeyLivenessInfo();
        final boolean live = !LivenessAccess.isEmpty(liveness);
        ttl = live ? LivenessAccess.ttl(liveness) : Cell.NO_TTL;
        hasBase = live;
        final Row.Deletion deletion = row.deletion();
        final int flagsAt = out.position;
        out.putByte(0);
        int flags = 0;
        if (live) {
            flags |= LIVENESS;
            base = LivenessAccess.timestamp(liveness);
            out.putLong(base);
            if (ttl != Cell.NO_TTL) {
                flags |= LIVENESS_EXPIRES;
                expiration = LivenessAccess.expiration(liveness);
                out.putInt(ttl);
                out.putInt((int) expiration);
            }
        }
        if (!deletion.isLive()) {
            flags |= deletion.isShadowable() ? DELETION | SHADOWABLE : DELETION;
            putDeletionTime(deletion.time(), out);
        }
        out.bytes[flagsAt] = (byte) flags;
        out.putVarint(row.columnCount());
        row.apply(COLUMN, this);
    }

    private void putClustering(final Clustering<?> clustering) {
        putValues(clustering, out);
    }

    /** Writes the values of a clustering or a bound, without their number. */
    static <V> void putValues(final ClusteringPrefix<V> prefix, final ByteBlob out) {
        final int size = prefix.size();
        for (int i = 0; i < size; i++) {
            final V value = prefix.get(i);
            if (value == null) {
                out.putVarint(0);
            } else {
                out.putValue(value, prefix.accessor(), 1);
            }
        }
    }

    static void putDeletionTime(final DeletionTime time, final ByteBlob out) {
        out.putLong(time.markedForDeleteAt());
        out.putInt((int) time.localDeletionTime());
    }

    private void putColumn(final ColumnData data) {
        out.putVarint(columns.of(data.column()));
        if (data.column().isSimple()) {
            putCell((Cell<?>) data);
            return;
        }
        final ComplexColumnData complex = (ComplexColumnData) data;
        final DeletionTime deletion = complex.complexDeletion();
        out.putVarint(complex.cellsCount() << 1 | (deletion.isLive() ? 0 : 1));
        if (!deletion.isLive()) {
            putDeletionTime(deletion, out);
        }
        for (final Cell<?> cell : complex) {
            putCell(cell);
        }
    }

    private <V> void putCell(final Cell<V> cell) {
        final int flagsAt = out.position;
        out.putByte(0);
        int flags = 0;
        final long timestamp = cell.timestamp();
        if (!hasBase) {
            hasBase = true;
            base = timestamp;
            flags |= CELL_TIMESTAMP;
            out.putLong(timestamp);
        } else if (timestamp != base) {
            flags |= CELL_TIMESTAMP;
            out.putLong(timestamp);
        }
        final int cellTtl = cell.ttl();
        final long deletionTime = cell.localDeletionTime();
        if (cellTtl != Cell.NO_TTL) {
            if (cellTtl == ttl && deletionTime == expiration) {
                flags |= CELL_EXPIRES_WITH_ROW;
            } else {
                flags |= CELL_EXPIRES;
                out.putInt(cellTtl);
                out.putInt((int) deletionTime);
            }
        } else if (deletionTime != Cell.NO_DELETION_TIME) {
            flags |= CELL_DELETED;
            out.putInt((int) deletionTime);
        }
        final CellPath path = cell.path();
        if (path != null) {
            out.putValue(path.get(0), ByteBufferAccessor.instance, 0);
        }
        final V value = cell.value();
        if (!cell.accessor().isEmpty(value)) {
            flags |= CELL_VALUE;
            out.putValue(value, cell.accessor(), 0);
        }
        out.bytes[flagsAt] = (byte) flags;
    }
}
