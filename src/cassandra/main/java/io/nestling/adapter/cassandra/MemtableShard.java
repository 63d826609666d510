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
import java.util.function.ToLongFunction;

/**
 * The partitions of a range of tokens. The first write allocates its memory.
 * <h2>Thread safety</h2> Any number of threads write, in turn under {@link #lock}, and read without a lock.
 */
abstract class MemtableShard {
    static final int NO_GUARD = -1;

    final NestlingMemtable memtable;
    final ReentrantLock lock = new ReentrantLock();

    private volatile ShardMemory memory;
    /* Written under the lock with release: a thread that knows that a put has returned sees its count. */
    private final AtomicLong partitionCount = new AtomicLong();
    private final AtomicLong partitionKeyBytes = new AtomicLong();
    private final AtomicLong liveDataSize = new AtomicLong();
    private final AtomicLong operations = new AtomicLong();
    private final AtomicLong overflowedWrites = new AtomicLong();
    private final AtomicLong copiedPartitions = new AtomicLong();
    private long chargedBytes;
    private long chargedHeapBytes;
    private volatile boolean nearLimit;
    private volatile boolean overflowing;

    MemtableShard(final NestlingMemtable memtable) {
        this.memtable = memtable;
    }

    /** Merges an update into its partition; returns the least time difference to an overwritten cell. */
    abstract long put(PartitionUpdate update, UpdateTransaction indexer, OpOrder.Group group);

    /**
     * Returns the current state of a payload's partition. The caller holds a guard of the memory and keeps it as long as it
     * uses the partition, except for a single read.
     */
    abstract Partition partition(ShardMemory memory, long payload, DecoratedKey key, PartitionUse use);

    /** Prefetches the memory that a read of a partition needs. */
    abstract void prefetch(ShardMemory memory, long payload);

    /** Returns the partition of a key for a single read, or null. */
    abstract Partition partition(DecoratedKey key);

    /** Returns the memory, or null if there is none; it may be read only after {@link #enter}. */
    final ShardMemory memory() {
        return memory;
    }

    /**
     * Enters a guard of the memory: what is found afterwards stays valid. Cassandra discards a memtable when its readers
     * have left, but a compaction may look a key up without being such a reader.
     *
     * @return the guard, or {@link #NO_GUARD} if the memory was closed meanwhile
     */
    final int enter(final ShardMemory present) {
        final int guard = present.epochs.enter();
        // The guard is counted before this read, and close checks the counts after it has written the field.
        if (memory != present) {
            present.epochs.exit(guard);
            return NO_GUARD;
        }
        return guard;
    }

    /** Returns the memory, after creating it if there is none; called under the lock. */
    final ShardMemory open() {
        ShardMemory present = memory;
        if (present == null) {
            present = new ShardMemory(memtable.parameters(), memtable.slabs());
            memory = present;
        }
        return present;
    }

    /** Returns the payload of a key, or {@link PointIndex#NONE}. */
    static long find(final ShardMemory memory, final KeyScratch key) {
        return memory.partitions().get(key.bytes, key.length);
    }

    private static void add(final AtomicLong counter, final long number) {
        counter.setRelease(counter.getPlain() + number);
    }

    /** Counts a new partition; called under the lock. */
    final void countPartition(final int keyBytes) {
        add(partitionCount, 1);
        add(partitionKeyBytes, keyBytes);
    }

    /** Counts a write; called under the lock. */
    final void countWrite(final long dataSize, final int writes) {
        add(liveDataSize, dataSize);
        add(operations, writes);
    }

    /** Returns the number of bytes off heap allocated since the last call; called under the lock. */
    final long takenBytes() {
        final ShardMemory present = memory;
        final long bytes = present == null ? 0 : present.bytes();
        final long taken = bytes - chargedBytes;
        if (taken != 0) {
            chargedBytes = bytes;
            nearLimit = present.isNearLimit();
        }
        return taken;
    }

    /** Returns the bytes on heap that were allocated since the last call because memory was refused; called under the lock. */
    final long takenHeapBytes() {
        final ShardMemory present = memory;
        final boolean overflows = present != null && present.isOverflowing();
        if (overflows != overflowing) {
            overflowing = overflows;
        }
        if (overflows) {
            add(overflowedWrites, 1);
        }
        final long bytes = present == null ? 0 : present.overflowBytes();
        final long taken = bytes - chargedHeapBytes;
        chargedHeapBytes = bytes;
        return taken;
    }

    /** Returns whether new records or keys are on the heap, since the system refused memory. */
    final boolean isOverflowing() {
        return overflowing;
    }

    final long overflowedWrites() {
        return overflowedWrites.get();
    }

    /** Returns the number of bytes on the heap that records and keys take because memory was refused. */
    final long overflowBytes() {
        final ShardMemory present = memory;
        return present == null ? 0 : present.overflowBytes();
    }

    /** Returns why memory was refused last; null if it never was. */
    final String refusal() {
        final ShardMemory present = memory;
        return present == null ? null : present.refusal();
    }

    /** Returns the number of bytes off the heap. */
    final long offHeapBytes() {
        final ShardMemory present = memory;
        return present == null ? 0 : present.bytes();
    }

    /** Returns the number of bytes of indexes off the heap. */
    final long indexBytes() {
        return ofMemory(ShardMemory::indexBytes);
    }

    /** Returns the number of bytes of records off the heap. */
    final long recordBytes() {
        return ofMemory(present -> Math.max(0, present.bytes() - present.indexBytes()));
    }

    final long widePartitions() {
        return ofMemory(ShardMemory::widePartitions);
    }

    /** Returns the number of records that were replaced. */
    final long retiredRecords() {
        return ofMemory(present -> present.arena.retiredRecords());
    }

    private long ofMemory(final ToLongFunction<ShardMemory> number) {
        final ShardMemory present = memory;
        final int guard = present == null ? NO_GUARD : enter(present);
        if (guard == NO_GUARD) {
            return 0;
        }
        try {
            return number.applyAsLong(present);
        } finally {
            present.epochs.exit(guard);
        }
    }

    /** Counts a partition that a write has copied as a whole; called under the lock. */
    final void countCopy() {
        add(copiedPartitions, 1);
    }

    final long copiedPartitions() {
        return copiedPartitions.get();
    }

    /** Returns whether the memtable should be flushed, since an index of the shard will be full soon. */
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

    /** Frees all memory. No reader is left except, possibly, a compaction that is looking a key up. */
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
