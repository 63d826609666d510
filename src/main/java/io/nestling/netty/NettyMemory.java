/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.netty;

import io.nestling.memory.MemorySource;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Memory in direct buffers of a Netty allocator: it counts in Netty's metrics and obeys its limits. Netty takes the memory of a
 * whole slab at once, so that slabs should not be larger than needed; each has at most 1 GiB.
 * <h2>Thread safety</h2>
 * Any thread.
 */
public final class NettyMemory {
    private static final long MAX_BYTES = 1L << 30;
    private static final int ALIGNMENT = 64;

    private NettyMemory() {
    }

    /**
     * Returns a source of memory.
     *
     * @param allocator Netty's allocator
     * @return a source for {@code MemtableOptions.Builder.memory}
     */
    @SuppressWarnings("exports") // who has Netty requires its module
    public static MemorySource of(final ByteBufAllocator allocator) {
        return new Source(Objects.requireNonNull(allocator, "allocator"));
    }

    private record Source(ByteBufAllocator allocator) implements SlabAllocator {
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
                return SlabAllocator.wrap(aligned.slice(0, size), chunk::release);
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
}
