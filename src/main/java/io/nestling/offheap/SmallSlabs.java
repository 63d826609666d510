/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.MemoryBudget;

import java.util.ArrayList;

/**
 * Small slabs of one size, carved out of chunks that the whole process shares: thousands of small memtables take few mappings.
 * A slab is handed on once it is closed, so that its content is arbitrary; a chunk is unmapped with its last slab.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class SmallSlabs {
    /** Size of a small slab in bytes. */
    static final int BYTES = SlabAllocator.SMALL_BYTES;

    private static final int SLABS_PER_CHUNK = (int) MemoryBudget.SLAB_BYTES / BYTES;
    private static final ArrayList<Chunk> CHUNKS = new ArrayList<>();

    private SmallSlabs() {
    }

    /** A mapping, and a bit for each of its slabs that is in use. */
    private static final class Chunk {
        private final Slab memory = MappedSlabAllocator.map(MemoryBudget.SLAB_BYTES);
        private final long[] used = new long[SLABS_PER_CHUNK / Long.SIZE];
        /* Set before it is unmapped: no slab is carved out of it any more. */
        private boolean ending;

        /** Returns the number of a slab that is not in use, or -1. */
        int unused() {
            for (int i = 0; i < used.length && !ending; i++) {
                if (used[i] != -1L) {
                    return i * Long.SIZE + Long.numberOfTrailingZeros(~used[i]);
                }
            }
            return -1;
        }

        /** Returns whether no slab but one is in use. */
        boolean isOnly(final int number) {
            for (int i = 0; i < used.length; i++) {
                if (used[i] != (i == number / Long.SIZE ? 1L << number : 0)) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Returns a slab of {@link #BYTES}. */
    static synchronized Slab allocate() {
        for (final Chunk chunk : CHUNKS) {
            final int number = chunk.unused();
            if (number >= 0) {
                return carve(chunk, number);
            }
        }
        CHUNKS.ensureCapacity(CHUNKS.size() + 1);
        final Chunk chunk = new Chunk();
        CHUNKS.add(chunk);
        try {
            chunk.memory.useSmallPages(0, MemoryBudget.SLAB_BYTES);
            return carve(chunk, 0);
        } catch (final Throwable e) {
            end(chunk);
            throw e;
        }
    }

    private static Slab carve(final Chunk chunk, final int number) {
        final long offset = (long) number * BYTES;
        final Slab slab = Slab.wrap(
            chunk.memory.view(offset, BYTES), chunk.memory.address(offset), () -> release(chunk, number));
        chunk.used[number / Long.SIZE] |= 1L << number;
        return slab;
    }

    /** Releases a slab. May be called again if it throws: until the end, no one else gets the slab. */
    private static synchronized void release(final Chunk chunk, final int number) {
        if (chunk.isOnly(number)) {
            end(chunk);
        }
        chunk.used[number / Long.SIZE] &= ~(1L << number); // last, and no call
    }

    /** Returns the number of chunks. */
    static synchronized int chunks() {
        return CHUNKS.size();
    }

    private static void end(final Chunk chunk) {
        chunk.ending = true;
        if (chunk.memory.release != null) { // it may be closed by an attempt that an error has ended
            chunk.memory.close();
        }
        CHUNKS.remove(chunk);
    }
}
