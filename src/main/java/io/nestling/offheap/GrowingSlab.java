/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.MemoryBudget;

/**
 * A slab of which only a leading part is in use, charged to a budget step by step as that part grows. Address space is
 * reserved for the whole slab at once; memory is taken as it is first touched, or shortly before by another thread
 * ({@link PagePrefaulter}). A new part reads as zeroes.
 * <h2>Thread safety</h2>
 * One thread at a time grows, shrinks or closes it.
 */
public final class GrowingSlab implements AutoCloseable {
    private final Slab slab;
    private final MemoryBudget budget;
    /* Created before the slab is mapped: the slab would leak if the heap were exhausted here. */
    private final PagePrefaulter prefaulter = new PagePrefaulter();
    private long limit;
    /* Bytes taken from the budget: those below the limit, or more where growing failed halfway. */
    private long charged;
    private boolean closed;

    /**
     * Creates a slab of which nothing is in use.
     *
     * @param allocator source of the slab
     * @param budget the budget that the part in use is charged to
     * @param maxBytes size of the slab; a multiple of {@link MemoryBudget#SLAB_BYTES}
     */
    public GrowingSlab(final SlabAllocator allocator, final MemoryBudget budget, final long maxBytes) {
        this.budget = budget;
        this.slab = allocator.allocate(maxBytes);
        try {
            prefaulter.serve(slab);
            if (budget.smallPagesBytes() > 0) {
                slab.useSmallPages(Math.min(budget.smallPagesBytes(), slab.size()));
            }
        } catch (final Throwable e) {
            slab.close();
            throw e;
        }
    }

    /**
     * Returns the slab itself, which this object closes.
     *
     * @return the same slab at each call
     */
    public Slab slab() {
        return slab;
    }

    PagePrefaulter prefaulter() {
        return prefaulter;
    }

    /**
     * Returns the end of the part in use.
     *
     * @return offset in bytes; memory below it may be used
     */
    public long limit() {
        return limit;
    }

    /**
     * Grows the part in use to an offset at least, and charges what it gains.
     *
     * @param end the offset
     * @return false if the slab or the budget is too small; nothing has changed then
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
            charged = target; // before anything that may throw
        }
        if (!slab.zeroed()) {
            slab.clear(limit, target - limit);
        }
        final long before = limit;
        limit = target;
        if (target > budget.smallPagesBytes()) {
            prefaulter.grown(before, target, budget.remaining());
        }
        return true;
    }

    /**
     * Shrinks the part in use to an offset, rounded up to a step, and releases what it loses to the budget. Nothing
     * behind the offset may be in use or was ever written: it would not read as zeroes when the part grows again.
     *
     * @param end the offset
     */
    public void shrinkTo(final long end) {
        final long step = budget.step();
        final long target = Math.min(slab.size(), (end + step - 1) / step * step);
        if (target < limit) {
            prefaulter.shrunk();
            final long freed = charged - target;
            limit = target;
            charged = target; // before the call: it must not be released twice
            budget.release(freed);
        }
    }

    /** Releases the memory and what was charged for it. May be called again, also after it has thrown. */
    @Override
    public void close() {
        if (!closed) {
            prefaulter.close();
            slab.close();
            closed = true;
        }
        limit = 0;
        final long freed = charged;
        charged = 0; // before the call: it must not be released twice
        if (freed > 0) {
            budget.release(freed);
        }
    }

    /** Closes all of some slabs, even if one of them throws. */
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
