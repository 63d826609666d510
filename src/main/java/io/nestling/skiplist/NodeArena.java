/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.bytes.LoweredLimit;
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
 * Units for nodes of up to 32 bytes are claimed by one CAS from {@link UnitRuns}. Everything else (taller nodes, new runs,
 * growth, units that come back, promises) goes under a short lock.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread; {@code close} needs the owner to have kept all others out.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Nodes, free units, retired units and the rests of runs never overlap and fill the slab from
 * {@link NodeLayout#FIRST_UNIT} to the position.</li>
 * <li>Free units, the rests of runs and the units from the position to the limit have room for as many nodes as were
 * promised, of one size or the other.</li>
 * </ol>
 */
final class NodeArena implements AutoCloseable {
    private static final int RETIRES_PER_ADVANCE = LoweredLimit.of("retires", 64, 1);
    private static final int LIMBO_LISTS = 3;
    private final GrowingSlab growing;
    private final Slab slab;
    private final EpochReclaimer epochs;
    private final long step;
    private final UnitRuns runs = new UnitRuns();
    /* Its line is written by each thread that enters; that of this object, where all writers read, much less often. */
    private final Object lock = new Object();
    /* Nodes that can be put whatever others take, if they take what is there; each node takes one away. */
    private final AtomicLong promised = new AtomicLong();
    /* The first unit that was never handed out or set aside, and the first one that there is no memory for. */
    private volatile int position;
    private volatile int limit;
    private final int[] freeHeads = new int[MAX_UNITS + 1];
    private final UnitList[] limbo = new UnitList[LIMBO_LISTS];
    private final long[] limboEpochs = new long[LIMBO_LISTS];
    private volatile int freeUnits;
    /* Nodes that there is room for in free units. */
    private volatile int freeNodes;
    private volatile int retiredUnits;
    private final Spares spares = new Spares();
    private int retiresToAdvance = RETIRES_PER_ADVANCE;

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
        position = FIRST_UNIT;
        limit = unitsOf(growing.limit());
    }

    Slab slab() {
        return slab;
    }

    private static int unitsOf(final long bytes) {
        return (int) (bytes >>> UNIT_SHIFT);
    }

    // ---- taking ----

    /**
     * Takes units for a node of height 1 to 3, from a lane's run if it can; {@link NodeLayout#NULL} if there are none.
     *
     * @param lane the writer's, below {@link UnitRuns#LANES}
     * @param units {@link NodeLayout#LOW_UNITS} or {@link NodeLayout#SMALL_UNITS}
     */
    int allocate(final int lane, final int units) {
        int node = freeUnits == 0 ? runs.take(lane, units) : NULL;
        if (node != NULL) {
            usePromise();
            return node;
        }
        synchronized (lock) {
            node = pop(units);
            if (node == NULL) {
                node = takeFromRuns(lane, units);
            }
            if (node == NULL && units == LOW_UNITS && spares.head != NULL) {
                node = popSpare();
            }
            if (node != NULL) {
                usePromise();
            }
            return node;
        }
    }

    private int takeFromRuns(final int lane, final int units) {
        int node;
        do {
            node = runs.take(lane, units);
        } while (node == NULL && beginRun(lane, units));
        return node == NULL ? runs.takeAny(units) : node;
    }

    /** Sets units aside for a lane whose run is used up; at the end of memory less than else, but for nodes of height 1. */
    private boolean beginRun(final int lane, final int units) {
        int taken = UnitRuns.RUN_NODES * units;
        if (limit - position < taken && !grow(taken)) {
            taken = units == LOW_UNITS ? 0 : (limit - position) / units * units;
        }
        if (taken == 0) {
            return false;
        }
        final int from = position;
        position = from + taken;
        runs.begin(lane, units, from, from + taken);
        return true;
    }

    /**
     * Takes as many units as a node of height 1 has for something else, if they are there beside what was promised.
     * {@link #freeSpare} takes them back.
     */
    int allocateSpare() {
        synchronized (lock) {
            final long owed = promised.get(); // first: others take what is available and a promise with it
            if (roomOutsideRuns() <= owed && available() <= owed && !grow((owed + 1) * SMALL_UNITS)) {
                return NULL;
            }
            if (spares.head != NULL) {
                return popSpare();
            }
            final int units = pop(LOW_UNITS);
            return units == NULL ? takeFromRuns(UnitRuns.SPARE_LANE, LOW_UNITS) : units;
        }
    }

    /** Takes units for a tall node, if they are there beside what was promised; {@link NodeLayout#NULL} if not. */
    int allocateTall(final int units) {
        final int nodes = units / SMALL_UNITS;
        synchronized (lock) {
            final long owed = promised.get(); // first: others take what is available and a promise with it
            final int padding = -position & LINE_UNITS - 1;
            final boolean isFree = freeHeads[units] != NULL;
            final int taken = padding + units;
            if (roomOutsideRuns() - nodes < owed && available() - nodes < owed || !isFree && limit - position < taken) {
                if (!grow((isFree ? 0 : taken) + owed * SMALL_UNITS)) {
                    return NULL;
                }
            }
            usePromise();
            if (isFree) {
                return pop(units);
            }
            final int from = position;
            position = from + taken;
            if (padding > 0) {
                push(from, padding);
            }
            return from + padding;
        }
    }

    private void usePromise() {
        long before = promised.get();
        while (before > 0 && !promised.compareAndSet(before, before - 1)) {
            before = promised.get();
        }
    }

    /** Nodes that there is room for without growth. */
    private long available() {
        return roomOutsideRuns() + runs.nodes();
    }

    /** The same without runs, which other writers change all the time. */
    private long roomOutsideRuns() {
        return (limit - position) / SMALL_UNITS + freeNodes + spares.count;
    }

    /** Makes a number of units lie between position and limit; false if the slab or the budget ends before. */
    private boolean grow(final long units) {
        if (!growing.growTo(position + units << UNIT_SHIFT)) {
            return false;
        }
        limit = unitsOf(growing.limit());
        return true;
    }

    // ---- promises ----

    /**
     * Promises a number of nodes in place of what was promised before, and gives memory back to the budget that was charged
     * for more.
     *
     * @throws SpaceExhaustedException if they do not fit; the promise before is gone
     */
    void promise(final int nodes) {
        synchronized (lock) {
            promised.set(nodes);
            final long end = offset(position) + ((long) nodes * SMALL_UNITS << UNIT_SHIFT);
            final long surplus = offset(limit) - end;
            if (surplus < 0) {
                if (growing.growTo(end)) {
                    limit = unitsOf(growing.limit());
                } else {
                    promiseFromFree(nodes);
                }
            } else if (surplus >= step) {
                final long target = Math.min(slab.size(), (end + step - 1) / step * step);
                if (target < growing.limit()) {
                    limit = unitsOf(target);
                    growing.shrinkTo(end);
                }
            }
        }
    }

    private void promiseFromFree(final int nodes) {
        if (available() < nodes) {
            reclaim();
        }
        // What is free and what the slab may still grow by can do together.
        final long others = freeNodes + spares.count + runs.nodes();
        if (available() < nodes && growing.growTo(position + (nodes - others) * SMALL_UNITS << UNIT_SHIFT)) {
            limit = unitsOf(growing.limit());
        }
        if (available() < nodes) {
            promised.set(0);
            throw exhausted(nodes);
        }
    }

    /** What to throw when a number of nodes do not fit. */
    SpaceExhaustedException exhausted(final int nodes) {
        return new SpaceExhaustedException(
            nodes + " nodes of " + SMALL_UNITS * UNIT_BYTES + " bytes do not fit: " + offset(limit) + " of "
                + slab.size() + " bytes of the index are taken, " + bytesFree() + " of them free, " + bytesRetired()
                + " held for readers");
    }

    // ---- giving back ----

    /** Takes a node back that no other thread was ever able to see. */
    void free(final int node, final int units) {
        synchronized (lock) {
            push(node, units);
        }
    }

    /**
     * Takes back what {@link #allocateSpare} gave. It serves the same purpose again, as long as there is anything else for nodes:
     * free units would keep them from their fast path.
     */
    void freeSpare(final int units) {
        synchronized (lock) {
            slab.putInt(offset(units) + CHUNK_OFFSET, spares.head);
            spares.head = units;
            spares.count++;
        }
    }

    private int popSpare() {
        final int units = spares.head;
        spares.head = nextFree(units);
        spares.count--;
        return units;
    }

    /** Takes a node back that was just unlinked, to be used again when no reader and no writer holds it any more. */
    void retire(final int node, final int units) {
        synchronized (lock) {
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
    }

    /** Brings retired nodes to rest as far as nobody holds them; true if units are free afterwards. The caller holds no guard. */
    boolean reclaim() {
        synchronized (lock) {
            if (retiredUnits > 0) {
                // Two steps bring everything retired before them to rest, if nobody stays.
                epochs.tryAdvance();
                epochs.tryAdvance();
                drainQuiescent();
            }
            return freeUnits > 0;
        }
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
        return offset(position) - bytesFree() - bytesRetired();
    }

    /** Bytes below the position that are free, with spare ones and what is left of runs. */
    long bytesFree() {
        return (freeUnits + (long) spares.count * LOW_UNITS + runs.rest()) << UNIT_SHIFT;
    }

    long bytesRetired() {
        return offset(retiredUnits);
    }

    /** Number behind the last unit that was ever handed out. */
    int endOfUnits() {
        return position;
    }

    /** What was set aside, for verifiers. */
    UnitRuns runs() {
        return runs;
    }

    /** Free nodes of a number of units, for verifiers. */
    int[] freeNodes(final int units) {
        synchronized (lock) {
            return listed(freeHeads[units]);
        }
    }

    /** What {@link #freeSpare} took back, for verifiers. */
    int[] spareNodes() {
        synchronized (lock) {
            return listed(spares.head);
        }
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
    public void close() {
        synchronized (lock) {
            growing.close();
        }
    }

    /** What {@link #freeSpare} took back: apart from what writers of nodes read, as it changes often while those do not. */
    private static final class Spares {
        private int head;
        private volatile int count;
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
