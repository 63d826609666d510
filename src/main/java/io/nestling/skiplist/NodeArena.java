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
 * Allocates the units that nodes consist of. A node that no other thread ever saw is free at once ({@link #free}), any other one
 * when no thread can hold it any more ({@link #retire}).
 * <p>
 * Units for nodes of up to 32 bytes are claimed by one CAS from {@link UnitRuns}. Everything else (taller nodes, new runs,
 * growth, freed units, reservations) goes under a short lock.
 * <h2>Thread safety</h2>
 * Any thread may call any method, {@code close} only when no other thread uses the arena.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Nodes, free units, retired units and the rests of runs never overlap and fill the slab from
 * {@link NodeLayout#FIRST_UNIT} to the position.</li>
 * <li>Free units, the rests of runs and the units from the position to the limit have room for all reserved nodes, of one size or
 * the other.</li>
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
    /* In a line of its own: every thread that locks writes it, while all writers read this object. */
    private final Object lock = new Object();
    /* Nodes that can be put although others take the rest; each node put takes one away. */
    private final AtomicLong reserved = new AtomicLong();
    /* The first unit that was never allocated or set aside, and the first one without memory. */
    private volatile int position;
    private volatile int limit;
    private final int[] freeHeads = new int[MAX_UNITS + 1];
    private final UnitList[] limbo = new UnitList[LIMBO_LISTS];
    private final long[] limboEpochs = new long[LIMBO_LISTS];
    private volatile int freeUnits;
    /* Number of nodes that fit the free units. */
    private volatile int freeNodes;
    private volatile int retiredUnits;
    private final Spares spares = new Spares();
    private int retiresToAdvance = RETIRES_PER_ADVANCE;

    NodeArena(
        final SlabAllocator allocator, final MemoryBudget budget, final EpochReclaimer epochs, final long maxBytes) {
        Arrays.setAll(limbo, i -> new UnitList()); // before memory is mapped: a lack of heap must not lose it
        this.growing = new GrowingSlab(allocator, budget, maxBytes);
        this.slab = growing.slab();
        this.epochs = epochs;
        this.step = budget.step();
        if (!growing.growTo(offset(FIRST_UNIT))) {
            growing.close();
            throw new SpaceExhaustedException(
                "expected " + budget.step() + " bytes for a skip list but the budget has " + budget.remaining()
                    + " left (limit " + budget.capacity() + ")");
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
     * Allocates units for a node of height 1 to 3, from a lane's run if possible; returns {@link NodeLayout#NULL} if there are
     * none.
     *
     * @param lane the writer's, below {@link UnitRuns#LANES}
     * @param units {@link NodeLayout#LOW_UNITS} or {@link NodeLayout#SMALL_UNITS}
     */
    int allocate(final int lane, final int units) {
        int node = freeUnits == 0 ? runs.take(lane, units) : NULL;
        if (node != NULL) {
            useReservation();
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
                useReservation();
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

    /** Sets units aside for a lane whose run is used up; near the end of memory fewer, and none for nodes of height 1. */
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
     * Allocates as many units as a node of height 1 for another purpose, if reservations leave room; {@link #freeSpare} frees
     * them. Returns {@link NodeLayout#NULL} otherwise.
     */
    int allocateSpare() {
        synchronized (lock) {
            final long owed = reserved.get(); // first: others use what is available and a reservation with it
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

    /** Allocates units for a tall node, if reservations leave room; returns {@link NodeLayout#NULL} otherwise. */
    int allocateTall(final int units) {
        final int nodes = units / SMALL_UNITS;
        synchronized (lock) {
            final long owed = reserved.get(); // first: others use what is available and a reservation with it
            final int padding = -position & LINE_UNITS - 1;
            final boolean isFree = freeHeads[units] != NULL;
            final int taken = padding + units;
            if (roomOutsideRuns() - nodes < owed && available() - nodes < owed || !isFree && limit - position < taken) {
                if (!grow((isFree ? 0 : taken) + owed * SMALL_UNITS)) {
                    return NULL;
                }
            }
            useReservation();
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

    private void useReservation() {
        long before = reserved.get();
        while (before > 0 && !reserved.compareAndSet(before, before - 1)) {
            before = reserved.get();
        }
    }

    /** Returns the number of nodes that fit without growth. */
    private long available() {
        return roomOutsideRuns() + runs.nodes();
    }

    /** As {@link #available}, without runs, which other writers change all the time. */
    private long roomOutsideRuns() {
        return (limit - position) / SMALL_UNITS + freeNodes + spares.count;
    }

    /** Grows until a number of units lie between position and limit; returns false if the slab or the budget ends before. */
    private boolean grow(final long units) {
        if (!growing.growTo(position + units << UNIT_SHIFT)) {
            return false;
        }
        limit = unitsOf(growing.limit());
        return true;
    }

    // ---- reservations ----

    /**
     * Reserves a number of nodes in place of the earlier reservation, and returns surplus memory to the budget.
     *
     * @throws SpaceExhaustedException if they do not fit; the earlier reservation is gone
     */
    void reserve(final int nodes) {
        synchronized (lock) {
            reserved.set(nodes);
            final long end = offset(position) + ((long) nodes * SMALL_UNITS << UNIT_SHIFT);
            final long surplus = offset(limit) - end;
            if (surplus < 0) {
                if (growing.growTo(end)) {
                    limit = unitsOf(growing.limit());
                } else {
                    reserveFromFree(nodes);
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

    private void reserveFromFree(final int nodes) {
        if (available() < nodes) {
            reclaim();
        }
        // Free units and growth of the slab together may suffice.
        final long others = freeNodes + spares.count + runs.nodes();
        if (available() < nodes && growing.growTo(position + (nodes - others) * SMALL_UNITS << UNIT_SHIFT)) {
            limit = unitsOf(growing.limit());
        }
        if (available() < nodes) {
            reserved.set(0);
            throw exhausted(nodes);
        }
    }

    /** Returns the exception for a number of nodes that do not fit. */
    SpaceExhaustedException exhausted(final int nodes) {
        return new SpaceExhaustedException(
            nodes + " nodes of " + SMALL_UNITS * UNIT_BYTES + " bytes do not fit: " + offset(limit) + " of "
                + slab.size() + " bytes of the index are taken, " + bytesFree() + " of them free, " + bytesRetired()
                + " held for readers");
    }

    // ---- freeing ----

    /** Frees a node that no other thread was ever able to see. */
    void free(final int node, final int units) {
        synchronized (lock) {
            push(node, units);
        }
    }

    /**
     * Frees units of {@link #allocateSpare}. They serve spare requests again while nodes find other units: free units would keep
     * nodes from their fast path.
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

    /** Retires a node that was just unlinked; it is reused when no reader and no writer holds it any more. */
    void retire(final int node, final int units) {
        synchronized (lock) {
            final long epoch = epochs.epochOfUnlinking();
            final int list = (int) (epoch % LIMBO_LISTS);
            if (limboEpochs[list] != epoch) {
                drain(list); // at least three epochs ago
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

    /** Frees retired nodes that no thread holds; returns whether any units are free afterwards. The caller holds no guard. */
    boolean reclaim() {
        synchronized (lock) {
            if (retiredUnits > 0) {
                // Two steps free everything that was retired before them, if no thread stays inside a guard.
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

    /** Returns the number of nodes that fit free units. */
    private static int nodes(final int units) {
        return Math.max(1, units / SMALL_UNITS);
    }

    /** Takes a free node of a number of units; splits a larger one for a small node if necessary. */
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
            push(node, from - units); // the rest begins at a line, as the whole did
        }
        return node + from - units;
    }

    private int nextFree(final int node) {
        return slab.getInt(offset(node) + CHUNK_OFFSET);
    }

    // ---- figures ----

    /** Returns the number of bytes of nodes, the head and what lies before it included. */
    long bytesUsed() {
        return offset(position) - bytesFree() - bytesRetired();
    }

    /** Returns the number of bytes below the position that are free, spare units and rests of runs included. */
    long bytesFree() {
        return (freeUnits + (long) spares.count * LOW_UNITS + runs.rest()) << UNIT_SHIFT;
    }

    long bytesRetired() {
        return offset(retiredUnits);
    }

    /** Returns the number behind the last unit that was ever allocated. */
    int endOfUnits() {
        return position;
    }

    /** Returns the runs, for verifiers. */
    UnitRuns runs() {
        return runs;
    }

    /** Returns the free nodes of a number of units, for verifiers. */
    int[] freeNodes(final int units) {
        synchronized (lock) {
            return listed(freeHeads[units]);
        }
    }

    /** Returns the spare nodes, for verifiers. */
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

    /** Units that {@link #freeSpare} freed: an object of its own, as it changes often while what writers read does not. */
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
