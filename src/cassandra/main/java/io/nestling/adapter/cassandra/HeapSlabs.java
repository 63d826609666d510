/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Slabs in arrays on the Java heap, for records that the system has no other memory for. They work on JDK 17 to 21, on which
 * Cassandra runs.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
final class HeapSlabs implements SlabAllocator {
    static final HeapSlabs INSTANCE = new HeapSlabs();

    private HeapSlabs() {
    }

    @Override
    public Slab allocate(final long bytes) {
        if (bytes > maxSlabBytes()) {
            throw new SpaceExhaustedException(
                "expected a slab on the heap of at most " + maxSlabBytes() + " bytes but was " + bytes);
        }
        return SlabAllocator.wrap(ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN), () -> { });
    }

    @Override
    public long maxSlabBytes() {
        return RecordArena.MAX_BLOCK_BYTES;
    }

    @Override
    public boolean lazy() {
        return false;
    }
}
