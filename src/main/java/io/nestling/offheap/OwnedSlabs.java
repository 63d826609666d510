/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import java.util.ArrayList;

/**
 * The slabs that one owner allocated. A slab that its user closes is dropped from the list; slabs that an error has lost
 * before their user stored them are closed with the owner.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread; the owner calls {@code close} after all other use has ended.
 */
public final class OwnedSlabs implements SlabAllocator, AutoCloseable {
    private final SlabAllocator allocator;
    private final ArrayList<Slab> slabs = new ArrayList<>();

    /** Creates an owner without slabs. */
    public OwnedSlabs(final SlabAllocator allocator) {
        this.allocator = allocator;
    }

    @Override
    public synchronized Slab allocate(final long bytes) {
        slabs.removeIf(slab -> slab.release == null);
        slabs.ensureCapacity(slabs.size() + 1);
        final Slab slab = allocator.allocate(bytes);
        try {
            slabs.add(slab);
            return slab;
        } catch (final Throwable e) {
            slab.close();
            throw e;
        }
    }

    @Override
    public long maxSlabBytes() {
        return allocator.maxSlabBytes();
    }

    @Override
    public boolean lazy() {
        return allocator.lazy();
    }

    /** Closes all open slabs. May be called again, also after it has thrown. */
    @Override
    public synchronized void close() {
        for (final Slab slab : slabs) {
            if (slab.release != null) {
                slab.close();
            }
        }
    }
}
