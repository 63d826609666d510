/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.DeletionInfo;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.MutableDeletionInfo;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.RangeTombstoneList;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.marshal.ByteArrayAccessor;
import org.apache.cassandra.db.rows.Row;

import java.util.Iterator;

/**
 * Layout of the content of a partition as bytes: its head, then its rows, unless they are separate entries.
 * <pre>
 *  flags        1 byte: PARTITION_DELETION | RANGES | STATIC_ROW
 *  deletion     8 bytes timestamp, 4 bytes local deletion time, if PARTITION_DELETION
 *  ranges       if RANGES: number of ranges; for each its two bounds and its deletion
 *    bound      kind, 1 byte; number of values; the values as in a clustering
 *  static row   length, a row ({@link RowLayout}), if STATIC_ROW
 *  rows         length, a row; to the end
 * </pre>
 * Lengths and numbers are unsigned LEB128.
 */
final class PartitionBlob {
    private static final int PARTITION_DELETION = 1;
    private static final int RANGES = 1 << 1;
    private static final int STATIC_ROW = 1 << 2;
    private static final ClusteringPrefix.Kind[] KINDS = ClusteringPrefix.Kind.values();

    private PartitionBlob() {
    }

    // ---- writing ----

    /** Writes the head: deletions and static row. */
    static void putHead(
        final DeletionInfo deletion, final Row staticRow, final RowEncoder encoder, final ByteBlob out) {
        final boolean deleted = !deletion.getPartitionDeletion().isLive();
        final int flags = (deleted ? PARTITION_DELETION : 0) | (deletion.hasRanges() ? RANGES : 0)
            | (staticRow.isEmpty() ? 0 : STATIC_ROW);
        out.putByte(flags);
        if (flags == 0) {
            return;
        }
        if (deleted) {
            RowEncoder.putDeletionTime(deletion.getPartitionDeletion(), out);
        }
        if (deletion.hasRanges()) {
            putRanges(deletion, out);
        }
        if (!staticRow.isEmpty()) {
            putRow(staticRow, encoder, out);
        }
    }

    private static void putRanges(final DeletionInfo deletion, final ByteBlob out) {
        out.putVarint(deletion.rangeCount());
        for (final Iterator<RangeTombstone> ranges = deletion.rangeIterator(false); ranges.hasNext();) {
            final RangeTombstone range = ranges.next();
            putBound(range.deletedSlice().start(), out);
            putBound(range.deletedSlice().end(), out);
            RowEncoder.putDeletionTime(range.deletionTime(), out);
        }
    }

    private static void putBound(final ClusteringBound<?> bound, final ByteBlob out) {
        out.putByte(bound.kind().ordinal());
        out.putVarint(bound.size());
        RowEncoder.putValues(bound, out);
    }

    /** Writes the length of a row, then the row. */
    static void putRow(final Row row, final RowEncoder encoder, final ByteBlob out) {
        final int start = out.position;
        out.putByte(0);
        encoder.put(row, out);
        final int length = out.position - start - 1;
        if (length <= 0x7F) {
            out.bytes[start] = (byte) length;
            return;
        }
        final int more = io.nestling.bytes.Varint.length(length) - 1;
        out.reserve(more);
        System.arraycopy(out.bytes, start + 1, out.bytes, start + 1 + more, length);
        out.position = start;
        out.putVarint(length);
        out.position += length;
    }

    // ---- reading ----

    /** Reads the deletions. */
    static DeletionInfo deletion(final ByteBlob in, final int flags, final ClusteringComparator comparator) {
        if ((flags & (PARTITION_DELETION | RANGES)) == 0) {
            return DeletionInfo.LIVE;
        }
        final DeletionTime time = (flags & PARTITION_DELETION) != 0 ? RowDecoder.deletionTime(in) : DeletionTime.LIVE;
        if ((flags & RANGES) == 0) {
            return new MutableDeletionInfo(time);
        }
        final int count = in.getVarint();
        final RangeTombstoneList ranges = new RangeTombstoneList(comparator, count);
        for (int i = 0; i < count; i++) {
            final ClusteringBound<?> start = bound(in);
            final ClusteringBound<?> end = bound(in);
            ranges.add(new RangeTombstone(Slice.make(start, end), RowDecoder.deletionTime(in)));
        }
        return new MutableDeletionInfo(time, ranges);
    }

    private static ClusteringBound<?> bound(final ByteBlob in) {
        final ClusteringPrefix.Kind kind = KINDS[in.getByte()];
        return ByteArrayAccessor.instance.factory().bound(kind, RowDecoder.values(in, in.getVarint()));
    }

    static boolean hasStaticRow(final int flags) {
        return (flags & STATIC_ROW) != 0;
    }
}
