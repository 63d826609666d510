/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.catalog.IndexType;
import io.nestling.index.IndexContext;
import io.nestling.index.OrderedIndex;
import io.nestling.index.small.SmallIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.offheap.WriteFailure;

/**
 * The off-heap memory of one shard: the index of its partitions, the index of its rows once there are wide partitions, and its
 * records.
 * <h2>Thread safety</h2> One thread at a time writes; any number of threads read under a guard of {@link #epochs}.
 */
final class ShardMemory implements AutoCloseable {
    private static final long CAPACITY_BYTES = 1L << 44;
    private static final long LAZY_RECORD_SLAB_BYTES = 1L << 30;
    private static final long EAGER_INDEX_SLAB_BYTES = 16L << 20;
    private static final long EAGER_RECORD_SLAB_BYTES = 4L << 20;
    private static final long MIN_SLAB_BYTES = 4L << 20;
    private static final long SMALL_INDEX_BYTES = (long) SmallIndex.KEYS * Long.BYTES;
    private static final int MAX_NUMBER = Integer.MAX_VALUE / 2;

    final EpochReclaimer epochs = new EpochReclaimer();
    /** Records a write that ended half-way, of the shard or of one of its indexes; further writes then fail. */
    final WriteFailure failure = new WriteFailure();
    final RecordArena arena;

    private final MemtableParameters parameters;
    private final ShardSlabs allocator;
    private final MemoryBudget budget = MemoryBudget.fromSmall(CAPACITY_BYTES);
    private final SafeIndex partitions;
    private final HeadCache heads = new HeadCache();
    private volatile SafeIndex rows;
    private volatile int wideNumbers;

    ShardMemory(final MemtableParameters parameters, final SlabAllocator source) {
        this.parameters = parameters;
        this.allocator = new ShardSlabs(source);
        this.arena = new RecordArena(
            allocator, budget, epochs, allocator.lazy() ? LAZY_RECORD_SLAB_BYTES : EAGER_RECORD_SLAB_BYTES);
        this.partitions = openIndex(parameters.index());
    }

    /** Returns an index that begins small, unless it stores keys: entries of a small index hold theirs. */
    private SafeIndex openIndex(final IndexType type) {
        return type.storesKeys() ? new SafeIndex(newIndex(type), true) : new SafeIndex(
            new SmallIndex(new IndexContext(allocator, budget, epochs, arena, SMALL_INDEX_BYTES, failure)), () -> newIndex(type));
    }

    /**
     * Creates an index with as much address space as is available, since that costs nothing; a smaller index is better than none.
     */
    private SafeIndex.Sized newIndex(final IndexType type) {
        long bytes = allocator.lazy() ? allocator.maxSlabBytes() : EAGER_INDEX_SLAB_BYTES;
        while (true) {
            try {
                final IndexContext context = new IndexContext(allocator, budget, epochs, arena, bytes, failure);
                return new SafeIndex.Sized((OrderedIndex) type.create(context), bytes);
            } catch (final SpaceExhaustedException e) {
                if (bytes <= MIN_SLAB_BYTES) {
                    return new SafeIndex.Sized(null, 0);
                }
                bytes = Math.max(MIN_SLAB_BYTES, bytes / 4);
            }
        }
    }

    /** Returns whether the system refused memory, so that new records or keys are on the heap; called under the lock. */
    boolean isOverflowing() {
        final SafeIndex wide = rows;
        return arena.isOnHeap() || partitions.isOverflowing() || wide != null && wide.isOverflowing();
    }

    /** Returns the number of bytes on the heap that records and keys take because memory was refused. */
    long overflowBytes() {
        final SafeIndex wide = rows;
        return arena.heapBytes() + partitions.overflowBytes() + (wide == null ? 0 : wide.overflowBytes());
    }

    /** Returns the number of bytes of indexes. */
    long indexBytes() {
        final SafeIndex wide = rows;
        return partitions.bytes() + (wide == null ? 0 : wide.bytes());
    }

    /** Returns the number of wide partitions. */
    long widePartitions() {
        return wideNumbers;
    }

    /** Returns why memory was refused last; null if it never was. */
    String refusal() {
        return allocator.refusal();
    }

    /** Returns whether an index will be full soon. */
    boolean isNearLimit() {
        final SafeIndex wide = rows;
        return partitions.isNearLimit() || wide != null && wide.isNearLimit() || wideNumbers > MAX_NUMBER;
    }

    /** Returns the cache of large heads of wide partitions. */
    HeadCache heads() {
        return heads;
    }

    /** Returns the index of partition keys. */
    SafeIndex partitions() {
        return partitions;
    }

    /** Returns the index of the rows of wide partitions, after creating it if there is none; called under the lock. */
    SafeIndex openRows() {
        SafeIndex present = rows;
        if (present == null) {
            present = openIndex(parameters.rowIndex());
            rows = present;
        }
        return present;
    }

    /** Returns the index of the rows of wide partitions, for a reader that has found a wide partition. */
    SafeIndex openedRows() {
        return rows;
    }

    /** Returns a number for a new wide partition; called under the lock. */
    int nextWideNumber() {
        final int number = wideNumbers;
        wideNumbers = number + 1;
        return number;
    }

    /** Returns the number of bytes off heap in use, rounded up to a step of growth, or of slabs if these were taken at once. */
    long bytes() {
        return Math.max(budget.used(), allocator.takenBytes());
    }

    /** Frees all memory. The caller ensures that it is no longer used. */
    @Override
    public void close() {
        partitions.close();
        final SafeIndex wide = rows;
        if (wide != null) {
            wide.close();
        }
        arena.close();
    }
}
