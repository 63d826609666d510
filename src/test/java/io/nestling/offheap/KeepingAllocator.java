/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import java.util.ArrayList;
import java.util.List;

/** Remembers the slabs that it gives, so that tests can look into them. */
final class KeepingAllocator implements SlabAllocator {
    private final SlabAllocator allocator;
    private final List<Slab> slabs = new ArrayList<>();

    KeepingAllocator(final SlabAllocator allocator) {
        this.allocator = allocator;
    }

    @Override
    public synchronized Slab allocate(final long bytes) {
        final Slab slab = allocator.allocate(bytes);
        slabs.add(slab);
        return slab;
    }

    @Override
    public long maxSlabBytes() {
        return allocator.maxSlabBytes();
    }

    @Override
    public boolean lazy() {
        return allocator.lazy();
    }

    synchronized Slab slab(final int i) {
        return slabs.get(i);
    }

    synchronized int count() {
        return slabs.size();
    }
}
