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
 * Units for a node of height 2 or 3 are claimed by one CAS on a word that holds position and limit, and so are those for a node
 * of height 1 from a run of units that was set aside: nodes of both sizes in turns would begin anywhere in a line. Everything
 * else (taller nodes, runs, growth, units that come back, promises) goes under a short monitor.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread; {@code close} needs the owner to have kept all others out.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Nodes, free units, retired units and the rest of the run never overlap and fill the slab from
 * {@link NodeLayout#FIRST_UNIT} to the position.</li>
 * <li>Free units, the rest of the run and the units from the position to the limit have room for as many nodes as were
 * promised, of one size or the other.</li>
 * </ol>
 */
final class NodeArena implements AutoCloseable {
    private static final int RETIRES_PER_ADVANCE = 64;
    private static final int LIMBO_LISTS = 3;
    /** Units that are set aside at once for nodes of height 1, 3 KiB. */
    private static final int RUN_UNITS = 128 * LOW_UNITS;
    private static final long LOW_TAKEN = (long) LOW_UNITS << Integer.SIZE;
    private static final long SMALL_TAKEN = (long) SMALL_UNITS << Integer.SIZE;

    private final GrowingSlab growing;
    private final Slab slab;
    private final EpochReclaimer epochs;
    private final long step;
    /* Position in the upper half and limit in the lower half, both in units: so that a limit that sinks meets no late claim. */
    private final AtomicLong bump = new AtomicLong();
    /* The same of the run that nodes of height 1 come from. */
    private final AtomicLong run = new AtomicLong();
    /* Nodes that can be put whatever others take, if they take what is there; each node takes one away. */
    private final AtomicLong promised = new AtomicLong();
    private final int[] freeHeads = new int[MAX_UNITS + 1];
    private final UnitList[] limbo = new UnitList[LIMBO_LISTS];
    private final long[] limboEpochs = new long[LIMBO_LISTS];
    private volatile int freeUnits;
    /* Nodes that there is room for in free units. */
    private volatile int freeNodes;
    private volatile int retiredUnits;
    /* The first of what freeSpare took back, and how many there are. */
    private int spareHead;
    private volatile int spares;
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

    /** Takes units for a node of height 1; {@link NodeLayout#NULL} if there are none. */
    int allocateLow() {
        if (freeUnits == 0) {
            final int node = tryBump(run, LOW_TAKEN);
            if (node != NULL) {
                return node;
            }
        }
        synchronized (this) {
            final int free = pop(LOW_UNITS);
            if (free != NULL) {
                usePromise();
                return free;
            }
            int node = tryBump(run, LOW_TAKEN);
            while (node == NULL && beginRun()) {
                node = tryBump(run, LOW_TAKEN);
            }
            if (node == NULL && spareHead != NULL) {
                usePromise();
                return popSpare();
            }
            return node;
        }
    }

    /** Sets units aside for nodes of height 1, when those before are used up; nobody else sets that word. */
    private boolean beginRun() {
        while (true) {
            final long state = bump.get();
            if (limit(state) - position(state) < RUN_UNITS) {
                if (!grow(RUN_UNITS)) {
                    return false;
                }
            } else if (bump.compareAndSet(state, state + ((long) RUN_UNITS << Integer.SIZE))) {
                run.set((long) position(state) << Integer.SIZE | position(state) + RUN_UNITS);
                return true;
            }
        }
    }

    /** Takes units for a node of height 2 or 3; {@link NodeLayout#NULL} if there are none. */
    int allocateSmall() {
        if (freeUnits == 0) {
            final int node = tryBump(bump, SMALL_TAKEN);
            if (node != NULL) {
                return node;
            }
        }
        synchronized (this) {
            int node = pop(SMALL_UNITS);
            if (node == NULL) {
                do {
                    node = tryBump(bump, SMALL_TAKEN);
                } while (node == NULL && grow(SMALL_UNITS));
            } else {
                usePromise();
            }
            return node;
        }
    }

    private int tryBump(final AtomicLong word, final long taken) {
        while (true) {
            final long state = word.get();
            if (position(state) >= limit(state)) {
                return NULL;
            }
            if (word.compareAndSet(state, state + taken)) {
                usePromise();
                return position(state);
            }
        }
    }

    /**
     * Takes as many units as a node of height 1 has for something else, if they are there beside what was promised.
     * {@link #freeSpare} takes them back.
     */
    synchronized int allocateSpare() {
        final long owed = promised.get(); // first: others take what is available and a promise with it
        if (available(bump.get()) <= owed && !grow((owed + 1) * SMALL_UNITS)) {
            return NULL;
        }
        if (spareHead != NULL) {
            return popSpare();
        }
        promised.incrementAndGet(); // which is taken away again
        final int units = allocateLow();
        if (units == NULL) {
            usePromise();
        }
        return units;
    }

    /** Takes units for a tall node, if they are there beside what was promised; {@link NodeLayout#NULL} if not. */
    synchronized int allocateTall(final int units) {
        final int nodes = units / SMALL_UNITS;
        if (freeHeads[units] != NULL && promised.get() <= available(bump.get()) - nodes) {
            final int node = pop(units);
            usePromise();
            return node;
        }
        while (true) {
            final long owed = promised.get(); // first: others take what is available and a promise with it
            final long state = bump.get();
            final int padding = -position(state) & LINE_UNITS - 1;
            final int taken = padding + units;
            if (limit(state) - position(state) < taken || available(state) - nodes < owed) {
                if (!grow(taken + owed * SMALL_UNITS)) {
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

    /** Nodes that there is room for without growth. */
    private long available(final long state) {
        return (limit(state) - position(state)) / SMALL_UNITS + freeNodes + spares + restOfRun() / LOW_UNITS;
    }

    private long restOfRun() {
        final long state = run.get();
        return limit(state) - position(state);
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
     * Promises a number of nodes in place of what was promised before, and gives memory back to the budget that was charged
     * for more.
     *
     * @throws SpaceExhaustedException if they do not fit; the promise before is gone
     */
    synchronized void promise(final int nodes) {
        promised.set(nodes);
        while (true) {
            final long state = bump.get();
            final long end = position(state) + (long) nodes * SMALL_UNITS << UNIT_SHIFT;
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
            && growing.growTo(
                position(bump.get()) + (nodes - freeNodes - spares - restOfRun() / LOW_UNITS) * SMALL_UNITS << UNIT_SHIFT)) {
            publishLimit();
        }
        if (available(bump.get()) < nodes) {
            promised.set(0);
            throw exhausted(nodes);
        }
    }

    /** What to throw when a number of nodes do not fit. */
    SpaceExhaustedException exhausted(final int nodes) {
        return new SpaceExhaustedException(
            nodes + " nodes of " + SMALL_UNITS * UNIT_BYTES + " bytes do not fit: " + offset(limit(bump.get())) + " of "
                + slab.size() + " bytes of the index are taken, " + bytesFree() + " of them free, " + bytesRetired()
                + " held for readers");
    }

    // ---- giving back ----

    /** Takes a node back that no other thread was ever able to see. */
    synchronized void free(final int node, final int units) {
        push(node, units);
    }

    /**
     * Takes back what {@link #allocateSpare} gave. It serves the same purpose again, as long as there is anything else for nodes:
     * free units would keep them from their fast path.
     */
    synchronized void freeSpare(final int units) {
        slab.putInt(offset(units) + CHUNK_OFFSET, spareHead);
        spareHead = units;
        spares++;
    }

    private int popSpare() {
        final int units = spareHead;
        spareHead = nextFree(units);
        spares--;
        return units;
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
        slab.putInt(offset(node) + CHUNK_OFFSET, freeHeads[units]);
        freeHeads[units] = node;
        freeUnits += units;
        freeNodes += nodes(units);
    }

    /** Nodes that free units have room for. */
    private static int nodes(final int units) {
        return Math.max(1, units / SMALL_UNITS);
    }

    /** Takes a free node of a number of units; for a small one, a larger one is split if need be. */
    private int pop(final int units) {
        int from = units;
        while (freeHeads[from] == NULL) {
            if (units != SMALL_UNITS || ++from > MAX_UNITS) {
                return NULL;
            }
        }
        final int node = freeHeads[from];
        freeHeads[from] = nextFree(node);
        freeUnits -= from;
        freeNodes -= nodes(from);
        if (from > units) {
            push(node, from - units); // the rest begins where the whole did, at a line
        }
        return node + from - units;
    }

    private int nextFree(final int node) {
        return slab.getInt(offset(node) + CHUNK_OFFSET);
    }

    // ---- figures ----

    /** Bytes of nodes, with the head and what lies before it. */
    long bytesUsed() {
        return offset(position(bump.get())) - bytesFree() - bytesRetired();
    }

    /** Bytes below the position that are free, with spare ones and what is left of a run. */
    long bytesFree() {
        return (freeUnits + (long) spares * LOW_UNITS + restOfRun()) << UNIT_SHIFT;
    }

    long bytesRetired() {
        return offset(retiredUnits);
    }

    /** Number behind the last unit that was ever handed out. */
    int endOfUnits() {
        return position(bump.get());
    }

    /** First unit that is left of the run for nodes of height 1, for verifiers. */
    int restOfRunBegin() {
        return position(run.get());
    }

    /** Behind the last unit that is left of it. */
    int restOfRunEnd() {
        return limit(run.get());
    }

    /** Free nodes of a number of units, for verifiers. */
    synchronized int[] freeNodes(final int units) {
        return listed(freeHeads[units]);
    }

    /** What {@link #freeSpare} took back, for verifiers. */
    synchronized int[] spareNodes() {
        return listed(spareHead);
    }

    private int[] listed(final int head) {
        int count = 0;
        for (int node = head; node != NULL; node = nextFree(node)) {
            count++;
        }
        final int[] nodes = new int[count];
        int node = head;
        for (int i = 0; i < count; i++) {
            nodes[i] = node;
            node = nextFree(node);
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
        private static final int UNITS_BITS = 5;

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
