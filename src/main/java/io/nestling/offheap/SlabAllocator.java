/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.SpaceExhaustedException;

import io.netty.buffer.ByteBufAllocator;

/**
 * Source of slabs.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public interface SlabAllocator {
    /**
     * Allocates a slab. Its memory reads as zeroes if {@link Slab#zeroed()}.
     *
     * @param bytes size of the slab, at most {@link #maxSlabBytes}
     * @return a new slab, which the caller closes
     * @throws SpaceExhaustedException if the slab is too large or the system has no memory or address space
     *     for it
     */
    Slab allocate(long bytes);

    /**
     * Returns the maximum size of a slab.
     *
     * @return bytes
     */
    long maxSlabBytes();

    /**
     * Returns whether a slab takes memory only as it is touched, so that it costs nothing to allocate more than
     * will be used.
     *
     * @return false if the whole slab is taken at once
     */
    boolean lazy();

    /**
     * Returns the default allocator: slabs mapped by the native bridge on huge pages, or by the JDK if no native bridge loads.
     * Memory is taken as it is touched if {@link #lazy()}.
     *
     * @return the allocator
     */
    static SlabAllocator direct() {
        return MappedSlabAllocator.INSTANCE;
    }

    /**
     * Returns an allocator of slabs in direct buffers of a Netty allocator. Netty takes the memory of a whole slab at once, so
     * that slabs should not be larger than needed.
     *
     * @param allocator Netty's allocator
     * @return an allocator of slabs of at most 1 GiB
     */
    static SlabAllocator netty(final ByteBufAllocator allocator) {
        return new NettySlabAllocator(allocator);
    }
}
