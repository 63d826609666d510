/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.Snapshot;
import io.nestling.memtable.WriteBatch;
import io.nestling.schedule.Scenario;
import io.nestling.schedule.Scheduler;
import io.nestling.schedule.Trace;
import io.nestling.schedule.scenario.Event.Move;
import io.nestling.schedule.scenario.MemtableOracle.Read;
import io.nestling.schedule.scenario.MemtableOracle.Write;
import io.nestling.schedule.scenario.Operation.What;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A workload on a memtable, with as many writers as it has. Writes have sequence numbers, so that the state that a snapshot
 * sees is known exactly. {@code PUT_IF_ABSENT} stands for a batch here, {@code REPLACE} for the deletion of a range.
 */
final class MemtableScenario implements Scenario {
    private static final long CAPACITY_BYTES = 4L << 20;
    /* Tables of more keys take too long. */
    private static final int MOST_KEYS_BEFORE = 200;

    private final IndexType type;
    private final Workload workload;
    private final Keys keys;
    private final int shards;
    private final List<Write> writes = new ArrayList<>();
    private final List<Read> reads = new ArrayList<>();
    private Memtable memtable;
    private long lastValue;

    MemtableScenario(final IndexType type, final long seed, final Workload workload) {
        this.type = type;
        this.workload = workload;
        this.keys = workload.keys();
        this.shards = 1 + (int) (seed / 2 & 1);
        if (keys.size() > MOST_KEYS_BEFORE) {
            workload.before().removeIf(key -> (key < 0 ? ~key : key) >= MOST_KEYS_BEFORE);
        }
    }

    @Override
    public void setUp() {
        writes.clear();
        reads.clear();
        lastValue = 0;
        memtable = Memtable.open(MemtableOptions.builder().index(type).shards(shards).capacityBytes(CAPACITY_BYTES).build());
        for (final int each : workload.before()) {
            write(each < 0 ? ~each : each, each < 0);
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
            case ADVANCE -> memtable.stats();
            case PUT -> write(operation.key(), false);
            case REMOVE -> write(operation.key(), true);
            case PUT_IF_ABSENT -> writeBatch(operation.key());
            case REPLACE -> deleteRange(operation.key());
            case GET -> {
                final long from = Scheduler.operationBegins();
                final long value = value(memtable.get(keys.key(operation.key())));
                reads.add(new Read("GET", -1, from, Scheduler.operationEnds(), null, 0, operation.keys(), new long[] {value}));
            }
            case GET_ALL -> {
                final byte[][] wanted = Arrays.stream(operation.keys()).mapToObj(keys::key).toArray(byte[][]::new);
                final byte[][] found = new byte[wanted.length][];
                final long from = Scheduler.operationBegins();
                memtable.getAll(wanted, found);
                reads.add(new Read("GET_ALL", -1, from, Scheduler.operationEnds(), null, 0, operation.keys(),
                    Arrays.stream(found).mapToLong(MemtableScenario::value).toArray()));
            }
            default -> scan(operation);
        }
    }

    private static byte[] bytes(final long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static long value(final byte[] bytes) {
        return bytes == null ? MemtableOracle.NONE : ByteBuffer.wrap(bytes).getLong();
    }

    private void write(final int key, final boolean delete) {
        final long value = delete ? MemtableOracle.NONE : ++lastValue;
        final long from = Scheduler.operationBegins();
        final long sequence = delete ? memtable.delete(keys.key(key)) : memtable.put(keys.key(key), bytes(value));
        writes.add(new Write(sequence, 1, new int[] {key}, new long[] {value}, from, Scheduler.operationEnds()));
    }

    private void writeBatch(final int first) {
        final int[] written = {first, (first + 1) % keys.size()};
        final long[] values = {++lastValue, ++lastValue};
        final WriteBatch batch = new WriteBatch();
        for (int i = 0; i < written.length; i++) {
            batch.put(keys.key(written[i]), bytes(values[i]));
        }
        final long from = Scheduler.operationBegins();
        final long sequence = memtable.write(batch);
        writes.add(new Write(sequence, written.length, written, values, from, Scheduler.operationEnds()));
    }

    private void deleteRange(final int first) {
        final int from = keys.rank(first);
        final int end = Math.min(keys.size() - 1, from + 1 + keys.hot() / 2);
        if (end > from) {
            final int[] gone = new int[end - from];
            Arrays.setAll(gone, i -> keys.atRank(from + i));
            final long[] values = new long[gone.length];
            Arrays.fill(values, MemtableOracle.NONE);
            final long begin = Scheduler.operationBegins();
            final long sequence = memtable.deleteRange(keys.key(keys.atRank(from)), keys.key(keys.atRank(end)));
            writes.add(new Write(sequence, 1, gone, values, begin, Scheduler.operationEnds()));
        }
    }

    private void scan(final Operation operation) {
        final long from = Scheduler.operationBegins();
        final Snapshot snapshot = operation.moves() % 2 == 0 ? memtable.snapshot() : null;
        final List<Move> moves = new ArrayList<>();
        try (EntryCursor cursor = snapshot != null ? memtable.cursor(snapshot) : memtable.cursor()) {
            final long to = Scheduler.operationEnds();
            boolean forward = operation.what() != What.BACK_SCAN;
            final byte[] key = operation.key() < 0 ? null : keys.key(operation.key());
            boolean more = forward ? key == null ? cursor.first() : cursor.seek(key)
                : key == null ? cursor.last() : cursor.seekLowerThan(key);
            moves.add(move(cursor, forward, more));
            for (int i = 0; i < operation.moves() && more; i++) {
                forward = operation.movesForward(i);
                more = forward ? cursor.next() : cursor.previous();
                moves.add(move(cursor, forward, more));
            }
            final long sequence = snapshot != null ? snapshot.sequence() : -1;
            reads.add(new Read("SCAN", sequence, from, to, moves, operation.key(), null, null));
        }
        if (snapshot != null) {
            for (int i = 0; i < keys.hot(); i++) {
                final long value = value(memtable.get(keys.key(i), snapshot));
                reads.add(new Read("GET OF SNAPSHOT", snapshot.sequence(), from, Scheduler.operationEnds(), null, 0,
                    new int[] {i}, new long[] {value}));
            }
            snapshot.close();
        }
    }

    private Move move(final EntryCursor cursor, final boolean forward, final boolean more) {
        final byte[] key = more ? cursor.key() : null;
        final long value = more && cursor.kind() == EntryKind.VALUE ? value(cursor.value()) : MemtableOracle.NONE;
        return new Move(forward, 0, 0, key, value, more ? keys.numberOf(key) : -1);
    }

    @Override
    public int[] operations() {
        return workload.programs().stream().mapToInt(List::size).toArray();
    }

    @Override
    public String judge() {
        final MemtableOracle oracle = new MemtableOracle(keys, writes);
        final String wrong = oracle.check(reads);
        if (wrong != null) {
            return wrong;
        }
        final int[] all = new int[keys.size()];
        Arrays.setAll(all, i -> i);
        final long[] values = Arrays.stream(all).map(i -> i).mapToLong(i -> value(memtable.get(keys.key(i)))).toArray();
        final List<Move> moves = new ArrayList<>();
        try (EntryCursor cursor = memtable.cursor()) {
            boolean more = cursor.first();
            while (more) {
                moves.add(move(cursor, true, true));
                more = cursor.next();
            }
            moves.add(move(cursor, true, false));
        }
        final long time = Scheduler.tick();
        final String wrongAtLast = oracle.check(List.of(new Read("LAST GETS", -1, time, time, null, 0, all, values),
            new Read("LAST SCAN", -1, time, time, moves, -1, null, null)));
        memtable.close();
        return wrongAtLast;
    }

    @Override
    public String toString() {
        return "memtable on " + type + " with " + shards + " shards, " + workload;
    }
}
