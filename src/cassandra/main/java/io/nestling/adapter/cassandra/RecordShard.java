/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.index.PointIndex;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.partitions.Partition;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.concurrent.OpOrder;

import java.util.Iterator;

/**
 * A shard whose partitions are records off heap ({@link Records}).
 * <p> A small partition is one record; the rows of a wide one are entries of a second index ({@link WideWriter}).
 * A write creates new records and publishes them by one store, so that a reader sees the partition before or after it.
 */
final class RecordShard extends MemtableShard {
    private volatile int partitionsAdded;

    RecordShard(final NestlingMemtable memtable) {
        super(memtable);
    }

    // ---- writing ----

    @Override
    long put(final PartitionUpdate update, final UpdateTransaction indexer, final OpOrder.Group group) {
        final Scratch scratch = Scratch.take();
        try {
            memtable.keys().encode(update.partitionKey(), scratch.key);
            final UpdateMerge merge = new UpdateMerge(indexer);
            final int added = partitionsAdded;
            final ShardMemory memory = memory();
            int guard = memory == null ? NO_GUARD : enter(memory);
            final long taken;
            final long heapTaken;
            try {
                // An entry that is found stays until the memtable is discarded; a record only as long as the guard.
                final long payload = guard == NO_GUARD ? PointIndex.NONE : find(memory, scratch.key);
                final Insertion insertion = payload == PointIndex.NONE ? encode(update, scratch) : null;
                if (insertion == null) {
                    prepare(memory, payload, update, merge, scratch);
                }
                if (guard != NO_GUARD && !merge.isPrepared()) {
                    memory.epochs.exit(guard);
                    guard = NO_GUARD;
                }
                lock.lock();
                try {
                    write(update, merge, payload, added, insertion, scratch);
                    taken = takenBytes();
                    heapTaken = takenHeapBytes();
                } finally {
                    lock.unlock();
                }
            } finally {
                if (guard != NO_GUARD) {
                    memory.epochs.exit(guard);
                }
            }
            memtable.charge(taken, group);
            memtable.chargeHeap(heapTaken, group);
            return merge.timeDelta();
        } finally {
            scratch.recycle();
        }
    }

    /**
     * Merges an update into a large record without the lock, so that other writers need not wait for it; the result is in the
     * scratch's output. Under the lock it counts if the record is still the newest one.
     */
    private void prepare(
        final ShardMemory memory, final long entry, final PartitionUpdate update, final UpdateMerge merge,
        final Scratch scratch) {
        if (merge.isIndexed()) {
            return;
        }
        final RecordArena arena = memory.arena;
        final long record = arena.getLongAcquire(entry);
        final int length = arena.getInt(record, 0);
        if (length < 0) {
            new WideWriter(memtable, memory, scratch).prepare(record, update, merge);
        } else if (length >= Records.LARGE_BYTES) {
            merge.prepared(record, mergeBlobs(arena, record, length, update, merge, scratch));
        }
    }

    /** An update encoded as a new partition: its blob is in the scratch's output. */
    private record Insertion(long dataSize, int parts) {
    }

    private Insertion encode(final PartitionUpdate update, final Scratch scratch) {
        final ByteBlob out = scratch.out;
        out.position = 0;
        final RowEncoder encoder = new RowEncoder(memtable.columnNumbers());
        PartitionBlob.putHead(update.deletionInfo(), RecordArena.NONE, update.staticRow(), encoder, out);
        long dataSize = update.staticRow().isEmpty() ? 0 : update.staticRow().dataSize();
        int parts = update.deletionInfo().rangeCount();
        for (final Iterator<Row> iterator = update.iterator(); iterator.hasNext();) {
            final Row row = iterator.next();
            PartitionBlob.putRow(row, encoder, out);
            dataSize += row.dataSize();
            parts++;
        }
        return new Insertion(dataSize, parts);
    }

    private void write(
        final PartitionUpdate update, final UpdateMerge merge, final long payload, final int added,
        final Insertion insertion, final Scratch scratch) {
        final ShardMemory memory = open();
        memory.failure.check();
        // Another thread may have added the partition meanwhile.
        final long entry = payload == PointIndex.NONE && added != partitionsAdded ? find(memory, scratch.key) : payload;
        memtable.collect(update);
        merge.start();
        try {
            if (entry == PointIndex.NONE) {
                insert(memory, update, merge, insertion == null ? encode(update, scratch) : insertion, scratch);
            } else {
                merge(memory, entry, update, merge, scratch);
            }
        } catch (final Error e) {
            memory.failure.cause = e;
            throw e;
        } finally {
            merge.commit();
        }
        countWrite(merge.dataSize(), update.operationCount());
    }

    private void insert(
        final ShardMemory memory, final PartitionUpdate update, final UpdateMerge merge, final Insertion insertion,
        final Scratch scratch) {
        if (merge.isIndexed()) {
            PartitionHead.EMPTY.with(merge, update.deletionInfo(), update.staticRow());
            update.iterator().forEachRemaining(merge::insert);
        } else {
            merge.addDataSize(insertion.dataSize());
        }
        final ByteBlob blob = scratch.out;
        final long wide = splitIfWide(memory, blob, insertion.parts(), scratch);
        if (wide != RecordArena.NONE) {
            final long entry = newEntry(memory, scratch.key, 0);
            memory.arena.putLong(entry, 0, wide);
            add(memory, entry, scratch.key, update.partitionKey());
            return;
        }
        final long entry = newEntry(memory, scratch.key, Records.BLOB_OFFSET + blob.position);
        putWhole(memory.arena, memory.arena.getLong(entry, 0), blob);
        add(memory, entry, scratch.key, update.partitionKey());
    }

    private static long newEntry(final ShardMemory memory, final KeyScratch key, final int recordBytes) {
        return Records.newEntry(memory.arena, memory.partitions().storesKeys(), key, recordBytes);
    }

    private void add(final ShardMemory memory, final long entry, final KeyScratch key, final DecoratedKey partitionKey) {
        memory.partitions().add(key.bytes, key.length, entry);
        partitionsAdded = partitionsAdded + 1;
        countPartition(partitionKey.getKeyLength());
    }

    private static void putWhole(final RecordArena arena, final long record, final ByteBlob blob) {
        arena.putInt(record, 0, blob.position);
        arena.putBytes(record, Records.BLOB_OFFSET, blob.bytes, 0, blob.position);
    }

    /** Splits a blob into a wide partition if it is large and returns its record; {@link RecordArena#NONE} if it stays whole. */
    private long splitIfWide(final ShardMemory memory, final ByteBlob blob, final int parts, final Scratch scratch) {
        return parts > 1 && blob.position > memtable.parameters().widePartitionBytes() && memtable.canSplitRows()
            ? new WideWriter(memtable, memory, scratch).split(blob) : RecordArena.NONE;
    }

    private void merge(
        final ShardMemory memory, final long entry, final PartitionUpdate update, final UpdateMerge merge,
        final Scratch scratch) {
        final RecordArena arena = memory.arena;
        final long record = arena.getLong(entry, 0);
        final int length = arena.getInt(record, 0);
        final int firstOffset = Records.firstRecordOffset(memory.partitions().storesKeys(), scratch.key.length);
        if (length < 0) {
            new WideWriter(memtable, memory, scratch).merge(entry, update, merge);
            return;
        }
        countCopy();
        final int parts = merge.isPreparedFor(record)
            ? merge.preparedParts() : mergeBlobs(arena, record, length, update, merge, scratch);
        final ByteBlob blob = scratch.out;
        long merged = splitIfWide(memory, blob, parts, scratch);
        if (merged == RecordArena.NONE) {
            merged = arena.allocate(Records.BLOB_OFFSET + blob.position);
            putWhole(arena, merged, blob);
        }
        arena.putLongRelease(entry, merged);
        if (record != Records.firstRecord(entry, firstOffset)) {
            arena.retire(record, Records.BLOB_OFFSET + length);
        }
    }

    /**
     * Merges an update into the blob of a partition, writes the result to the scratch's output, and returns the number of rows
     * and ranges.
     */
    private int mergeBlobs(
        final RecordArena arena, final long record, final int length, final PartitionUpdate update,
        final UpdateMerge merge, final Scratch scratch) {
        final ByteBlob in = scratch.in;
        final ByteBlob out = scratch.out;
        arena.getBytes(record, Records.BLOB_OFFSET, in.ofLength(length), 0, length);
        in.position = 0;
        out.position = 0;
        final ClusteringComparator comparator = memtable.metadata().comparator;
        final int clusteringSize = comparator.size();
        final RowEncoder encoder = new RowEncoder(memtable.columnNumbers());
        final RowDecoder decoder = new RowDecoder(memtable.columnNumbers(), clusteringSize);
        final PartitionHead head = PartitionHead.read(in, decoder, comparator);
        final int headBytes = in.position;
        final PartitionHead newHead = head.with(merge, update.deletionInfo(), update.staticRow());
        if (newHead == head) {
            out.putBytes(in.bytes, 0, headBytes);
        } else {
            PartitionBlob.putHead(newHead.deletion(), RecordArena.NONE, newHead.staticRow(), encoder, out);
        }
        int parts = newHead.deletion().rangeCount();
        final Iterator<Row> updates = update.iterator();
        Row next = updates.hasNext() ? updates.next() : null;
        while (in.position < length) {
            final int start = in.position;
            final int rowLength = in.getVarint();
            final int end = in.position + rowLength;
            int order = 1;
            if (next != null) {
                final Clustering<?> clustering = RowDecoder.clustering(in, clusteringSize);
                order = comparator.compare(next.clustering(), clustering);
                while (order < 0) {
                    PartitionBlob.putRow(merge.insert(next), encoder, out);
                    parts++;
                    next = updates.hasNext() ? updates.next() : null;
                    order = next == null ? 1 : comparator.compare(next.clustering(), clustering);
                }
                if (order == 0) {
                    PartitionBlob.putRow(merge.merge(decoder.content(in, clustering), next), encoder, out);
                    next = updates.hasNext() ? updates.next() : null;
                }
            }
            if (order != 0) {
                out.putBytes(in.bytes, start, end - start);
            }
            parts++;
            in.position = end;
        }
        while (next != null) {
            PartitionBlob.putRow(merge.insert(next), encoder, out);
            parts++;
            next = updates.hasNext() ? updates.next() : null;
        }
        return parts;
    }

    // ---- reading ----

    @Override
    Partition partition(final DecoratedKey key) {
        final ShardMemory memory = memory();
        final int guard = memory == null ? NO_GUARD : enter(memory);
        if (guard == NO_GUARD) {
            return null;
        }
        final Scratch scratch = Scratch.take();
        boolean kept = false;
        try {
            memtable.keys().encode(key, scratch.key);
            final long entry = find(memory, scratch.key);
            if (entry == PointIndex.NONE) {
                return null;
            }
            final long record = memory.arena.getLongAcquire(entry);
            if (memory.arena.getInt(record, 0) < 0) {
                final Partition wide = WidePartition.owningGuard(memtable, memory, record, key, guard);
                kept = true;
                return wide;
            }
            return whole(memory, record, key, scratch);
        } finally {
            if (!kept) {
                memory.epochs.exit(guard);
            }
            scratch.recycle();
        }
    }

    @Override
    void prefetch(final ShardMemory memory, final long payload) {
        memory.arena.prefetch(payload);
    }

    @Override
    Partition partition(final ShardMemory memory, final long payload, final DecoratedKey key, final PartitionUse use) {
        final long record = memory.arena.getLongAcquire(payload);
        if (memory.arena.getInt(record, 0) < 0) {
            return WidePartition.underGuard(memtable, memory, record, key);
        }
        final Scratch scratch = Scratch.take();
        try {
            return whole(memory, record, key, scratch);
        } finally {
            scratch.recycle();
        }
    }

    private Partition whole(
        final ShardMemory memory, final long record, final DecoratedKey key, final Scratch scratch) {
        final int length = memory.arena.getInt(record, 0);
        final ByteBlob in = scratch.in;
        memory.arena.getBytes(record, Records.BLOB_OFFSET, in.ofLength(length), 0, length);
        in.position = 0;
        final TableMetadata metadata = memtable.metadata();
        final RowDecoder decoder = new RowDecoder(memtable.columnNumbers(), metadata.comparator.size());
        final PartitionHead head = PartitionHead.read(in, decoder, metadata.comparator);
        return new RecordPartition(
            metadata, key, head, rows(in, length, decoder), memtable.collectedColumns(), memtable.collectedStats());
    }

    private static Object[] rows(final ByteBlob in, final int length, final RowDecoder decoder) {
        Object[] rows = new Object[1];
        int count = 0;
        while (in.position < length) {
            in.getVarint();
            if (count == rows.length) {
                rows = java.util.Arrays.copyOf(rows, count * 4);
            }
            rows[count++] = decoder.row(in);
        }
        return RowDecoder.tree(rows, count);
    }
}
