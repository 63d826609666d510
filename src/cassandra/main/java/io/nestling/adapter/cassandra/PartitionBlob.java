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

/**
 * Layout of the content of a partition as bytes: its head, then its rows, unless they are separate entries.
 * <pre>
 *  flags        1 byte: PARTITION_DELETION | RANGES | STATIC_ROW | RANGE_TREE
 *  deletion     8 bytes timestamp, 4 bytes local deletion time, if PARTITION_DELETION
 *  ranges       if RANGES: number of ranges; for each its two bounds and its deletion
 *    bound      kind, 1 byte; number of values; the values as in a clustering
 *  range tree   8 bytes pointer of the root of a {@link RangeTree}, if RANGE_TREE, only in wide partitions
 *  static row   length, a row ({@link RowLayout}), if STATIC_ROW
 *  rows         length, a row; to the end
 * </pre>
 * Lengths and numbers are unsigned LEB128.
 */
final class PartitionBlob {
    private static final int PARTITION_DELETION = 1;
    private static final int RANGES = 1 << 1;
    private static final int STATIC_ROW = 1 << 2;
    private static final int RANGE_TREE = 1 << 3;
    private static final ClusteringPrefix.Kind[] KINDS = ClusteringPrefix.Kind.values();

    private PartitionBlob() {
    }

    // ---- writing ----

    /** Writes the head: deletions, root of the tree of ranges or {@link RecordArena#NONE}, and static row. */
    static void putHead(
        final DeletionInfo deletion, final long rangeTree, final Row staticRow, final RowEncoder encoder,
        final ByteBlob out) {
        final boolean deleted = !deletion.getPartitionDeletion().isLive();
        final int flags = (deleted ? PARTITION_DELETION : 0) | (deletion.hasRanges() ? RANGES : 0)
            | (staticRow.isEmpty() ? 0 : STATIC_ROW) | (rangeTree == RecordArena.NONE ? 0 : RANGE_TREE);
        out.putByte(flags);
        if (flags == 0) {
            return;
        }
        if (deleted) {
            RowEncoder.putDeletionTime(deletion.getPartitionDeletion(), out);
        }
        if (deletion.hasRanges()) {
            out.putVarint(deletion.rangeCount());
            deletion.rangeIterator(false).forEachRemaining(range -> putRange(range, out));
        }
        if (rangeTree != RecordArena.NONE) {
            out.putLong(rangeTree);
        }
        if (!staticRow.isEmpty()) {
            putRow(staticRow, encoder, out);
        }
    }

    static void putRange(final RangeTombstone range, final ByteBlob out) {
        putBound(range.deletedSlice().start(), out);
        putBound(range.deletedSlice().end(), out);
        RowEncoder.putDeletionTime(range.deletionTime(), out);
    }

    static void putBound(final ClusteringBound<?> bound, final ByteBlob out) {
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
            ranges.add(range(in));
        }
        return new MutableDeletionInfo(time, ranges);
    }

    static RangeTombstone range(final ByteBlob in) {
        final ClusteringBound<?> start = bound(in);
        final ClusteringBound<?> end = bound(in);
        return new RangeTombstone(Slice.make(start, end), RowDecoder.deletionTime(in));
    }

    static ClusteringBound<?> bound(final ByteBlob in) {
        final ClusteringPrefix.Kind kind = KINDS[in.getByte()];
        return ByteArrayAccessor.instance.factory().bound(kind, RowDecoder.values(in, in.getVarint()));
    }

    static boolean hasRangeTree(final int flags) {
        return (flags & RANGE_TREE) != 0;
    }

    static boolean hasStaticRow(final int flags) {
        return (flags & STATIC_ROW) != 0;
    }
}
