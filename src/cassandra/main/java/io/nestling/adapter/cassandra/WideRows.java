/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.index.EntryCursor;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.rows.Row;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** The rows of a slice of a wide partition, in the order asked for, decoded one by one. */
final class WideRows implements Iterator<Row>, AutoCloseable {
    private final RecordArena arena;
    private final long version;
    private final RowDecoder decoder;
    private final boolean reversed;
    private final EntryCursor cursor;
    /* The first key that is not in the slice at its far end. */
    private final byte[] end;
    private final ByteBlob blob = new ByteBlob();
    private boolean standing;
    /* The record was read, and the cursor must move on. */
    private boolean moved;
    private long record;

    WideRows(final WidePartition partition, final Slice slice, final boolean reversed) {
        final int number = partition.number();
        final ClusteringComparator comparator = partition.metadata().comparator;
        this.arena = partition.arena();
        this.version = partition.version();
        this.decoder = partition.newDecoder();
        this.reversed = reversed;
        this.cursor = partition.rowIndex().cursor();
        final KeyScratch from = new KeyScratch();
        final KeyScratch to = new KeyScratch();
        if (slice.start().isBottom()) {
            RowKeys.encodeNumber(number, from);
        } else {
            RowKeys.encode(number, slice.start(), comparator, from);
        }
        if (slice.end().isTop()) {
            RowKeys.encodeNumber(number + 1, to);
        } else {
            RowKeys.encode(number, slice.end(), comparator, to);
        }
        this.end = (reversed ? from : to).toArray();
        standing = reversed ? cursor.seekLowerThan(to.bytes, 0, to.length) : cursor.seek(from.bytes, 0, from.length);
        findRecord();
    }

    /** Moves on to the next row that the version sees, beginning where the cursor stands. */
    private void findRecord() {
        record = RecordArena.NONE;
        while (standing) {
            final int order = Arrays.compareUnsigned(cursor.keyBuffer(), 0, cursor.keyLength(), end, 0, end.length);
            if (reversed ? order < 0 : order >= 0) {
                standing = false;
                return;
            }
            record = Records.rowOf(arena, arena.getLongAcquire(cursor.payload()), version);
            if (record != RecordArena.NONE) {
                return;
            }
            standing = reversed ? cursor.previous() : cursor.next();
        }
    }

    @Override
    public boolean hasNext() {
        if (moved) {
            // Only now: whoever wants one row shall not pay for a second one.
            moved = false;
            standing = reversed ? cursor.previous() : cursor.next();
            findRecord();
        }
        return record != RecordArena.NONE;
    }

    @Override
    public Row next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        Records.readRow(arena, record, blob);
        moved = true;
        return decoder.row(blob);
    }

    @Override
    public void close() {
        cursor.close();
        standing = false;
        moved = false;
        record = RecordArena.NONE;
    }
}
