/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.memory.BudgetShare;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SharedBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.schedule.Monitors;
import io.nestling.schedule.Scenario;
import io.nestling.schedule.Scheduler;
import io.nestling.schedule.Trace;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * A {@link SharedBudget} alone: structures that take a few bytes as memtables take theirs, writers that ask for flushes and
 * wait for them, and what ends the waiting.
 * <p> No writer waits for ever: one that is not woken is a deadlock, since time ends no wait here. What the structures have
 * taken never exceeds the hard limit. No structure is asked for while a flush of it is outstanding. A write ends without memory
 * only where no flush can come: after a refused request, or after the budget was closed. What is in use at the end is released,
 * and the soft limit still means what it says.
 */
final class BudgetScenario implements Scenario {
    private static final long HARD_BYTES = 4;
    private static final long CAPACITY_BYTES = 1L << 20;
    private static final Duration LONG = Duration.ofDays(365);
    private static final int MOST_REFUSALS = 2;

    /** The answer to a request. */
    private enum Receiver { FLUSHER, AT_ONCE, REFUSES, CLOSED_BUDGET }

    private final long seed;
    private final Receiver receiver;
    private final long softBytes;
    private final boolean writesInReceiver;
    private final int structures;
    /* By writer: the structure that it begins with, and the bytes of each of its writes. */
    private final int[] slots;
    private final int[][] writes;

    private final List<String> wrong = new ArrayList<>();
    private final Deque<Structure> asked = new ArrayDeque<>();
    private SharedBudget<Structure> budget;
    private Structure[] active;
    private Structure log;
    private long taken;
    private int refusals;
    private int writersLeft;
    private boolean closes;
    /* A request behind the run, for which nothing is flushed. */
    private boolean isProbe;
    private int probes;

    BudgetScenario(final long seed) {
        this.seed = seed;
        final Random random = new Random(seed);
        receiver = Receiver.values()[(int) Math.floorMod(seed, (long) Receiver.values().length)];
        softBytes = 1 + random.nextInt((int) HARD_BYTES);
        structures = 1 + random.nextInt(2);
        writesInReceiver = random.nextInt(3) == 0;
        final int writers = 2 + random.nextInt(receiver == Receiver.FLUSHER ? 1 : 2);
        slots = random.ints(writers, 0, structures).toArray();
        writes = new int[writers][];
        for (int i = 0; i < writers; i++) {
            writes[i] = random.ints(1 + random.nextInt(3), 1, (int) HARD_BYTES).toArray();
        }
    }

    /** Stands for a memtable. */
    private final class Structure {
        private final BudgetShare<Structure> share = budget.join();
        private final MemoryBudget memory = MemoryBudget.ofBytes(CAPACITY_BYTES, 1, share);
        private boolean isAsked;
        private boolean isFrozen;

        Structure() {
            share.setOwner(this, 0);
        }

        /** Writes as {@code Memtable} does; returns false if the structure takes no writes any more. */
        boolean write(final int bytes) {
            for (long deadline = 0;;) {
                share.beforeWrite();
                final long moment = share.moment();
                Monitors.lock(this);
                try {
                    if (isFrozen) {
                        return false;
                    }
                    if (memory.tryAcquire(bytes)) {
                        taken += bytes;
                        check();
                        return true;
                    }
                } finally {
                    Monitors.unlock(this);
                }
                deadline = share.await(moment, deadline, new SpaceExhaustedException("expected " + bytes + " bytes"));
            }
        }

        /** Freezes the structure, has another one take its place, and closes it. */
        void flush() {
            Monitors.lock(this);
            isFrozen = true;
            Monitors.unlock(this);
            share.beginFlush();
            if (!closes) {
                replace();
            }
            close();
        }

        private void replace() {
            for (int slot = 0; slot < active.length; slot++) {
                if (active[slot] == this) {
                    active[slot] = new Structure();
                }
            }
        }

        private void close() {
            Monitors.lock(this);
            taken -= memory.used();
            memory.releaseAll();
            Monitors.unlock(this);
            share.leave();
        }

        @Override
        public String toString() {
            return "a structure of " + memory.used() + " bytes";
        }
    }

    private void check() {
        if (taken > HARD_BYTES || budget.used() > HARD_BYTES) {
            wrong.add("ABOVE THE LIMIT: " + taken + " bytes are taken and " + budget.used() + " charged of " + HARD_BYTES);
        }
    }

    /** Receives a request for a flush. */
    private void receive(final Structure structure) {
        if (isProbe) {
            probes++;
            return;
        }
        if (structure.isAsked) {
            wrong.add("ASKED TWICE: a flush of " + structure + " is outstanding");
        }
        structure.isAsked = true;
        if (log != null && structure != log) {
            try {
                log.write(1); // a receiver may write, and never waits
            } catch (final SpaceExhaustedException e) {
                Trace.add("   the receiver's write is refused");
            }
        }
        if (receiver == Receiver.REFUSES && refusals < MOST_REFUSALS) {
            refusals++;
            structure.isAsked = false;
            throw new UnsupportedOperationException("no flush");
        }
        if (receiver == Receiver.FLUSHER) {
            Monitors.lock(asked);
            asked.add(structure);
            Monitors.wakeAll(asked);
            Monitors.unlock(asked);
        } else if (receiver != Receiver.CLOSED_BUDGET) {
            structure.flush();
        }
    }

    private void runFlusher() {
        while (true) {
            Monitors.lock(asked);
            while (asked.isEmpty() && writersLeft > 0) {
                Monitors.timedWait(null, asked, 0);
            }
            final Structure structure = asked.poll();
            Monitors.unlock(asked);
            if (structure == null) {
                return;
            }
            structure.flush();
        }
    }

    private void runWriter(final int writer) {
        for (final int bytes : writes[writer]) {
            Trace.add("== writer " + writer + " writes " + bytes + " bytes");
            if (!write(writer, bytes)) {
                break;
            }
            Scheduler.betweenOperations();
        }
        Monitors.lock(asked);
        writersLeft--;
        Monitors.wakeAll(asked);
        Monitors.unlock(asked);
    }

    /** Returns whether the writer goes on. */
    private boolean write(final int writer, final int bytes) {
        while (true) {
            final Structure structure = active[slots[writer]];
            try {
                if (structure.write(bytes)) {
                    return true;
                }
                if (receiver == Receiver.CLOSED_BUDGET) {
                    return false;
                }
                Scheduler.spin(); // its successor comes
            } catch (final UnsupportedOperationException e) {
                Trace.add("   writer " + writer + ": the request was refused");
            } catch (final SpaceExhaustedException e) {
                if (refusals == 0) {
                    wrong.add("NO MEMORY: writer " + writer + ", " + e.getMessage());
                    return false;
                }
            } catch (final IllegalStateException e) {
                if (!closes) {
                    wrong.add("CLOSED: writer " + writer + ", " + e.getMessage());
                }
                return false;
            }
        }
    }

    @Override
    public void setUp() {
        wrong.clear();
        asked.clear();
        taken = 0;
        refusals = 0;
        closes = false;
        isProbe = false;
        probes = 0;
        writersLeft = slots.length;
        budget = SharedBudget.<Structure>builder(HARD_BYTES, this::receive).softLimitBytes(softBytes).timeout(LONG).build();
        active = new Structure[structures];
        Arrays.setAll(active, slot -> new Structure());
        log = writesInReceiver ? active[0] : null;
        budget.used(); // the scheduler knows the budget now
    }

    @Override
    public String[] names() {
        final List<String> names = new ArrayList<>();
        for (int i = 0; i < slots.length; i++) {
            names.add("writer" + i);
        }
        if (receiver == Receiver.FLUSHER || receiver == Receiver.CLOSED_BUDGET) {
            names.add(receiver == Receiver.FLUSHER ? "flusher" : "closer");
        }
        return names.toArray(String[]::new);
    }

    @Override
    public Runnable[] bodies() {
        final Runnable[] bodies = new Runnable[names().length];
        Arrays.setAll(bodies, fiber -> () -> {
            if (fiber < slots.length) {
                runWriter(fiber);
            } else if (receiver == Receiver.FLUSHER) {
                runFlusher();
            } else {
                closes = true;
                budget.close();
            }
        });
        return bodies;
    }

    @Override
    public int[] operations() {
        final int[] counts = new int[names().length];
        Arrays.setAll(counts, fiber -> fiber < slots.length ? writes[fiber].length : 1);
        return counts;
    }

    @Override
    public int samples() {
        return 500;
    }

    @Override
    public String judge() {
        isProbe = true;
        for (final SharedBudget.Use<Structure> use : budget.uses()) {
            use.owner().close();
        }
        if (wrong.isEmpty() && (budget.used() != 0 || !budget.uses().isEmpty())) {
            wrong.add("NOT RELEASED: " + budget.used() + " bytes, " + budget.uses());
        }
        if (wrong.isEmpty() && !closes) {
            final Structure probe = new Structure();
            probe.memory.tryAcquire(softBytes);
            probe.share.beforeWrite();
            final int below = probes;
            final boolean isAbove = probe.memory.tryAcquire(1);
            probe.share.beforeWrite();
            if (below != 0 || isAbove && probes != 1) {
                wrong.add("SOFT LIMIT: " + below + " requests at " + softBytes + " bytes, " + probes + " above");
            }
        }
        return wrong.isEmpty() ? null : wrong.get(0);
    }

    @Override
    public String toString() {
        return "shared budget, scenario " + seed + ": receiver " + receiver + (writesInReceiver ? ", which writes" : "")
            + ", soft limit " + softBytes + " of " + HARD_BYTES + ", structures of the writers " + Arrays.toString(slots)
            + ", their writes " + Arrays.deepToString(writes);
    }
}
