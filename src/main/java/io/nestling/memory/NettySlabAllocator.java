/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

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
        if (bytes > MAX_BYTES) {
            throw new SpaceExhaustedException(
                "a slab of " + bytes + " bytes is more than the " + MAX_BYTES
                + " that one Netty buffer gives");
        }
        final int size = (int) bytes;
        final ByteBuf chunk = allocator.directBuffer(size + ALIGNMENT, size + ALIGNMENT);
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
