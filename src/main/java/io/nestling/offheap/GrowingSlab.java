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
 * <p>
 * The charge is the memory that is taken, but for a step. The first 2 MiB stand on small pages and grow by a 32nd of what is in
 * use, 4 KiB at least. What follows stands on huge pages, if the system has them, and grows by whole ones. Once the budget has no
 * room for these, the rest of the slab stands on small pages.
 * <h2>Thread safety</h2>
 * One thread at a time grows, shrinks or closes it.
 */
public final class GrowingSlab implements AutoCloseable {
    private static final long FIRST_BYTES = MemoryBudget.SLAB_BYTES;
    private static final long MIN_STEP_BYTES = 4 << 10;
    /* From this size on, slabs do not take and release a step with each reservation. */
    private static final long SMALL_BYTES = 64 << 10;
    private static final long STEP_BYTES = 16 << 10;
    private static final int STEP_SHIFT = 5;

    private final Slab slab;
    private final MemoryBudget budget;
    /* Created before the slab is mapped: the slab would leak if the heap were exhausted here. */
    final PagePrefaulter prefaulter = new PagePrefaulter();
    /* The part on huge pages; its end is the slab's until the budget is short of them. */
    private final long largeStart;
    private long largeEnd;
    private long limit;
    /* Bytes taken from the budget: those below the limit, or more where growing failed halfway or pages are populated ahead. */
    private long charged;
    private boolean closed;

    /** Creates a slab of a size of which nothing is in use; what will be is charged to the budget. */
    public GrowingSlab(final SlabAllocator allocator, final MemoryBudget budget, final long maxBytes) {
        this.budget = budget;
        this.slab = allocator.allocate(maxBytes);
        try {
            prefaulter.serve(slab);
            largeEnd = slab.size();
            final boolean isMapped = slab.zeroed() && slab.address(0) != 0; // by the native bridge
            largeStart = isMapped && MappedSlabAllocator.HUGE_PAGES ? Math.min(FIRST_BYTES, largeEnd) : largeEnd;
            slab.useSmallPages(0, largeStart);
        } catch (final Throwable e) {
            slab.close();
            throw e;
        }
    }

    /** Returns the slab itself, the same at each call, which this object closes. */
    public Slab slab() {
        return slab;
    }

    /** Returns the end of the part in use: memory below it may be used. */
    public long limit() {
        return limit;
    }

    /**
     * Grows the part in use to an offset at least, and charges what it gains. If the slab or the budget is too small, it returns
     * false, and nothing has changed.
     */
    public boolean growTo(final long end) {
        if (end <= limit) {
            return true;
        }
        if (end > slab.size()) {
            return false;
        }
        long target = stepEnd(end, largeEnd);
        long smallFrom = largeEnd;
        if (end > largeStart && isOnLargePages() && target - charged > Math.max(0, budget.remainingForLargePages())) {
            smallFrom = Math.max(largeStart, limit);
            target = stepEnd(end, smallFrom);
        }
        if (target > charged) {
            if (!budget.tryAcquire(target - charged)) {
                return false;
            }
            charged = target; // before anything that may throw
        }
        if (smallFrom < largeEnd) {
            slab.useSmallPages(smallFrom, slab.size() - smallFrom);
            largeEnd = smallFrom;
        }
        if (!slab.zeroed()) {
            slab.clear(limit, target - limit);
        }
        final long before = limit;
        limit = target;
        populate(before);
        return true;
    }

    /** Has pages behind the part in use populated, and charges them: they are taken to the end. */
    private void populate(final long before) {
        final long present = charged;
        final long end = prefaulter.endFor(before, limit, present - limit + budget.remainingForLargePages());
        if (end > present && budget.tryAcquireAhead(end - present)) {
            charged = end;
            if (!prefaulter.populate(limit, end)) {
                final long kept = Math.min(end, Math.max(present, prefaulter.shrunk())); // an earlier request may still be served
                budget.release(end - kept);
                charged = kept;
            }
        }
    }

    /** Returns whether the slab still takes huge pages as it grows. */
    private boolean isOnLargePages() {
        return largeEnd == slab.size();
    }

    /**
     * Returns the limit that the slab has once it has grown to an offset, or was shrunk to it; less than the offset if the slab
     * is too small.
     */
    public long stepEnd(final long end) {
        return stepEnd(end, largeEnd);
    }

    private long stepEnd(final long end, final long largePagesEnd) {
        if (end > largeStart && end <= largePagesEnd) {
            return Math.min(slab.size(), end + MemoryBudget.SLAB_BYTES - 1 & -MemoryBudget.SLAB_BYTES);
        }
        final long least = end <= SMALL_BYTES ? MIN_STEP_BYTES : STEP_BYTES;
        final long step = Math.max(least, Math.min(Long.highestOneBit(end) >> STEP_SHIFT, budget.step()));
        return Math.min(slab.size(), end + step - 1 & -step);
    }

    /**
     * Shrinks the part in use to an offset, rounded up to a step, and releases what it loses to the budget. Nothing behind the
     * offset may be in use or was ever written: it would not read as zeroes when the part grows again.
     */
    public void shrinkTo(final long end) {
        final long target = stepEnd(end);
        if (target < limit) {
            final long kept = Math.min(charged, Math.max(target, prefaulter.shrunk()));
            limit = target;
            budget.release(charged - kept);
            charged = kept; // behind the call: an error out of it has released nothing
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
        budget.release(charged);
        charged = 0;
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
