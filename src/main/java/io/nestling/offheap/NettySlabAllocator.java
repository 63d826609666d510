/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.SpaceExhaustedException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

import java.nio.ByteBuffer;
import java.util.Objects;

/** Slabs in direct buffers of a Netty allocator: they count in Netty's metrics and obey its limits. */
final class NettySlabAllocator implements SlabAllocator {
    static final long MAX_BYTES = 1L << 30;
    private static final int ALIGNMENT = 64;

    private final ByteBufAllocator allocator;

    NettySlabAllocator(final ByteBufAllocator allocator) {
        this.allocator = Objects.requireNonNull(allocator, "allocator");
    }

    @Override
    public Slab allocate(final long bytes) {
        if (bytes <= 0 || bytes > MAX_BYTES) {
            throw new SpaceExhaustedException(
                "expected a slab of 1 to " + MAX_BYTES + " bytes, the limit of a Netty buffer, but was " + bytes);
        }
        final int size = (int) (bytes + ALIGNMENT - 1) & -ALIGNMENT;
        final ByteBuf chunk;
        try {
            chunk = allocator.directBuffer(size + ALIGNMENT, size + ALIGNMENT);
        } catch (final OutOfMemoryError e) {
            throw new SpaceExhaustedException(
                "Netty has no " + bytes + " bytes of direct memory: " + e.getMessage());
        }
        try {
            final ByteBuffer whole = chunk.nioBuffer(0, size + ALIGNMENT);
            final ByteBuffer aligned = whole.alignedSlice(ALIGNMENT);
            return Slab.wrap(aligned.slice(0, size), chunk::release);
        } catch (final RuntimeException | Error e) {
            chunk.release();
            throw e;
        }
    }

    @Override
    public long maxSlabBytes() {
        return MAX_BYTES;
    }

    @Override
    public boolean lazy() {
        return false;
    }
}
