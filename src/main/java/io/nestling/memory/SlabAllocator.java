/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import io.netty.buffer.ByteBufAllocator;

/**
 * Source of slabs.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public interface SlabAllocator {
    /**
     * Reserves a slab. Its memory reads as zeroes where {@link Slab#zeroed()}.
     *
     * @param bytes most bytes that will be used, at most {@link Slab#MAX_BYTES}
     * @return a new slab, which the caller closes
     * @throws SpaceExhaustedException if the slab is too large or the system has no memory or address space
     *     for it
     */
    Slab allocate(long bytes);

    /**
     * Largest slab that this source gives.
     *
     * @return bytes
     */
    long maxSlabBytes();

    /**
     * Tells whether a slab takes memory only as it is touched, so that it costs nothing to reserve more than
     * will be used.
     *
     * @return false if the whole slab is taken at once
     */
    boolean lazy();

    /**
     * Slabs mapped by the native bridge on huge pages, or by the JDK where no native bridge loads. Memory is
     * touched as it is used.
     *
     * @return the default source
     */
    static SlabAllocator direct() {
        return MappedSlabAllocator.INSTANCE;
    }

    /**
     * Slabs that are direct buffers of a Netty allocator. Netty takes the whole reservation at once, so that
     * it should be sized to what is needed.
     *
     * @param allocator Netty's allocator
     * @return a source that gives slabs of at most 1 GiB
     */
    static SlabAllocator netty(final ByteBufAllocator allocator) {
        return new NettySlabAllocator(allocator);
    }
}
