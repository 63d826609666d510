/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.PaddedAtomicLong;
import io.nestling.offheap.RetiredBlocks;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Allocates the units that nodes consist of. A node that no other thread ever saw is free at once ({@link #free}), any other one
 * when no thread can hold it any more ({@link #retire}).
 * <p>
 * Units that have memory and were never allocated are claimed by one CAS on a word of position and limit. All else (free units,
 * which are used first, growth, and what must fit beside reservations) goes under a short lock.
 * <h2>Thread safety</h2>
 * Any thread may call any method, {@code close} only when no other thread uses the arena.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Nodes, cells, free units and retired units never overlap. With lost units they fill the slab from
 * {@link SkipListNodeLayout#FIRST_UNIT} to the position.</li>
 * <li>Free units and the units from the position to the limit have room for all reserved nodes, of one size or the other.</li>
 * </ol>
 */
final class NodeArena implements AutoCloseable {
    private final GrowingSlab growing;
    private final Slab slab;
    /* Position in the upper half, the first unit that was never allocated; limit in the lower half, the first one without
       memory, which changes under the lock. */
    private final PaddedAtomicLong fresh = new PaddedAtomicLong(0);
    /* In a line of its own: every thread that locks writes it, while all writers read this object. */
    private final Object lock = new Object();
    /* Nodes that can be put although others take the rest; each node put takes one away. */
    private final AtomicLong reserved = new AtomicLong();
    private final int[] freeHeads = new int[MAX_UNITS + 1];
    /* Number and units of each node. */
    private final RetiredBlocks retired;
    private volatile int freeUnits;
    /* Number of nodes that fit the free units. */
    private volatile int freeNodes;
    private volatile int retiredUnits;
    private long lostUnits;

    NodeArena(
        final SlabAllocator allocator, final MemoryBudget budget, final EpochReclaimer epochs, final long maxBytes) {
        this.growing = new GrowingSlab(allocator, budget, maxBytes);
        this.slab = growing.slab();
        this.retired = new RetiredBlocks(epochs, this::freeRetired);
        if (!growing.growTo(offset(FIRST_UNIT))) {
            growing.close();
            throw new SpaceExhaustedException(
                "expected " + offset(FIRST_UNIT) + " bytes for a skip list but the budget has " + budget.remaining()
                    + " left (limit " + budget.capacity() + ")");
        }
        fresh.set((long) FIRST_UNIT << Integer.SIZE | unitsOf(growing.limit()));
    }

    Slab slab() {
        return slab;
    }

    private static int unitsOf(final long bytes) {
        return (int) (bytes >>> UNIT_SHIFT);
    }

    // ---- taking ----

    /**
     * Allocates the units of a node ({@link SkipListNodeLayout#units}); returns {@link SkipListNodeLayout#NULL} if there are
     * none, or if those for a tall node would take what is reserved.
     */
    int allocate(final int units) {
        // skip-list-concurrency.md, claim 20
        int node = NULL;
        if (units > SMALL_UNITS) {
            node = allocateUnreserved(units);
        } else {
            // Free units first: fresh ones would take memory, and raise the numbers of nodes, by which the hash grows.
            final boolean isFree = freeUnits > 0 && freeHeads[units] != NULL; // perhaps not any more
            node = isFree ? NULL : takeFresh(units);
            if (node == NULL) {
                synchronized (lock) {
                    node = allocateLocked(units);
                }
            }
        }
        if (node != NULL) {
            useReservation();
        }
        return node;
    }

    /** Allocates units for a tall node or a cell; returns {@link SkipListNodeLayout#NULL} if reservations leave no room. */
    int allocateUnreserved(final int units) {
        synchronized (lock) {
            final long owed = reserved.get() + nodes(units); // first: others use what is available and a reservation with it
            return available() < owed && !grow(owed * SMALL_UNITS) ? NULL : allocateLocked(units);
        }
    }

    /** Takes free units of the size, else fresh ones, else grows; at the end of memory divides free units. */
    private int allocateLocked(final int units) {
        int node = pop(units, units);
        if (node == NULL) {
            node = takeFresh(units);
        }
        while (node == NULL && grow(units)) {
            node = takeFresh(units);
        }
        return node == NULL ? pop(units, MAX_UNITS) : node;
    }

    private int takeFresh(final int units) {
        while (true) {
            final long before = fresh.get();
            if (limit(before) - position(before) < units) {
                return NULL;
            }
            if (fresh.compareAndSet(before, before + ((long) units << Integer.SIZE))) {
                return position(before);
            }
        }
    }

    private static int position(final long word) {
        return (int) (word >>> Integer.SIZE);
    }

    private static int limit(final long word) {
        return (int) word;
    }

    private void useReservation() {
        long before = reserved.get();
        while (before > 0 && !reserved.compareAndSet(before, before - 1)) {
            before = reserved.get();
        }
    }

    /** Returns the number of nodes that fit without growth. */
    private long available() {
        final long now = fresh.get();
        return (limit(now) - position(now)) / SMALL_UNITS + freeNodes;
    }

    /** Has memory for a number of fresh units, unless others take them; returns false if the slab or the budget ends before. */
    private boolean grow(final long units) {
        if (!growing.growTo(endOfUnits() + units << UNIT_SHIFT)) {
            return false;
        }
        long before;
        do {
            before = fresh.get();
        } while (!fresh.compareAndSet(before, before & -1L << Integer.SIZE | unitsOf(growing.limit())));
        return true;
    }

    // ---- reservations ----

    /**
     * Reserves a number of nodes in place of the earlier reservation, and returns surplus memory to the budget. If they do not
     * fit, it throws, and the earlier reservation is gone.
     */
    void reserve(final int nodes) {
        synchronized (lock) {
            reserved.set(nodes);
            final long units = (long) nodes * SMALL_UNITS;
            if (!grow(units)) {
                reserveFromFree(nodes);
                return;
            }
            // First the limit, so that no one takes units behind it.
            long before;
            int end;
            do {
                before = fresh.get();
                final long bytes = position(before) + units << UNIT_SHIFT;
                // The minimum as a long: others may have taken what lies before the greatest unit meanwhile.
                end = (int) Math.min(limit(before), growing.stepEnd(bytes) >>> UNIT_SHIFT);
            } while (!fresh.compareAndSet(before, before & -1L << Integer.SIZE | end));
            growing.shrinkTo(offset(end));
        }
    }

    private void reserveFromFree(final int nodes) {
        if (available() < nodes) {
            reclaim();
        }
        // Free units and growth of the slab together may suffice.
        if (available() < nodes && !grow((long) (nodes - freeNodes) * SMALL_UNITS)) {
            reserved.set(0);
            throw exhausted(nodes);
        }
    }

    /** Returns the exception for a number of nodes that do not fit. */
    SpaceExhaustedException exhausted(final int nodes) {
        return new SpaceExhaustedException(
            nodes + " nodes of " + SMALL_UNITS * UNIT_BYTES + " bytes do not fit: " + bytesCharged() + " of "
                + slab.size() + " bytes of the index are taken, " + bytesFree() + " of them free, " + bytesRetired()
                + " held for readers");
    }

    // ---- freeing ----

    /** Frees a node that no other thread was ever able to see, or a cell. */
    void free(final int node, final int units) {
        synchronized (lock) {
            push(node, units);
        }
    }

    /** Retires a node that was just unlinked; it is reused when no reader and no writer holds it any more. */
    void retire(final int node, final int units) {
        synchronized (lock) {
            retired.expect(1); // may fail, so before the count
            retiredUnits += units;
            retired.retire((long) node << Integer.SIZE | units, 0);
        }
    }

    /** Frees retired nodes that no thread holds; returns whether any units are free afterwards. The caller holds no guard. */
    boolean reclaim() {
        synchronized (lock) {
            if (retiredUnits > 0) {
                retired.reclaim();
            }
            return freeUnits > 0;
        }
    }

    private void freeRetired(final long entry) {
        push((int) (entry >>> Integer.SIZE), (int) entry);
        retiredUnits -= (int) entry;
    }

    private void push(final int node, final int units) {
        slab.putInt(offset(node) + CHUNK_OFFSET, freeHeads[units]);
        freeHeads[units] = node;
        freeUnits += units;
        freeNodes += nodes(units);
    }

    /** Returns the number of nodes that fit free units. */
    private static int nodes(final int units) {
        return Math.max(1, units / SMALL_UNITS);
    }

    /** Takes free units, from up to {@code most} that lie together; returns {@link SkipListNodeLayout#NULL} if there are none. */
    private int pop(final int units, final int most) {
        int from = units;
        while (freeHeads[from] == NULL) {
            if (++from > most) {
                return NULL;
            }
        }
        final int node = freeHeads[from];
        freeHeads[from] = nextFree(node);
        freeUnits -= from;
        freeNodes -= nodes(from);
        final int rest = from - units;
        if (rest < LOW_UNITS) {
            lostUnits += rest;
        } else {
            push(node + units, rest);
        }
        VarHandle.releaseFence(); // who reads a word of the new use sees that the old one has ended
        return node;
    }

    private int nextFree(final int node) {
        return slab.getInt(offset(node) + CHUNK_OFFSET);
    }

    // ---- figures ----

    /** Returns the number of bytes of nodes, the head and what lies before it included. */
    long bytesUsed() {
        return offset(endOfUnits()) - bytesFree() - bytesRetired();
    }

    long bytesFree() {
        return offset(freeUnits);
    }

    /** Returns the number of units that are too few for any node. */
    long unitsLost() {
        return lostUnits;
    }

    /** Returns the number of bytes that have memory. */
    long bytesCharged() {
        return growing.limit();
    }

    long bytesRetired() {
        return offset(retiredUnits);
    }

    /** Returns the number behind the last unit that was ever allocated. */
    int endOfUnits() {
        return position(fresh.get());
    }

    /** Returns the free nodes of a number of units, for verifiers. */
    int[] freeNodes(final int units) {
        synchronized (lock) {
            return IntStream.iterate(freeHeads[units], node -> node != NULL, this::nextFree).toArray();
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            growing.close();
        }
    }
}
