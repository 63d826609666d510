/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.bytes.LoweredLimit;

import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Blocks of any kind that were unlinked and that readers may still hold. They become free in the order in which they were
 * retired: so a block that leads to one that was retired later is free before that.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
public final class RetiredBlocks {
    private static final int RETIRES_PER_ADVANCE = LoweredLimit.of("retires", 64, 1);
    /* Log2 of the bytes that count like one block, so that few large blocks do not wait for many others. */
    private static final int RETIRE_SHIFT = 12;
    private static final int LISTS = 3;
    private static final int INITIAL_BLOCKS = 16;
    private static final int MANY_BLOCKS = 1 << 16;
    private static final long[] NONE = {};

    private final EpochReclaimer epochs;
    private final LongConsumer freed;
    /* Blocks that have no epoch yet: it takes a full fence, one for all of them. */
    private long[] untagged = new long[INITIAL_BLOCKS];
    private int untaggedSize;
    private final long[][] lists = new long[LISTS][INITIAL_BLOCKS];
    private final int[] sizes = new int[LISTS];
    private final long[] retiredIn = new long[LISTS];
    private long retiresToAdvance = RETIRES_PER_ADVANCE;
    /* Blocks of the oldest list that were freed: an error out of a call of the receiver frees none of them again. */
    private int freedOfOldest;

    /** Creates an empty list; {@code freed} receives each block when no reader can hold it any more. */
    public RetiredBlocks(final EpochReclaimer epochs, final LongConsumer freed) {
        this.epochs = epochs;
        this.freed = freed;
    }

    /** Makes room on the heap for a number of blocks that will be retired soon, so that retiring them cannot fail. */
    public void expect(final int count) {
        untagged = longer(untagged, untaggedSize + count);
    }

    private static long[] longer(final long[] blocks, final int room) {
        return room <= blocks.length ? blocks : Arrays.copyOf(blocks, Math.max(room, blocks.length * 2));
    }

    /**
     * Retires a block that was just unlinked. If the heap has no room for it, nothing has changed. The larger the blocks, the
     * sooner the epoch is moved on.
     */
    public void retire(final long block, final long bytes) {
        expect(1);
        untagged[untaggedSize++] = block;
        retiresToAdvance -= 1 + (bytes >>> RETIRE_SHIFT);
        if (retiresToAdvance <= 0) {
            advance();
        }
    }

    /** Moves the epoch on if readers let it, and frees the blocks that no reader can hold. */
    public void advance() {
        retiresToAdvance = RETIRES_PER_ADVANCE;
        tag();
        epochs.tryAdvance();
        free();
    }

    /** Frees all blocks, except those that a reader may hold who is inside a guard. */
    public void reclaim() {
        tag();
        epochs.tryAdvance();
        advance();
    }

    private void tag() {
        final long epoch = epochs.epochOfUnlinking();
        final int list = (int) (epoch % LISTS);
        if (retiredIn[list] != epoch) {
            free(); // what the list holds is at least three epochs old
            retiredIn[list] = epoch;
        }
        try {
            lists[list] = longer(lists[list], sizes[list] + untaggedSize);
        } catch (final OutOfMemoryError e) {
            return; // they get an epoch later
        }
        System.arraycopy(untagged, 0, lists[list], sizes[list], untaggedSize);
        sizes[list] += untaggedSize;
        untaggedSize = 0;
    }

    private int oldest() {
        int oldest = 0;
        for (int list = 1; list < LISTS; list++) {
            if (sizes[oldest] == 0 || sizes[list] > 0 && retiredIn[list] < retiredIn[oldest]) {
                oldest = list;
            }
        }
        return oldest;
    }

    private void free() {
        while (true) {
            final int oldest = oldest();
            if (sizes[oldest] == 0 || !epochs.isQuiescent(retiredIn[oldest])) {
                return;
            }
            final long[] blocks = lists[oldest];
            while (freedOfOldest < sizes[oldest]) {
                freed.accept(blocks[freedOfOldest++]);
            }
            sizes[oldest] = 0;
            freedOfOldest = 0;
            if (blocks.length > MANY_BLOCKS) {
                lists[oldest] = NONE;
            }
        }
    }

    /** Passes on all blocks that are not free yet. */
    public void forEach(final LongConsumer action) {
        Arrays.stream(untagged, 0, untaggedSize).forEach(action);
        for (int list = 0; list < LISTS; list++) {
            Arrays.stream(lists[list], list == oldest() ? freedOfOldest : 0, sizes[list]).forEach(action);
        }
    }
}
