/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import io.nestling.bytes.LoweredLimit;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes that the slabs of one memtable may take together, counted exactly to the slab step by which they
 * grow.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public final class MemoryBudget {
    /** Step by which slabs grow, and size of a huge page. */
    public static final long SLAB_BYTES = 2L << 20;
    private static final long MIN_STEP_BYTES = LoweredLimit.powerOfTwo("memory.stepBytes", 16 << 10, 4 << 10);
    private static final long SMALL_STEP_BYTES = 64L << 10;

    /* Where the budget is handed out in smaller steps, a huge page would take much more than what is charged. */
    private static final long SMALL_PAGES_STEP_BYTES = 512L << 10;

    private final long capacity;
    private final long step;
    private final long smallPagesBytes;
    private final AtomicLong used = new AtomicLong();

    private MemoryBudget(final long capacity, final long step, final long smallPagesBytes) {
        this.capacity = capacity;
        this.step = step;
        this.smallPagesBytes = smallPagesBytes;
    }

    /**
     * A budget for one or two slabs.
     *
     * @param capacity bytes, positive
     * @return a new budget
     */
    public static MemoryBudget ofBytes(final long capacity) {
        return ofBytes(capacity, 2);
    }

    /**
     * A budget that a number of slabs share. Small budgets are handed out in smaller steps, so that no slab
     * can take what another one needs to begin.
     *
     * @param capacity bytes, positive
     * @param slabs number of slabs that grow independently
     * @return a new budget
     */
    public static MemoryBudget ofBytes(final long capacity, final int slabs) {
        if (capacity <= 0) {
            throw new IllegalArgumentException("capacity " + capacity + " bytes is not positive");
        }
        final long share = Long.highestOneBit(Math.max(1, capacity / (16L * slabs)));
        final long step = Math.max(MIN_STEP_BYTES, Math.min(SLAB_BYTES, share));
        return new MemoryBudget(capacity, step, step < SMALL_PAGES_STEP_BYTES ? Long.MAX_VALUE : 0);
    }

    /**
     * A budget for slabs of which many stay almost empty and any may become large: it is handed out in small steps, and
     * each slab begins on small pages and goes on on huge ones.
     *
     * @param capacity bytes, positive
     * @return a new budget
     */
    public static MemoryBudget fromSmall(final long capacity) {
        if (capacity <= 0) {
            throw new IllegalArgumentException("capacity " + capacity + " bytes is not positive");
        }
        return new MemoryBudget(capacity, SMALL_STEP_BYTES, SLAB_BYTES);
    }

    /**
     * Takes bytes if they are there.
     *
     * @param bytes how many
     * @return whether they were taken
     */
    public boolean tryAcquire(final long bytes) {
        long before = used.get();
        while (bytes <= capacity - before) {
            final long witness = used.compareAndExchange(before, before + bytes);
            if (witness == before) {
                return true;
            }
            before = witness;
        }
        return false;
    }

    /**
     * Gives bytes back.
     *
     * @param bytes how many of those that were acquired
     */
    public void release(final long bytes) {
        final long after = used.addAndGet(-bytes);
        if (after < 0) {
            throw new IllegalStateException("more bytes released than acquired: " + -after);
        }
    }

    /**
     * Bytes that may be acquired in all.
     *
     * @return the capacity
     */
    public long capacity() {
        return capacity;
    }

    /**
     * Bytes that are acquired now.
     *
     * @return the use
     */
    public long used() {
        return used.get();
    }

    /**
     * Bytes that can still be acquired.
     *
     * @return the rest
     */
    public long remaining() {
        return capacity - used.get();
    }

    /**
     * Step by which slabs that draw on this budget grow.
     *
     * @return bytes, a power of two, at most {@link #SLAB_BYTES}
     */
    public long step() {
        return step;
    }

    /**
     * Bytes at the beginning of each slab that should be on small pages.
     *
     * @return the number; 0 for none, {@link Long#MAX_VALUE} for all
     */
    long smallPagesBytes() {
        return smallPagesBytes;
    }
}
