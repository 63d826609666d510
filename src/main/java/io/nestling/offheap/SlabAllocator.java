/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.MemorySource;
import io.nestling.memory.SpaceExhaustedException;

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
     * Returns a slab in a direct buffer.
     *
     * @param buffer the buffer, aligned to 64 bytes, which nobody else uses
     * @param release gives the buffer back when the slab is closed
     * @return a slab of its capacity, whose content is arbitrary
     */
    static Slab wrap(final ByteBuffer buffer, final Runnable release) {
        return Slab.wrap(buffer, 0, release);
    }
}
