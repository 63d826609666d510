/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

/**
 * A slab of which only a leading part is in use, charged to a budget step by step as that part grows.
 * <h2>Thread safety</h2>
 * One thread at a time grows or closes it.
 */
final class GrowingSlab implements AutoCloseable {
    /* Where the budget is handed out in smaller steps, a huge page would take much more than what is charged. */
    private static final long SMALL_PAGES_STEP_BYTES = 512L << 10;

    private final Slab slab;
    private final MemoryBudget budget;
    private long limit;

    GrowingSlab(final SlabAllocator allocator, final MemoryBudget budget, final long maxBytes) {
        this.slab = allocator.allocate(maxBytes);
        this.budget = budget;
        if (budget.step() < SMALL_PAGES_STEP_BYTES) {
            slab.useSmallPages();
        }
    }

    Slab slab() {
        return slab;
    }

    /** Bytes charged so far; what lies below may be used. */
    long limit() {
        return limit;
    }

    /** Makes the part in use reach at least to {@code end}; says whether it does. */
    boolean growTo(final long end) {
        if (end <= limit) {
            return true;
        }
        final long step = budget.step();
        final long target = Math.min(slab.size(), (end + step - 1) / step * step);
        if (target < end || !budget.tryAcquire(target - limit)) {
            return false;
        }
        if (!slab.zeroed()) {
            slab.clear(limit, target - limit);
        }
        limit = target;
        return true;
    }

    /** Gives back what lies behind {@code end}, rounded up to a step; nothing there may be in use. */
    void shrinkTo(final long end) {
        final long step = budget.step();
        final long target = Math.min(slab.size(), (end + step - 1) / step * step);
        if (target < limit) {
            budget.release(limit - target);
            limit = target;
        }
    }

    @Override
    public void close() {
        try {
            slab.close();
        } finally {
            budget.release(limit);
            limit = 0;
        }
    }
}
