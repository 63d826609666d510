/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.offheap.EpochReclaimer;

import java.util.Arrays;

/**
 * Retired blocks by size; those that readers may still hold are separate from the free ones.
 * <p> Sizes are rounded up to classes: multiples of 8 up to 512 bytes, eight steps per doubling above.
 * <h2>Thread safety</h2> One thread at a time.
 */
final class FreeBlocks {
    static final int CLASSES = 256;

    private static final int GRANULE_SHIFT = 3;
    private static final int LINEAR_SHIFT = 9;
    private static final int LINEAR_BYTES = 1 << LINEAR_SHIFT;
    private static final int LINEAR_CLASSES = LINEAR_BYTES >> GRANULE_SHIFT;
    private static final int STEPS_SHIFT = 3;
    private static final int LIMBO_LISTS = 3;
    private static final int CLASS_BITS = 8;
    private static final int RETIRES_PER_ADVANCE = 64;
    /* Log2 of the bytes that count like one block, so that few large blocks do not wait for many others. */
    private static final int RETIRE_SHIFT = 12;
    private static final int INITIAL_LIMBO = 16;
    private static final int LARGE_LIMBO = 1 << 16;

    private final EpochReclaimer epochs;
    private final FreeLists freeLists;
    private final long[][] limbo = new long[LIMBO_LISTS][INITIAL_LIMBO];
    private final int[] limboSizes = new int[LIMBO_LISTS];
    private final long[] limboEpochs = new long[LIMBO_LISTS];
    private int retiresToAdvance = RETIRES_PER_ADVANCE;

    /** The lists of free blocks. */
    interface FreeLists {
        /** Adds a block to the list of its class. */
        void push(long pointer, int sizeClass);
    }

    FreeBlocks(final EpochReclaimer epochs, final FreeLists freeLists) {
        this.epochs = epochs;
        this.freeLists = freeLists;
    }

    /** Returns the class of the blocks for a number of bytes. */
    static int classOf(final int bytes) {
        if (bytes <= LINEAR_BYTES) {
            return Math.max(1, bytes + (1 << GRANULE_SHIFT) - 1 >>> GRANULE_SHIFT);
        }
        final int log = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(bytes - 1);
        final int stepShift = log - STEPS_SHIFT;
        final int steps = bytes - (1 << log) + (1 << stepShift) - 1 >>> stepShift;
        return LINEAR_CLASSES + (log - LINEAR_SHIFT << STEPS_SHIFT) + steps;
    }

    /** Returns the size of the blocks of a class. */
    static int bytesOf(final int sizeClass) {
        if (sizeClass <= LINEAR_CLASSES) {
            return sizeClass << GRANULE_SHIFT;
        }
        final int step = sizeClass - LINEAR_CLASSES - 1;
        final int log = LINEAR_SHIFT + (step >> STEPS_SHIFT);
        return (1 << log) + ((step & (1 << STEPS_SHIFT) - 1) + 1 << log - STEPS_SHIFT);
    }

    /** Retires a block that was just unlinked; it becomes free once no reader can hold it. */
    void retire(final long pointer, final int sizeClass) {
        final long epoch = epochs.epochOfUnlinking();
        final int list = (int) (epoch % LIMBO_LISTS);
        if (limboEpochs[list] != epoch) {
            drain(list); // at least three epochs old
            limboEpochs[list] = epoch;
        }
        if (limboSizes[list] == limbo[list].length) {
            limbo[list] = Arrays.copyOf(limbo[list], limboSizes[list] * 2);
        }
        limbo[list][limboSizes[list]++] = pointer << CLASS_BITS | sizeClass;
        retiresToAdvance -= 1 + (bytesOf(sizeClass) >>> RETIRE_SHIFT);
        if (retiresToAdvance <= 0) {
            retiresToAdvance = RETIRES_PER_ADVANCE;
            epochs.tryAdvance();
            for (int i = 0; i < LIMBO_LISTS; i++) {
                if (epochs.isQuiescent(limboEpochs[i])) {
                    drain(i);
                }
            }
        }
    }

    private void drain(final int list) {
        final long[] blocks = limbo[list];
        for (int i = 0; i < limboSizes[list]; i++) {
            freeLists.push(blocks[i] >>> CLASS_BITS, (int) blocks[i] & (1 << CLASS_BITS) - 1);
        }
        limboSizes[list] = 0;
        if (blocks.length > LARGE_LIMBO) {
            limbo[list] = new long[INITIAL_LIMBO];
        }
    }
}
