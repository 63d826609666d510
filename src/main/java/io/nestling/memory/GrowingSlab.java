/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

/**
 * A slab of which only a leading part is in use, charged to a budget step by step as that part grows. Address space is
 * reserved for the whole at once; memory is taken where it is first touched, or shortly before by another thread
 * ({@link PagePrefaulter}). A new part reads as zeroes.
 * <h2>Thread safety</h2>
 * One thread at a time grows, shrinks or closes it.
 */
public final class GrowingSlab implements AutoCloseable {
    private final Slab slab;
    private final MemoryBudget budget;
    /* Made before the slab is mapped, which would be lost if the heap ended here. */
    private final PagePrefaulter ahead = new PagePrefaulter();
    private long limit;
    /* Bytes taken from the budget: those below the limit, or more where growing failed halfway. */
    private long charged;
    private boolean closed;

    /**
     * Reserves the address space.
     *
     * @param allocator where the slab comes from
     * @param budget what the part in use is charged to
     * @param maxBytes size of the slab; a multiple of {@link MemoryBudget#SLAB_BYTES}
     */
    public GrowingSlab(final SlabAllocator allocator, final MemoryBudget budget, final long maxBytes) {
        this.budget = budget;
        this.slab = allocator.allocate(maxBytes);
        try {
            ahead.serve(slab);
            if (budget.smallPagesBytes() > 0) {
                slab.useSmallPages(Math.min(budget.smallPagesBytes(), slab.size()));
            }
        } catch (final Throwable e) {
            slab.close();
            throw e;
        }
    }

    /**
     * The slab itself, which this object closes.
     *
     * @return one and the same at each call
     */
    public Slab slab() {
        return slab;
    }

    PagePrefaulter pagesAhead() {
        return ahead;
    }

    /**
     * End of the part in use.
     *
     * @return bytes charged so far; what lies below may be used
     */
    public long limit() {
        return limit;
    }

    /**
     * Makes the part in use reach at least to an offset.
     *
     * @param end the offset
     * @return false if the slab ends before it or the budget does not hold it; nothing has changed then
     */
    public boolean growTo(final long end) {
        if (end <= limit) {
            return true;
        }
        final long step = budget.step();
        final long target = Math.min(slab.size(), (end + step - 1) / step * step);
        if (target < end || target > charged && !budget.tryAcquire(target - charged)) {
            return false;
        }
        if (target > charged) {
            charged = target; // before anything that may fail
        }
        if (!slab.zeroed()) {
            slab.clear(limit, target - limit);
        }
        final long before = limit;
        limit = target;
        if (target > budget.smallPagesBytes()) {
            ahead.grown(before, target, budget.remaining());
        }
        return true;
    }

    /**
     * Gives back to the budget what lies behind an offset, rounded up to a step. Nothing there may be in use, and
     * nothing may have been written there: it would not read as zeroes when the part grows again.
     *
     * @param end the offset
     */
    public void shrinkTo(final long end) {
        final long step = budget.step();
        final long target = Math.min(slab.size(), (end + step - 1) / step * step);
        if (target < limit) {
            ahead.shrunk();
            limit = target;
            budget.release(charged - target);
            charged = target;
        }
    }

    /** Gives the memory and what was charged for it back. It may be called again, also after it has thrown. */
    @Override
    public void close() {
        if (!closed) {
            ahead.close();
            slab.close();
            closed = true;
        }
        limit = 0;
        if (charged > 0) {
            budget.release(charged);
            charged = 0;
        }
    }

    /** Closes some, also if one of them throws. */
    static void closeAll(final GrowingSlab[] slabs) {
        Throwable failure = null;
        for (final GrowingSlab slab : slabs) {
            try {
                slab.close();
            } catch (final RuntimeException | Error e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure instanceof Error) {
            throw (Error) failure;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
    }
}
