/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.index.PointIndex;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.partitions.Partition;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.utils.concurrent.OpOrder;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The partitions of a range of tokens. Its memory is taken at the first write.
 * <h2>Thread safety</h2> Any number of threads write, one after the other by {@link #lock}, and read without a lock.
 */
abstract class MemtableShard {
    static final int NO_GUARD = -1;

    final NestlingMemtable memtable;
    final ReentrantLock lock = new ReentrantLock();

    private volatile ShardMemory memory;
    /* Written under the lock with release: a put that has returned is counted for whoever knows that it has. */
    private final AtomicLong partitionCount = new AtomicLong();
    private final AtomicLong partitionKeyBytes = new AtomicLong();
    private final AtomicLong liveDataSize = new AtomicLong();
    private final AtomicLong operations = new AtomicLong();
    private long chargedBytes;
    private volatile boolean nearLimit;

    MemtableShard(final NestlingMemtable memtable) {
        this.memtable = memtable;
    }

    /** Merges an update into its partition; returns the least distance in time to what was overwritten. */
    abstract long put(PartitionUpdate update, UpdateTransaction indexer, OpOrder.Group group);

    /**
     * The partition of a payload, as it is now. The caller holds a guard of the memory; unless the partition is for a single
     * read, the guard is held until the caller is done with the partition.
     */
    abstract Partition partition(ShardMemory memory, long payload, DecoratedKey key, PartitionUse use);

    /** Asks for what is read of a partition to be loaded. */
    abstract void prefetch(ShardMemory memory, long payload);

    /** The partition of a key for a single read, or null. */
    abstract Partition partition(DecoratedKey key);

    /** What there is of the memory, or null; to be read after {@link #enter}. */
    final ShardMemory memory() {
        return memory;
    }

    /**
     * Enters a guard of the memory: what is found from now on stays in place. Cassandra discards a memtable when its readers
     * have left, but a compaction may ask whether a key is in one without being such a reader.
     *
     * @return the guard, or {@link #NO_GUARD} if the memory was given back meanwhile
     */
    final int enter(final ShardMemory present) {
        final int guard = present.epochs.enter();
        // The guard is counted before this is read, and counts are looked at after it was written: see close.
        if (memory != present) {
            present.epochs.exit(guard);
            return NO_GUARD;
        }
        return guard;
    }

    /** The memory, made if there is none; under the lock. */
    final ShardMemory open() {
        ShardMemory present = memory;
        if (present == null) {
            present = new ShardMemory(memtable.parameters());
            memory = present;
        }
        return present;
    }

    /** The payload of a key, or {@link PointIndex#NONE}. */
    static long find(final ShardMemory memory, final KeyScratch key) {
        return memory.partitions().get(key.bytes, key.length);
    }

    private static void add(final AtomicLong counter, final long number) {
        counter.setRelease(counter.getPlain() + number);
    }

    /** Counts a new partition; under the lock. */
    final void countPartition(final int keyBytes) {
        add(partitionCount, 1);
        add(partitionKeyBytes, keyBytes);
    }

    /** Counts a write; under the lock. */
    final void countWrite(final long dataSize, final int writes) {
        add(liveDataSize, dataSize);
        add(operations, writes);
    }

    /** Bytes off heap that were taken since the last call; under the lock. */
    final long takenBytes() {
        final ShardMemory present = memory;
        final long bytes = present == null ? 0 : present.bytes();
        final long taken = bytes - chargedBytes;
        if (present != null && (taken != 0 || present.isFull())) {
            chargedBytes = bytes;
            nearLimit = present.isNearLimit();
        }
        return taken;
    }

    /** Whether the memtable should be flushed before an index of the shard is full. */
    final boolean isNearLimit() {
        return nearLimit;
    }

    final long partitionCount() {
        return partitionCount.get();
    }

    final long partitionKeyBytes() {
        return partitionKeyBytes.get();
    }

    final long liveDataSize() {
        return liveDataSize.get();
    }

    final long operations() {
        return operations.get();
    }

    /** Gives all memory back. No reader is left but, maybe, a compaction that is looking a key up. */
    final void close() {
        final ShardMemory present;
        lock.lock();
        try {
            present = memory;
            memory = null;
        } finally {
            lock.unlock();
        }
        if (present != null) {
            UnreadMemory.closeOnceUnread(present);
        }
    }
}
