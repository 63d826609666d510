/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.catalog.IndexType;
import io.nestling.index.ValueRules;
import io.nestling.memtable.KeepVersions;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.Sharding;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.schedule.Scenario;
import io.nestling.schedule.Scheduler;
import io.nestling.schedule.Trace;
import io.nestling.schedule.scenario.LifeOracle.Turn;
import io.nestling.schedule.scenario.MemtableOracle.Write;
import io.nestling.schedule.scenario.Operation.What;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A workload on a memtable, with as many writers as it has. Writes have sequence numbers, so that the state that a snapshot
 * sees is known exactly. {@code PUT_IF_ABSENT} stands for a batch of two keys here, {@code REPLACE} for the deletion of a range.
 */
final class MemtableScenario implements Scenario {
    /* Tables of more keys take too long. */
    private static final int MOST_KEYS_BEFORE = 200;

    /**
     * The kind of a memtable.
     *
     * @param type its index
     * @param shards number of shards
     * @param capacityBytes its capacity
     * @param longestValue bytes of the longest value
     * @param keep which versions flushes pass on
     * @param isWhole whether slabs are taken as a whole, so that they are small
     * @param hasOperands whether most of what is written before are operands
     * @param isByRanges whether the shards, of which there are two, have ranges
     */
    record Kind(IndexType type, int shards, long capacityBytes, int longestValue, KeepVersions keep, boolean isWhole,
        boolean hasOperands, boolean isByRanges) { }

    private final Kind kind;
    private final Workload workload;
    private final Keys keys;
    private final List<Slab> slabs = new ArrayList<>();
    private Memtable memtable;
    private MemtableLog log;

    MemtableScenario(final Kind kind, final Workload workload) {
        this.kind = kind;
        this.workload = workload;
        this.keys = workload.keys();
        if (keys.size() > MOST_KEYS_BEFORE) {
            workload.before().removeIf(key -> (key < 0 ? ~key : key) >= MOST_KEYS_BEFORE);
        }
    }

    /** Remembers the slabs, which all have to be closed in the end. */
    private final class Slabs implements SlabAllocator {
        private final SlabAllocator source = SlabAllocator.direct();

        @Override
        public Slab allocate(final long bytes) {
            final Slab slab = source.allocate(bytes);
            slabs.add(slab);
            return slab;
        }

        @Override
        public long maxSlabBytes() {
            return source.maxSlabBytes();
        }

        @Override
        public boolean lazy() {
            return !kind.isWhole;
        }
    }

    @Override
    public void setUp() {
        slabs.clear();
        memtable = Memtable.open(MemtableOptions.builder().index(kind.type).shards(kind.shards)
            .sharding(kind.isByRanges ? Sharding.byRanges(keys.key(0)) : Sharding.byHash())
            .capacityBytes(kind.capacityBytes).memory(new Slabs()).keepVersions(kind.keep)
            .rules(ValueRules.DEFAULT.withOperator(MemtableLog.operator(kind.longestValue))).build());
        log = new MemtableLog(memtable, keys, kind.longestValue);
        for (final int each : workload.before()) {
            write(each);
            if (kind.keep == KeepVersions.NEEDED_BY_SNAPSHOTS && log.writes.size() % 5 == 3) {
                log.holdSnapshot();
            }
        }
    }

    /** Writes to a key; with operands three of four times such a one. {@code ~key} deletes. */
    private void write(final int key) {
        if (key < 0) {
            log.delete(~key);
        } else if (kind.hasOperands && log.writes.size() % 4 > 0) {
            log.merge(key);
        } else {
            log.put(key);
        }
    }

    @Override
    public String[] names() {
        final String[] names = new String[workload.programs().size()];
        Arrays.setAll(names, i -> "thread" + i);
        return names;
    }

    @Override
    public Runnable[] bodies() {
        final Runnable[] bodies = new Runnable[workload.programs().size()];
        Arrays.setAll(bodies, fiber -> () -> {
            for (final Operation operation : workload.programs().get(fiber)) {
                Trace.add("== fiber " + fiber + " begins " + operation);
                perform(operation);
                Trace.add("== fiber " + fiber + " has ended " + operation);
                Scheduler.betweenOperations();
            }
        });
        return bodies;
    }

    private void perform(final Operation operation) {
        switch (operation.what()) {
            case ADVANCE -> log.stats();
            case PUT -> log.put(operation.key());
            case REMOVE -> log.delete(operation.key());
            case MERGE -> log.merge(operation.key());
            case MERGE_ALL -> log.mergeAll(operation.keys());
            case PUT_IF_ABSENT -> log.writeBatch(new int[] {operation.key(), (operation.key() + 1) % keys.size()}, -1);
            case BATCH -> log.writeBatch(operation.keys(), operation.moves() - 1);
            case REPLACE -> log.deleteRange(operation.key(), 1 + keys.hot() / 2);
            case GET -> log.get(operation.keys());
            case GET_ALL -> log.getAll("GET_ALL", operation.keys());
            case FREEZE -> log.freezeMemtable();
            case FLUSH -> log.flush();
            case CLOSE -> log.closeMemtable();
            case OPEN -> log.open(operation);
            case RESERVED -> log.writeReserved(operation.keys(), false);
            case MERGE_RESERVED -> log.writeReserved(operation.keys(), true);
            default -> log.scan(operation);
        }
    }

    @Override
    public int[] operations() {
        return workload.programs().stream().mapToInt(List::size).toArray();
    }

    @Override
    public String judge() {
        final boolean isClosed = log.close() != Turn.NEVER;
        if (!isClosed) {
            log.readOpenCursors();
            final int[] all = new int[keys.size()];
            Arrays.setAll(all, i -> i);
            log.getAll("LAST GETS", all);
            log.scan(new Operation(What.SCAN, new int[] {-1}, keys.size() | 1));
            log.flush();
        }
        final String wrong = wrong();
        if (wrong != null) {
            return wrong;
        }
        memtable.close();
        final long open = slabs.stream().filter(MemtableScenario::isOpen).count();
        return open == 0 ? null : "NOT GIVEN BACK: " + open + " slabs of " + slabs.size();
    }

    private String wrong() {
        final String byLife = new LifeOracle(log.freeze(), log.close(), kind.isWhole).check(log.calls);
        if (byLife != null) {
            return byLife;
        }
        // What a frozen memtable has taken is visible.
        final List<Write> writes = log.writes.stream().map(each -> new Write(each.sequence(), each.numbers(), each.keys(),
            each.contents(), each.from(), Math.min(each.to(), log.freeze().to()))).toList();
        final String byReads = new MemtableOracle(keys, writes).check(log.reads);
        if (byReads != null) {
            return byReads;
        }
        final FlushOracle flushes = new FlushOracle(log.versions, writes, log.snapshots, kind.keep);
        return log.flushes.stream().map(flushes::check).filter(each -> each != null).findFirst().orElse(null);
    }

    private static boolean isOpen(final Slab slab) {
        try {
            slab.getByte(0);
            return true;
        } catch (final IllegalStateException closed) {
            return false;
        }
    }

    @Override
    public String toString() {
        return "memtable on " + kind + ", " + workload;
    }
}
