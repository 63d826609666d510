/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.offheap.BlockAllocator;

/** Sizes of the blocks of flat levels and runs: powers of two. */
final class MlpBlockClasses {
    private static final int SMALLEST_SHIFT = 5;
    private static final int COUNT = 15;

    private MlpBlockClasses() {
    }

    static int[] all() {
        final int[] bytes = new int[COUNT];
        for (int i = 0; i < COUNT; i++) {
            bytes[i] = 1 << SMALLEST_SHIFT + i;
        }
        return bytes;
    }

    /** Returns the smallest class of blocks that hold a number of bytes. */
    static int of(final long bytes) {
        return Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(bytes - 1) - SMALLEST_SHIFT);
    }

    static long bytes(final int sizeClass) {
        return 1L << SMALLEST_SHIFT + sizeClass;
    }

    /** Allocates a block, if necessary one that readers have just left; throws if there is none. */
    static long allocate(final BlockAllocator blocks, final int sizeClass) {
        final long block = blocks.tryAllocate(sizeClass);
        if (block != 0) {
            return block;
        }
        blocks.requireSpace(1, sizeClass);
        return blocks.allocate(sizeClass);
    }

    /** Returns the number of bytes of the largest block. */
    static long largest() {
        return bytes(COUNT - 1);
    }
}
