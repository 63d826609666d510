/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;

/** Gives a number of slabs and no more. */
public final class LimitedAllocator implements SlabAllocator {
    private final SlabAllocator allocator;
    private final int limit;
    private final boolean heapEnds;
    private int given;

    /** One behind whose limit the memory ends. */
    public LimitedAllocator(final SlabAllocator allocator, final int limit) {
        this(allocator, limit, false);
    }

    /**
     * One behind whose limit the memory, or the heap, ends.
     *
     * @param heapEnds whether that is an {@link OutOfMemoryError}
     */
    public LimitedAllocator(final SlabAllocator allocator, final int limit, final boolean heapEnds) {
        this.allocator = allocator;
        this.limit = limit;
        this.heapEnds = heapEnds;
    }

    @Override
    public Slab allocate(final long bytes) {
        if (given == limit) {
            if (heapEnds) {
                throw new OutOfMemoryError("no more than " + limit + " slabs");
            }
            throw new SpaceExhaustedException("no more than " + limit + " slabs");
        }
        given++;
        return allocator.allocate(bytes);
    }

    /** Slabs that it gave. */
    public int given() {
        return given;
    }

    @Override
    public long maxSlabBytes() {
        return allocator.maxSlabBytes();
    }

    @Override
    public boolean lazy() {
        return allocator.lazy();
    }
}
