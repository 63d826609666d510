/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The slabs of one shard. Where the source takes a slab's memory at once, as without the native helper, this counts all of it.
 * Where it takes address space, some is left to the virtual machine, which ends if it finds none.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
final class ShardSlabs implements SlabAllocator {
    private static final long LEFT_BYTES = 256L << 20;
    /* All shards take direct buffers one after another, else several of them could take the same room. */
    private static final Object DIRECT_MEMORY_LOCK = new Object();

    private final SlabAllocator source;
    private final AtomicLong taken = new AtomicLong();
    private volatile String refusal;

    ShardSlabs(final SlabAllocator source) {
        this.source = source;
    }

    @Override
    public Slab allocate(final long bytes) {
        try {
            return source.lazy() ? mapped(bytes) : counted(bytes);
        } catch (final SpaceExhaustedException e) {
            refusal = e.getMessage();
            throw e;
        }
    }

    private Slab mapped(final long bytes) {
        final Slab slab = source.allocate(bytes);
        try {
            source.allocate(LEFT_BYTES).close();
            return slab;
        } catch (final Throwable e) {
            slab.close();
            throw e;
        }
    }

    private Slab counted(final long bytes) {
        final Slab whole = checkedAllocation(bytes);
        try {
            final long size = whole.size();
            final Slab slab = SlabAllocator.wrap(whole.view(0, (int) size), () -> {
                whole.close();
                taken.addAndGet(-size);
            });
            taken.addAndGet(size);
            return slab;
        } catch (final Throwable e) {
            whole.close();
            throw e;
        }
    }

    private Slab checkedAllocation(final long bytes) {
        synchronized (DIRECT_MEMORY_LOCK) {
            DirectMemory.checkRoom(bytes);
            return source.allocate(bytes);
        }
    }

    /** Returns the bytes of slabs whose memory was taken at once. */
    long takenBytes() {
        return taken.get();
    }

    /** Returns why the last slab was refused; null if none was. */
    String refusal() {
        return refusal;
    }

    @Override
    public long maxSlabBytes() {
        return source.maxSlabBytes();
    }

    @Override
    public boolean lazy() {
        return source.lazy();
    }
}
