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
 * The rows of a slice of a wide partition, in the order asked for, decoded one by one. Some entries are sought ahead, so that
 * their records are on the way from memory when they are read.
 */
final class WideRows implements Iterator<Row>, AutoCloseable {
    private static final int MOST_AHEAD = 8;

    private final RecordArena arena;
    private final long version;
    private final RowDecoder decoder;
    private final boolean reversed;
    private final EntryCursor cursor;
    /* The first key that is not in the slice at its far end. */
    private final byte[] end;
    private final ByteBlob blob = new ByteBlob();
    private final long[] entries = new long[MOST_AHEAD];
    private int position;
    private int filled;
    /* Few at first: who wants one row shall not pay for more. */
    private int ahead = 1;
    private boolean standing;
    /* The entry at the cursor was taken. */
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
        standing = reversed ? cursor.seekLowerThan(to.bytes, 0, to.length) : cursor.seek(from.bytes, 0, from.length);
    }

    /** Takes the next entries and asks for their records to be loaded; false if there are none. */
    private boolean fill() {
        position = 0;
        filled = 0;
        while (standing && filled < ahead) {
            if (taken) {
                standing = reversed ? cursor.previous() : cursor.next();
            }
            taken = standing && !isBehindEnd();
            if (!taken) {
                standing = false;
                break;
            }
            entries[filled] = cursor.payload();
            arena.prefetch(entries[filled++]);
        }
        ahead = Math.min(MOST_AHEAD, ahead * 2);
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
        standing = false;
        position = 0;
        filled = 0;
        record = RecordArena.NONE;
    }
}
