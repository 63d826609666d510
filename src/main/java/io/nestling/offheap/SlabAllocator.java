/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.MemorySource;

import java.nio.ByteBuffer;

/**
 * Source of slabs.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public interface SlabAllocator extends MemorySource {
    /** Bytes up to which a slab of the default allocator is a part of a chunk that the whole process shares. */
    int SMALL_BYTES = 8 << 10;

    /**
     * Returns a new slab of up to {@link #maxSlabBytes}, which the caller closes. Its memory reads as zeroes if {@link
     * Slab#zeroed()}. Throws if the slab is too large or the system has no memory or address space for it.
     */
    Slab allocate(long bytes);

    /** Returns the maximum size of a slab in bytes. */
    long maxSlabBytes();

    /**
     * Returns whether a slab takes memory only as it is touched, so that it costs nothing to allocate more than will be used;
     * otherwise the whole slab is taken at once.
     */
    boolean lazy();

    /**
     * Returns the default allocator: slabs mapped by the native bridge on huge pages, or by the JDK if no native bridge loads.
     * Memory is taken as it is touched if {@link #lazy()}.
     */
    static SlabAllocator direct() {
        return MappedSlabAllocator.INSTANCE;
    }

    /**
     * Returns a slab in a direct buffer that is aligned to 64 bytes and that nobody else uses, of its capacity and of arbitrary
     * content; {@code release} gives the buffer back when the slab is closed.
     */
    static Slab wrap(final ByteBuffer buffer, final Runnable release) {
        return Slab.wrap(buffer, 0, release);
    }
}
