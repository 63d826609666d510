/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jcstress;

import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Off-heap blocks for the states of a test, handed out in turn. A test has a few thousand states at a time, so that a block is
 * long out of use when its turn comes again. A block holds what its last state left: a new one writes all that it will read.
 * <h2>Thread safety</h2>
 * Any thread.
 */
public final class Blocks {
    /** Number of blocks, at least four times the states of {@link Main}. */
    public static final int COUNT = 1 << 15;

    private final Slab slab;
    private final int bytes;
    private final AtomicInteger next = new AtomicInteger();

    /**
     * Reserves blocks in a new slab.
     *
     * @param bytes size of a block, a multiple of 64
     */
    public Blocks(final int bytes) {
        this(SlabAllocator.direct().allocate((COUNT + 1L) * bytes), bytes);
    }

    /**
     * Uses a slab.
     *
     * @param slab slab with room for one block more than {@link #COUNT}
     * @param bytes size of a block, a multiple of 64
     */
    public Blocks(final Slab slab, final int bytes) {
        this.slab = slab;
        this.bytes = bytes;
    }

    /**
     * Returns the slab.
     *
     * @return the slab of all blocks
     */
    public Slab slab() {
        return slab;
    }

    /**
     * Returns the next block.
     *
     * @return its offset, never 0
     */
    public long next() {
        return (1 + (next.getAndIncrement() & COUNT - 1)) * (long) bytes;
    }
}
