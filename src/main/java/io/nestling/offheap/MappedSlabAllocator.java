/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;

/**
 * Slabs mapped from the system; {@link SmallSlabs} if they are small.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class MappedSlabAllocator implements SlabAllocator {
    static final SlabAllocator INSTANCE = new MappedSlabAllocator();

    private MappedSlabAllocator() {
    }

    @Override
    public Slab allocate(final long bytes) {
        if (bytes <= 0 || bytes > Slab.MAX_BYTES) {
            throw new SpaceExhaustedException(
                "expected a slab of 1 to " + Slab.MAX_BYTES + " bytes, the limit on this JDK, but was " + bytes);
        }
        if (bytes <= SmallSlabs.BYTES) {
            return SmallSlabs.allocate();
        }
        final long pages = (bytes + MemoryBudget.SLAB_BYTES - 1) / MemoryBudget.SLAB_BYTES;
        return Slab.map(pages * MemoryBudget.SLAB_BYTES);
    }

    @Override
    public long maxSlabBytes() {
        return Slab.MAX_BYTES;
    }

    @Override
    public boolean lazy() {
        return Slab.isLazy();
    }
}
