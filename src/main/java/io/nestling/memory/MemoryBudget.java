/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import io.nestling.bytes.LoweredLimit;

/**
 * The number of bytes that the slabs of one memtable may take together, charged in the steps by which slabs grow.
 * <p>
 * An error out of a call, such as a {@link StackOverflowError}, has charged and released nothing. So who acquires notes the bytes
 * behind the call, and so does who releases them: then closing releases exactly what is charged, whatever was thrown before.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public final class MemoryBudget {
    /** Maximum step by which slabs grow, and size of a huge page. */
    public static final long SLAB_BYTES = 2L << 20;
    private static final long MIN_STEP_BYTES = LoweredLimit.powerOfTwo("memory.stepBytes", 16 << 10, 4 << 10);
    private static final long SMALL_STEP_BYTES = 64L << 10;
    private static final long LARGE_PAGES_STEP_BYTES = 512L << 10;
    /* The last part of the capacity, at most an eighth, is for small pages. */
    private static final int SMALL_PAGES_PART = 8;

    private final long capacity;
    private final long step;
    private final long smallPagesBelow;
    /* Part of a budget that others draw on, too; null if there is none. */
    private final BudgetShare<?> share;
    /* Written under the monitor, which covers the share's count too. */
    private volatile long used;

    private MemoryBudget(
        final long capacity, final long step, final long smallPagesBelow, final BudgetShare<?> share) {
        this.capacity = capacity;
        this.step = step;
        this.smallPagesBelow = smallPagesBelow;
        this.share = share;
    }

    /**
     * Returns a budget for one or two slabs.
     *
     * @param capacity bytes, positive
     * @return a new budget
     */
    public static MemoryBudget ofBytes(final long capacity) {
        return ofBytes(capacity, 2);
    }

    /**
     * Returns a budget that several slabs share. A small budget has small steps, so that no slab
     * can take what another one needs to begin.
     *
     * @param capacity bytes, positive
     * @param slabs number of slabs that grow independently
     * @return a new budget
     */
    public static MemoryBudget ofBytes(final long capacity, final int slabs) {
        return ofBytes(capacity, slabs, null);
    }

    /**
     * Returns a budget as {@link #ofBytes(long, int)} whose bytes are charged to a shared budget, too.
     *
     * @param capacity bytes, positive
     * @param slabs number of slabs that grow independently
     * @param share the share in the other budget; null for none
     * @return a new budget
     * @throws IllegalArgumentException if the capacity is not positive
     */
    public static MemoryBudget ofBytes(final long capacity, final int slabs, final BudgetShare<?> share) {
        if (capacity <= 0) {
            throw new IllegalArgumentException("expected a positive capacity but was " + capacity + " bytes");
        }
        final long most = share == null ? capacity : Math.min(capacity, share.limit());
        final long part = Long.highestOneBit(Math.max(1, most / (16L * slabs)));
        final long step = Math.max(MIN_STEP_BYTES, Math.min(SLAB_BYTES, part));
        final long below = Math.min(slabs * SLAB_BYTES, capacity / SMALL_PAGES_PART);
        return new MemoryBudget(capacity, step, step < LARGE_PAGES_STEP_BYTES ? capacity : below, share);
    }

    /**
     * Returns a budget for slabs of which many stay almost empty and any may become large: it has small steps at first.
     *
     * @param capacity bytes, positive
     * @return a new budget
     * @throws IllegalArgumentException if it is not
     */
    public static MemoryBudget fromSmall(final long capacity) {
        if (capacity <= 0) {
            throw new IllegalArgumentException("expected a positive capacity but was " + capacity + " bytes");
        }
        return new MemoryBudget(capacity, SMALL_STEP_BYTES, Math.min(SLAB_BYTES, capacity / SMALL_PAGES_PART), null);
    }

    /**
     * Charges bytes if they fit.
     *
     * @param bytes number of bytes
     * @return whether they were charged
     */
    public boolean tryAcquire(final long bytes) {
        return tryAcquire(bytes, true);
    }

    /**
     * Charges bytes that no write waits for, if they fit: unlike {@link #tryAcquire}, a refusal has no write wait for a flush.
     *
     * @param bytes number of bytes
     * @return whether they were charged
     */
    public boolean tryAcquireAhead(final long bytes) {
        return tryAcquire(bytes, false);
    }

    private synchronized boolean tryAcquire(final long bytes, final boolean isNeeded) {
        final boolean fits = bytes <= capacity - used && (share == null || share.tryAcquire(bytes, isNeeded));
        if (fits) {
            used += bytes; // no call from the shared budget's count to here, so that an error changes all counts or none
        }
        return fits;
    }

    /**
     * Releases bytes that were acquired.
     *
     * @param bytes number of bytes
     * @throws IllegalStateException if fewer were acquired
     */
    public synchronized void release(final long bytes) {
        if (bytes > used) {
            throw new IllegalStateException("expected to release at most " + used + " bytes but was " + bytes);
        }
        if (share != null) {
            share.release(bytes);
        }
        used -= bytes;
    }

    /**
     * Returns the capacity.
     *
     * @return bytes that may be acquired in all
     */
    public long capacity() {
        return capacity;
    }

    /**
     * Returns the number of bytes acquired now.
     *
     * @return bytes
     */
    public long used() {
        return used;
    }

    /**
     * Returns the number of bytes that can still be acquired, also in a shared budget.
     *
     * @return bytes
     */
    public long remaining() {
        final long own = capacity - used;
        return share == null ? own : Math.min(own, share.remaining());
    }

    /**
     * Returns whether bytes can be acquired. If a shared budget has no room, its writes wait for a flush, as after {@link
     * #tryAcquire}.
     *
     * @param bytes number of bytes
     * @return whether they fit now
     */
    public boolean hasRoom(final long bytes) {
        if (bytes > capacity - used) {
            return false;
        }
        return share == null || share.hasRoom(bytes);
    }

    /** Releases what is still charged, for an owner that ends after an error. */
    public synchronized void releaseAll() {
        release(used);
    }

    /**
     * Returns the greatest step by which slabs on small pages grow.
     *
     * @return bytes, a power of two, at most {@link #SLAB_BYTES}
     */
    public long step() {
        return step;
    }

    /**
     * Returns the number of bytes that slabs may still take in huge pages. A shared budget does not count: a flush makes room
     * there.
     *
     * @return bytes; not positive if the capacity is small or little of it is left
     */
    public long remainingForLargePages() {
        return capacity - used - smallPagesBelow;
    }
}
