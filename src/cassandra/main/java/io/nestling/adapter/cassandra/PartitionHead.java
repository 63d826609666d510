/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.DeletionInfo;
import org.apache.cassandra.db.MutableDeletionInfo;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Rows;

/**
 * The content of a partition without its rows.
 *
 * @param deletion deletions of the partition and, without a tree, of ranges
 * @param rangeTree root of the {@link RangeTree} of a wide partition, or {@link RecordArena#NONE}
 * @param staticRow the static row; empty if there is none
 */
record PartitionHead(DeletionInfo deletion, long rangeTree, Row staticRow) {
    static final PartitionHead EMPTY = new PartitionHead(DeletionInfo.LIVE, RecordArena.NONE, Rows.EMPTY_STATIC_ROW);

    /** Reads the head of a {@link PartitionBlob}. */
    static PartitionHead read(final ByteBlob in, final RowDecoder decoder, final ClusteringComparator comparator) {
        final int flags = in.getByte();
        if (flags == 0) {
            return EMPTY;
        }
        final DeletionInfo deletion = PartitionBlob.deletion(in, flags, comparator);
        final long rangeTree = PartitionBlob.hasRangeTree(flags) ? in.getLong() : RecordArena.NONE;
        Row staticRow = Rows.EMPTY_STATIC_ROW;
        if (PartitionBlob.hasStaticRow(flags)) {
            in.getVarint();
            staticRow = decoder.content(in, Clustering.STATIC_CLUSTERING);
        }
        return new PartitionHead(deletion, rangeTree, staticRow);
    }

    /** Reads the head of a wide partition's record; large heads are cached. */
    static PartitionHead ofWide(
        final NestlingMemtable memtable, final ShardMemory memory, final long record, final ByteBlob scratch) {
        final RecordArena arena = memory.arena;
        final int length = ~arena.getInt(record, 0);
        final boolean kept = length >= HeadCache.MIN_BYTES;
        final int number = arena.getInt(record, Records.NUMBER_OFFSET);
        final long created = arena.getLong(record, Records.CREATED_VERSION_OFFSET);
        PartitionHead head = kept ? memory.heads().get(number, created) : null;
        if (head == null) {
            final ClusteringComparator comparator = memtable.metadata().comparator;
            arena.getBytes(record, Records.WIDE_BLOB_OFFSET, scratch.ofLength(length), 0, length);
            scratch.position = 0;
            head = read(scratch, new RowDecoder(memtable.columnNumbers(), comparator.size()), comparator);
            if (kept) {
                memory.heads().put(number, created, head);
            }
        }
        return head;
    }

    boolean hasRanges() {
        return rangeTree != RecordArena.NONE || deletion.hasRanges();
    }

    /** Returns this head with all ranges in a tree if it has one already or if they are many. */
    PartitionHead withTree(final RangeTree tree) {
        if (!deletion.hasRanges() || rangeTree == RecordArena.NONE && deletion.dataSize() <= RangeTree.NODE_BYTES) {
            return this;
        }
        return new PartitionHead(
            new MutableDeletionInfo(deletion.getPartitionDeletion()), tree.add(rangeTree, deletion.rangeIterator(false)),
            staticRow);
    }

    /** Returns this head merged with that of an update, whose ranges the tree does not have yet; this if nothing changes. */
    PartitionHead with(final UpdateMerge merge, final DeletionInfo updateDeletion, final Row updateStatic) {
        final DeletionInfo newDeletion = merge.merge(deletion, updateDeletion);
        Row newStatic = staticRow;
        if (!updateStatic.isEmpty()) {
            newStatic = staticRow.isEmpty() ? merge.insert(updateStatic) : merge.merge(staticRow, updateStatic);
        }
        return newDeletion == deletion && newStatic == staticRow ? this : new PartitionHead(newDeletion, rangeTree, newStatic);
    }
}
