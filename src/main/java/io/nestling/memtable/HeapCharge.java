/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;

/**
 * The heap that those objects of a memtable take that do not grow, charged to its budget: at first those of the memtable and
 * its shards, then those of each shard that has moved to the memtable's index.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class HeapCharge {
    /* As measured with compressed references; ChargedMemoryTest compares them with what is taken. */
    private static final long MEMTABLE_BYTES = 7_000;
    private static final long SHARD_BYTES = 1_950;

    private final MemoryBudget budget;
    private final long emptyBytes;
    private volatile boolean hasFirst;
    private long charged;

    /** Charges an empty memtable if its budget has room; else its first write does, and waits if others are being flushed. */
    HeapCharge(final MemoryBudget budget, final int shards) {
        this.budget = budget;
        this.emptyBytes = MEMTABLE_BYTES + shards * SHARD_BYTES;
        this.hasFirst = tryAdd(emptyBytes);
    }

    /** Returns what an empty memtable is charged. */
    long emptyBytes() {
        return emptyBytes;
    }

    /** Charges more if the budget has room; returns whether it has. */
    synchronized boolean tryAdd(final long bytes) {
        if (!budget.tryAcquire(bytes)) {
            return false;
        }
        charged += bytes;
        return true;
    }

    /**
     * Charges the empty memtable if that is still to be done; throws if the budget has no room. Called before the first writes of
     * a shard.
     */
    void addFirst() {
        if (!hasFirst) {
            synchronized (this) {
                if (!hasFirst) {
                    add(emptyBytes);
                    hasFirst = true;
                }
            }
        }
    }

    /** Charges more; throws if the budget has no room. */
    synchronized void add(final long bytes) {
        if (!tryAdd(bytes)) {
            throw new SpaceExhaustedException("expected " + bytes + " bytes for objects of a memtable but the budget has "
                + budget.remaining() + " left of " + budget.capacity());
        }
    }

    /** Releases some of what was charged. */
    synchronized void subtract(final long bytes) {
        budget.release(bytes);
        charged -= bytes;
    }

    /** Returns the bytes charged. */
    synchronized long bytes() {
        return charged;
    }

    /** Releases what was charged. May be called again. */
    synchronized void close() {
        subtract(charged);
    }
}
