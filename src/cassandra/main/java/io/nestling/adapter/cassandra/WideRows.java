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

/**
 * Iterates over the rows of a slice of a wide partition in either order and decodes them one by one. It looks some entries
 * ahead and prefetches their records.
 */
final class WideRows implements Iterator<Row>, AutoCloseable {
    private static final int MAX_AHEAD = 8;

    private final RecordArena arena;
    private final long version;
    private final RowDecoder decoder;
    private final boolean reversed;
    private final EntryCursor cursor;
    /* The end of the slice: its first key in reverse order, else the first key after it. */
    private final byte[] end;
    private final ByteBlob blob = new ByteBlob();
    private final long[] entries = new long[MAX_AHEAD];
    private int position;
    private int filled;
    /* Few at first, so that a read of one row does not pay for more. */
    private int ahead = 1;
    private boolean valid;
    /* Whether the entry at the cursor was taken. */
    private boolean taken;
    private long record = RecordArena.NONE;

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
        valid = reversed ? cursor.seekLowerThan(to.bytes, 0, to.length) : cursor.seek(from.bytes, 0, from.length);
    }

    /** Takes the next entries and prefetches their records; returns false if there are none. */
    private boolean fill() {
        position = 0;
        filled = 0;
        while (valid && filled < ahead) {
            if (taken) {
                valid = reversed ? cursor.previous() : cursor.next();
            }
            taken = valid && !isBehindEnd();
            if (!taken) {
                valid = false;
                break;
            }
            entries[filled] = cursor.payload();
            arena.prefetch(entries[filled++]);
        }
        ahead = Math.min(MAX_AHEAD, ahead * 2);
        return filled > 0;
    }

    private boolean isBehindEnd() {
        final int order = Arrays.compareUnsigned(cursor.keyBuffer(), 0, cursor.keyLength(), end, 0, end.length);
        return reversed ? order < 0 : order >= 0;
    }

    @Override
    public boolean hasNext() {
        while (record == RecordArena.NONE) {
            if (position == filled && !fill()) {
                return false;
            }
            record = Records.rowOf(arena, arena.getLongAcquire(entries[position++]), version);
        }
        return true;
    }

    @Override
    public Row next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        Records.readRow(arena, record, blob);
        record = RecordArena.NONE;
        return decoder.row(blob);
    }

    @Override
    public void close() {
        cursor.close();
        valid = false;
        position = 0;
        filled = 0;
        record = RecordArena.NONE;
    }
}
