/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.GrowingSlab;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.Slab;
import io.nestling.memory.SlabAllocator;
import io.nestling.memory.SpaceExhaustedException;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Hands out the units that nodes consist of and takes them back: at once if no other thread ever saw the node ({@link #free}), or
 * when nobody can hold it any more ({@link #retire}).
 * <p>
 * A unit for a small node is claimed by one CAS on a word that holds position and limit. Everything else (nodes of several
 * units, growth, units that come back, promises) goes under a short monitor.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread; {@code close} needs the owner to have kept all others out.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Nodes, free units and retired units never overlap and fill the slab from {@link NodeLayout#FIRST_UNIT} to the
 * position.</li>
 * <li>Free units and those from the position to the limit are at least as many as promised.</li>
 * </ol>
 */
final class NodeArena implements AutoCloseable {
    private static final int RETIRES_PER_ADVANCE = 64;
    private static final int LIMBO_LISTS = 3;

    private final GrowingSlab growing;
    private final Slab slab;
    private final EpochReclaimer epochs;
    private final long step;
    /* Position in the upper half and limit in the lower half, both in units: so that a limit that sinks meets no late claim. */
    private final AtomicLong bump = new AtomicLong();
    /* Small nodes that can be put whatever others take; each node takes one away. */
    private final AtomicLong promised = new AtomicLong();
    private final int[] freeHeads = new int[MAX_UNITS + 1];
    private final UnitList[] limbo = new UnitList[LIMBO_LISTS];
    private final long[] limboEpochs = new long[LIMBO_LISTS];
    private volatile int freeUnits;
    private volatile int retiredUnits;
    private int retiresToAdvance = RETIRES_PER_ADVANCE;
    private boolean closed;

    NodeArena(
        final SlabAllocator allocator, final MemoryBudget budget, final EpochReclaimer epochs, final long maxBytes) {
        Arrays.setAll(limbo, i -> new UnitList()); // before memory is mapped, which would be lost if the heap ended here
        this.growing = new GrowingSlab(allocator, budget, maxBytes);
        this.slab = growing.slab();
        this.epochs = epochs;
        this.step = budget.step();
        if (!growing.growTo(offset(FIRST_UNIT))) {
            growing.close();
            throw new SpaceExhaustedException(
                "the budget has " + budget.remaining() + " bytes left of " + budget.capacity()
                    + ", a skip list begins with " + budget.step());
        }
        bump.set((long) FIRST_UNIT << Integer.SIZE | growing.limit() >>> UNIT_SHIFT);
    }

    Slab slab() {
        return slab;
    }

    private static int position(final long state) {
        return (int) (state >>> Integer.SIZE);
    }

    private static int limit(final long state) {
        return (int) state;
    }

    // ---- taking ----

    /** Takes a unit for a small node; {@link NodeLayout#NULL} if there is none. */
    int allocateSmall() {
        if (freeUnits == 0) {
            final int node = tryBump();
            if (node != NULL) {
                return node;
            }
        }
        synchronized (this) {
            int node = pop(1);
            if (node == NULL) {
                do {
                    node = tryBump();
                } while (node == NULL && grow(1));
            } else {
                usePromise();
            }
            return node;
        }
    }

    private int tryBump() {
        while (true) {
            final long state = bump.get();
            if (position(state) >= limit(state)) {
                return NULL;
            }
            if (bump.compareAndSet(state, state + (1L << Integer.SIZE))) {
                usePromise();
                return position(state);
            }
        }
    }

    /** Takes units for a tall node, if they are there beside what was promised; {@link NodeLayout#NULL} if not. */
    synchronized int allocateTall(final int units) {
        if (freeHeads[units] != NULL && available(bump.get()) - units >= promised.get()) {
            final int node = pop(units);
            usePromise();
            return node;
        }
        while (true) {
            final long state = bump.get();
            final int padding = position(state) & 1;
            final int taken = padding + units;
            if (limit(state) - position(state) < taken || available(state) - units < promised.get()) {
                if (!grow(taken + promised.get())) {
                    return NULL;
                }
            } else if (bump.compareAndSet(state, state + ((long) taken << Integer.SIZE))) {
                if (padding > 0) {
                    push(position(state), padding);
                }
                usePromise();
                return position(state) + padding;
            }
        }
    }

    private void usePromise() {
        long before = promised.get();
        while (before > 0 && !promised.compareAndSet(before, before - 1)) {
            before = promised.get();
        }
    }

    private long available(final long state) {
        return (long) limit(state) - position(state) + freeUnits;
    }

    /** Makes a number of units lie between position and limit; false if the slab or the budget ends before. */
    private boolean grow(final long units) {
        while (true) {
            final long state = bump.get();
            if (!growing.growTo((position(state) + units) << UNIT_SHIFT)) {
                return false;
            }
            final long limit = growing.limit() >>> UNIT_SHIFT;
            if (bump.compareAndSet(state, (long) position(state) << Integer.SIZE | limit)) {
                return true;
            }
        }
    }

    // ---- promises ----

    /**
     * Promises a number of small nodes in place of what was promised before, and gives memory back to the budget that was charged
     * for more.
     *
     * @throws SpaceExhaustedException if they do not fit; the promise before is gone
     */
    synchronized void promise(final int nodes) {
        promised.set(nodes);
        while (true) {
            final long state = bump.get();
            final long end = (long) position(state) + nodes << UNIT_SHIFT;
            final long spare = offset(limit(state)) - end;
            if (spare < 0) {
                if (growing.growTo(end)) {
                    publishLimit();
                } else {
                    promiseFromFree(nodes);
                }
                return;
            }
            if (spare < step) {
                return;
            }
            final long target = Math.min(slab.size(), (end + step - 1) / step * step);
            if (target == growing.limit()
                || bump.compareAndSet(state, (long) position(state) << Integer.SIZE | target >>> UNIT_SHIFT)) {
                growing.shrinkTo(end);
                return;
            }
        }
    }

    private void publishLimit() {
        final long limit = growing.limit() >>> UNIT_SHIFT;
        long state;
        do {
            state = bump.get();
        } while (!bump.compareAndSet(state, (long) position(state) << Integer.SIZE | limit));
    }

    private void promiseFromFree(final int nodes) {
        if (available(bump.get()) < nodes) {
            reclaim();
        }
        // What is free and what the slab may still grow by can do together.
        if (available(bump.get()) < nodes
            && growing.growTo((long) position(bump.get()) + nodes - freeUnits << UNIT_SHIFT)) {
            publishLimit();
        }
        if (available(bump.get()) < nodes) {
            promised.set(0);
            throw exhausted(nodes);
        }
    }

    /** What to throw when a number of small nodes do not fit. */
    SpaceExhaustedException exhausted(final int nodes) {
        return new SpaceExhaustedException(
            nodes + " nodes of " + UNIT_BYTES + " bytes do not fit: " + offset(limit(bump.get())) + " of " + slab.size()
                + " bytes of the index are taken, " + bytesFree() + " of them free, " + bytesRetired() + " held for readers");
    }

    // ---- giving back ----

    /** Takes a node back that no other thread was ever able to see. */
    synchronized void free(final int node, final int units) {
        push(node, units);
    }

    /** Takes a node back that was just unlinked, to be used again when no reader and no writer holds it any more. */
    synchronized void retire(final int node, final int units) {
        final long epoch = epochs.epochOfUnlinking();
        final int list = (int) (epoch % LIMBO_LISTS);
        if (limboEpochs[list] != epoch) {
            drain(list); // at least three epochs old
            limboEpochs[list] = epoch;
        }
        limbo[list].add(node, units);
        retiredUnits += units;
        if (--retiresToAdvance == 0) {
            retiresToAdvance = RETIRES_PER_ADVANCE;
            epochs.tryAdvance();
            drainQuiescent();
        }
    }

    /** Brings retired nodes to rest as far as nobody holds them; true if units are free afterwards. The caller holds no guard. */
    synchronized boolean reclaim() {
        if (retiredUnits > 0) {
            // Two steps bring everything retired before them to rest, if nobody stays.
            epochs.tryAdvance();
            epochs.tryAdvance();
            drainQuiescent();
        }
        return freeUnits > 0;
    }

    private void drainQuiescent() {
        for (int list = 0; list < LIMBO_LISTS; list++) {
            if (epochs.isQuiescent(limboEpochs[list])) {
                drain(list);
            }
        }
    }

    private void drain(final int list) {
        final UnitList nodes = limbo[list];
        for (int i = 0; i < nodes.size(); i++) {
            push(nodes.node(i), nodes.units(i));
            retiredUnits -= nodes.units(i);
        }
        nodes.clear();
    }

    private void push(final int node, final int units) {
        slab.putInt(offset(node), freeHeads[units]);
        freeHeads[units] = node;
        freeUnits += units;
    }

    /** Takes a free node of a number of units; for one unit, a larger one is split if need be. */
    private int pop(final int units) {
        int from = units;
        while (freeHeads[from] == NULL) {
            if (units > 1 || ++from > MAX_UNITS) {
                return NULL;
            }
        }
        final int node = freeHeads[from];
        freeHeads[from] = slab.getInt(offset(node));
        freeUnits -= from;
        if (from > units) {
            push(node, from - units); // the rest begins where the whole did, at an even number
        }
        return node + from - units;
    }

    // ---- figures ----

    /** Bytes of nodes, with the head and what lies before it. */
    long bytesUsed() {
        return offset(position(bump.get())) - bytesFree() - bytesRetired();
    }

    long bytesFree() {
        return offset(freeUnits);
    }

    long bytesRetired() {
        return offset(retiredUnits);
    }

    /** Number behind the last unit that was ever handed out. */
    int endOfUnits() {
        return position(bump.get());
    }

    /** First node of a free list, for verifiers. */
    synchronized int[] freeNodes(final int units) {
        int count = 0;
        for (int node = freeHeads[units]; node != NULL; node = slab.getInt(offset(node))) {
            count++;
        }
        final int[] nodes = new int[count];
        int node = freeHeads[units];
        for (int i = 0; i < count; i++) {
            nodes[i] = node;
            node = slab.getInt(offset(node));
        }
        return nodes;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            growing.close();
        }
    }

    /** A list of nodes and their units. */
    private static final class UnitList {
        private static final int UNITS_BITS = 4;

        private long[] entries = new long[RETIRES_PER_ADVANCE];
        private int size;

        void add(final int node, final int units) {
            if (size == entries.length) {
                entries = Arrays.copyOf(entries, size * 2);
            }
            entries[size++] = (long) node << UNITS_BITS | units;
        }

        int node(final int i) {
            return (int) (entries[i] >>> UNITS_BITS);
        }

        int units(final int i) {
            return (int) entries[i] & (1 << UNITS_BITS) - 1;
        }

        int size() {
            return size;
        }

        void clear() {
            size = 0;
            if (entries.length > 1 << 16) {
                entries = new long[RETIRES_PER_ADVANCE];
            }
        }
    }
}
