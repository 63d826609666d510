/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.index.PointIndex;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.partitions.BTreePartitionData;
import org.apache.cassandra.db.partitions.BTreePartitionUpdater;
import org.apache.cassandra.db.partitions.Partition;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.utils.concurrent.OpOrder;
import org.apache.cassandra.utils.memory.EnsureOnHeap;

/** A shard whose partitions are Cassandra's own objects; the index stores their numbers. */
final class ObjectShard extends MemtableShard {
    private static final long REFERENCE_BYTES = 4;

    private final ObjectTable<BTreePartitionData> partitions = new ObjectTable<>();
    private long chargedTableBytes;

    ObjectShard(final NestlingMemtable memtable) {
        super(memtable);
    }

    @Override
    long put(final PartitionUpdate update, final UpdateTransaction indexer, final OpOrder.Group group) {
        final Scratch scratch = Scratch.take();
        try {
            return put(update, indexer, group, scratch.key);
        } finally {
            scratch.recycle();
        }
    }

    private long put(
        final PartitionUpdate update, final UpdateTransaction indexer, final OpOrder.Group group, final KeyScratch key) {
        memtable.keys().encode(update.partitionKey(), key);
        final BTreePartitionUpdater updater = new BTreePartitionUpdater(
            memtable.getAllocator(), memtable.getAllocator().cloner(group), group, indexer);
        final long taken;
        final long heapTaken;
        lock.lock();
        try {
            final ShardMemory memory = open();
            final long payload = find(memory, key);
            if (payload == PointIndex.NONE) {
                memory.failure.check();
                try {
                    final int number = partitions.add(updater.mergePartitions(null, update));
                    memory.partitions().add(key.bytes, key.length, payloadOf(memory, number, key));
                } catch (final Error e) {
                    memory.failure.cause = e; // the index or the arena may have changed half-way
                    throw e;
                }
                countPartition(update.partitionKey().getKeyLength());
            } else {
                final int number = numberOf(memory, payload);
                partitions.set(number, updater.mergePartitions(partitions.get(number), update));
            }
            memtable.collect(update);
            countWrite(updater.dataSize, update.operationCount());
            taken = takenBytes();
            final long tableTaken = partitions.capacity() * REFERENCE_BYTES - chargedTableBytes;
            chargedTableBytes += tableTaken;
            heapTaken = tableTaken + takenHeapBytes();
        } finally {
            lock.unlock();
        }
        memtable.charge(taken, group);
        memtable.chargeHeap(heapTaken, group);
        return updater.colUpdateTimeDelta;
    }

    private static long payloadOf(final ShardMemory memory, final int number, final KeyScratch key) {
        if (memory.partitions().storesKeys()) {
            return number;
        }
        final long entry = memory.arena.allocate(
            RecordArena.ENTRY_KEY_OFFSET + RecordArena.keyBytes(key.length));
        memory.arena.putLong(entry, 0, number);
        memory.arena.putKey(entry, key.bytes, key.length);
        return entry;
    }

    private static int numberOf(final ShardMemory memory, final long payload) {
        return (int) (memory.partitions().storesKeys() ? payload : memory.arena.getLong(payload, 0));
    }

    @Override
    void prefetch(final ShardMemory memory, final long payload) {
        if (!memory.partitions().storesKeys()) {
            memory.arena.prefetch(payload);
        }
    }

    @Override
    Partition partition(final ShardMemory memory, final long payload, final DecoratedKey key, final PartitionUse use) {
        final BTreePartitionData data = partitions.get(numberOf(memory, payload));
        // A flush ends before the memory is freed, and copies nothing to the heap.
        return new ObjectPartition(
            memtable.metadata(), key, data,
            use == PartitionUse.FLUSH ? EnsureOnHeap.NOOP : memtable.getAllocator().ensureOnHeap());
    }

    @Override
    Partition partition(final DecoratedKey key) {
        final ShardMemory memory = memory();
        final int guard = memory == null ? NO_GUARD : enter(memory);
        if (guard == NO_GUARD) {
            return null;
        }
        final Scratch scratch = Scratch.take();
        try {
            memtable.keys().encode(key, scratch.key);
            final long payload = find(memory, scratch.key);
            return payload == PointIndex.NONE ? null : partition(memory, payload, key, PartitionUse.READ);
        } finally {
            memory.epochs.exit(guard);
            scratch.recycle();
        }
    }
}
