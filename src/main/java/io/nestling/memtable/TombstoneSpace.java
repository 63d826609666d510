/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;

import java.util.Arrays;

/**
 * The memory of the range tombstones: a slab in which blocks are appended. It begins as a small slab and moves once, with all
 * offsets as they are, to a large one. Blocks of two sizes can be retired and are allocated again when no reader is left.
 * Everything since {@link #mark} can be undone.
 * <h2>Thread safety</h2>
 * One thread at a time. Readers use the slab that they found with a tree.
 */
final class TombstoneSpace implements AutoCloseable {
    private static final int FIRST = TombstoneLayout.LINE_BYTES;
    private static final int CLASSES = 2;
    private static final int INITIAL_BLOCKS = 16;

    private final SlabAllocator allocator;
    private final MemoryBudget budget;
    private final EpochReclaimer epochs;
    private final long maxBytes;
    private final int[] classBytes;
    private GrowingSlab small;
    private GrowingSlab large;
    private long next = FIRST;
    /* Free blocks of each class; those that a change has taken stay behind the end until the next change. */
    private final Blocks[] free = new Blocks[CLASSES];
    /* Blocks as offset + class: unlinked lately, and in waitingEpoch or before. */
    private Blocks retired = new Blocks();
    private Blocks waiting = new Blocks();
    private long waitingEpoch;
    private boolean markedLarge;
    private long markedNext;
    private int markedRetired;

    /** Offsets of blocks, as a stack. */
    private static final class Blocks {
        private long[] offsets = new long[INITIAL_BLOCKS];
        private int size;
        private int marked;

        void add(final long offset) {
            if (size == offsets.length) {
                offsets = Arrays.copyOf(offsets, 2 * size);
            }
            offsets[size++] = offset;
        }
    }

    /** Creates an empty space for blocks of two sizes that can be retired; takes no memory. */
    TombstoneSpace(
        final SlabAllocator allocator, final MemoryBudget budget, final EpochReclaimer epochs, final long maxBytes,
        final int... classBytes) {
        this.allocator = allocator;
        this.budget = budget;
        this.epochs = epochs;
        this.maxBytes = Math.min(maxBytes, TombstoneLayout.MAX_BYTES);
        this.classBytes = classBytes.clone();
        Arrays.setAll(free, i -> new Blocks());
    }

    /** Returns the slab, null before the first block; it changes when the space grows. */
    Slab slab() {
        return large != null ? large.slab() : small == null ? null : small.slab();
    }

    /** Returns the bytes charged. */
    long bytes() {
        return (small == null ? 0 : small.limit()) + (large == null ? 0 : large.limit());
    }

    // ---- allocating ----

    /** Returns the offset of new bytes of any content; throws if they do not fit. */
    long append(final int bytes, final int alignment) {
        final long start = next + alignment - 1 & -alignment;
        final long end = start + bytes;
        if (large == null) {
            if (small == null) {
                small = new GrowingSlab(allocator, budget, SlabAllocator.SMALL_BYTES);
            }
            if (end > small.slab().size()) {
                moveTo(end);
            } else if (!small.growTo(end)) {
                throw exhausted(end);
            }
        } else if (!large.growTo(end)) {
            throw exhausted(end);
        }
        next = end;
        return start;
    }

    private void moveTo(final long end) {
        if (end > maxBytes) {
            throw exhausted(end);
        }
        final GrowingSlab slab = new GrowingSlab(allocator, budget, maxBytes);
        try {
            if (!slab.growTo(end)) {
                throw exhausted(end);
            }
            for (long at = 0; at < next; at += Long.BYTES) {
                slab.slab().putLong(at, small.slab().getLong(at));
            }
        } catch (final Throwable e) {
            slab.close();
            throw e;
        }
        large = slab;
    }

    private SpaceExhaustedException exhausted(final long end) {
        return new SpaceExhaustedException("range tombstones need " + end + " bytes of at most " + maxBytes + ", have " + next
            + ", and the budget has " + budget.remaining() + " left of " + budget.capacity());
    }

    /** Returns the offset of a block of any content. */
    long allocate(final int blockClass) {
        final Blocks blocks = free[blockClass];
        return blocks.size > 0
            ? blocks.offsets[--blocks.size] : append(classBytes[blockClass], classBytes[blockClass] & -classBytes[blockClass]);
    }

    /** Notes that a block will be unlinked when the change is published. */
    void retire(final long block, final int blockClass) {
        retired.add(block + blockClass);
    }

    // ---- changes ----

    /** Returns whether no reader is left that was inside a guard when {@link #reclaim} was called last. */
    boolean isQuiescent() {
        epochs.tryAdvance();
        epochs.tryAdvance();
        return epochs.isQuiescent(waitingEpoch);
    }

    /** Frees what was retired before the last call of this method, since when {@link #isQuiescent} has returned true. */
    void reclaim() {
        for (int i = 0; i < waiting.size; i++) {
            final int blockClass = (int) waiting.offsets[i] & Long.BYTES - 1;
            free[blockClass].add(waiting.offsets[i] - blockClass);
        }
        waiting.size = 0;
        final Blocks empty = waiting;
        waiting = retired;
        retired = empty;
        waitingEpoch = epochs.epochOfUnlinking();
    }

    /** Begins a change. */
    void mark() {
        markedLarge = large != null;
        markedNext = next;
        markedRetired = retired.size;
        for (final Blocks blocks : free) {
            blocks.marked = blocks.size;
        }
    }

    /** Makes everything as it was at {@link #mark}, charges included. */
    void undo() {
        retired.size = markedRetired;
        for (final Blocks blocks : free) {
            blocks.size = blocks.marked;
        }
        final long end = next;
        next = markedNext;
        if (large != null && !markedLarge) {
            large.close();
            large = null;
        }
        final GrowingSlab slab = large == null ? small : large;
        if (slab != null) {
            slab.slab().clear(next, Math.max(next, Math.min(end, slab.limit())) - next); // what it shrinks by has to be zero
            slab.shrinkTo(next == FIRST ? 0 : next);
        }
    }

    @Override
    public void close() {
        try {
            if (large != null) {
                large.close();
            }
        } finally {
            if (small != null) {
                small.close();
            }
        }
    }
}
