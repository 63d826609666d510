/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.MergeOperator;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.SequenceReservation;
import io.nestling.memtable.Snapshot;
import io.nestling.memtable.WriteBatch;
import io.nestling.schedule.Scheduler;
import io.nestling.schedule.scenario.Event.Move;
import io.nestling.schedule.scenario.FlushOracle.Flushed;
import io.nestling.schedule.scenario.FlushOracle.Held;
import io.nestling.schedule.scenario.FlushOracle.Version;
import io.nestling.schedule.scenario.LifeOracle.Call;
import io.nestling.schedule.scenario.LifeOracle.Turn;
import io.nestling.schedule.scenario.MemtableOracle.Read;
import io.nestling.schedule.scenario.MemtableOracle.Write;
import io.nestling.schedule.scenario.Operation.What;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/** Calls a memtable and takes down what it answered and when, for the oracles. */
final class MemtableLog {
    private static final long NOT_A_VALUE = -2;
    /** A word that all cursors share. */
    private static final long MOVES = Long.MIN_VALUE + 1;

    final List<Write> writes = new ArrayList<>();
    final List<Read> reads = new ArrayList<>();
    final List<Call> calls = new ArrayList<>();
    final List<Version> versions = new ArrayList<>();
    final List<Held> snapshots = new ArrayList<>();
    final List<Flushed> flushes = new ArrayList<>();
    private final List<Runnable> openCursors = new ArrayList<>();
    private final Memtable memtable;
    private final Keys keys;
    private final int longestValue;
    private Turn freeze = Turn.NEVER;
    private Turn close = Turn.NEVER;
    private long lastValue;
    private int closing;

    MemtableLog(final Memtable memtable, final Keys keys, final int longestValue) {
        this.memtable = memtable;
        this.keys = keys;
        this.longestValue = longestValue;
    }

    Turn freeze() {
        return freeze;
    }

    Turn close() {
        return close;
    }

    /** Part of a write: sets or deletes a key, or deletes the keys from its rank to another one. */
    private record Change(int key, int endRank, Content content) { }

    private void attempt(final String what, final boolean isWrite, final Runnable call) {
        final long from = Scheduler.operationBegins();
        RuntimeException refusal = null;
        try {
            call.run();
        } catch (final IllegalStateException | SpaceExhaustedException e) {
            refusal = e;
        }
        calls.add(new Call(what, isWrite, refusal, from, Scheduler.operationEnds()));
    }

    // ---- values: their number, and then bytes that follow from it ----

    private byte[] bytes(final long value) {
        return bytes(value, longestValue);
    }

    private static byte[] bytes(final long value, final int longest) {
        final byte[] bytes = new byte[length(value, longest)];
        Arrays.fill(bytes, (byte) value);
        ByteBuffer.wrap(bytes).putLong(value);
        return bytes;
    }

    /** Bytes of a value. */
    static int length(final long value, final int longest) {
        return Long.BYTES + (int) Math.floorMod(value * 7919, longest - Long.BYTES + 1L);
    }

    static long value(final byte[] bytes) {
        if (bytes == null) {
            return MemtableOracle.NONE;
        }
        final long value = bytes.length < Long.BYTES ? NOT_A_VALUE : ByteBuffer.wrap(bytes).getLong();
        for (int i = Long.BYTES; i < bytes.length; i++) {
            if (bytes[i] != (byte) value) {
                return NOT_A_VALUE;
            }
        }
        return value;
    }

    /** Returns an operator that combines values and operands as their numbers are. */
    static MergeOperator operator(final int longest) {
        return (key, value, operands) -> {
            final List<Long> numbers = operands.stream().map(MemtableLog::value).toList();
            final long before = value(value);
            return before == NOT_A_VALUE || numbers.contains(NOT_A_VALUE) ? new byte[0]
                : bytes(Content.combine(before, numbers), longest);
        };
    }

    int rankOf(final byte[] key) {
        final int number = keys.numberOf(key);
        return number < 0 ? Integer.MAX_VALUE : keys.rank(number);
    }

    // ---- writes ----

    void put(final int key) {
        final long value = ++lastValue;
        final byte[] bytes = bytes(value);
        write("PUT", key, Content.value(value), () -> memtable.put(keys.key(key), bytes));
    }

    void delete(final int key) {
        write("DELETE", key, Content.DELETED, () -> memtable.delete(keys.key(key)));
    }

    void merge(final int key) {
        final long operand = ++lastValue;
        final byte[] bytes = bytes(operand);
        write("MERGE", key, Content.operand(operand), () -> memtable.merge(keys.key(key), bytes));
    }

    private void write(final String what, final int key, final Content content, final LongSupplier write) {
        attempt(what, true, () -> {
            final long from = Scheduler.operationBegins();
            add(write.getAsLong(), from, List.of(new Change(key, -1, content)));
        });
    }

    /** Writes a batch of operands. */
    void mergeAll(final int[] written) {
        final List<Change> changes = new ArrayList<>();
        final WriteBatch batch = new WriteBatch();
        for (final int key : written) {
            final long operand = ++lastValue;
            batch.merge(keys.key(key), bytes(operand));
            changes.add(new Change(key, -1, Content.operand(operand)));
        }
        write(batch, changes);
    }

    /**
     * Writes a batch: numbers of keys to be set, {@code ~number} deletes; maybe a range from the first key's rank between them.
     */
    void writeBatch(final int[] written, final int rangeAt) {
        final List<Change> changes = new ArrayList<>();
        final WriteBatch batch = new WriteBatch();
        for (int i = 0; i < written.length; i++) {
            if (i == rangeAt) {
                addRange(batch, changes, written[0] < 0 ? ~written[0] : written[0], 2);
            }
            final boolean delete = written[i] < 0;
            final int key = delete ? ~written[i] : written[i];
            final Content content = delete ? Content.DELETED : Content.value(++lastValue);
            if (delete) {
                batch.delete(keys.key(key));
            } else {
                batch.put(keys.key(key), bytes(content.number()));
            }
            changes.add(new Change(key, -1, content));
        }
        write(batch, changes);
    }

    void deleteRange(final int first, final int length) {
        final List<Change> changes = new ArrayList<>();
        final WriteBatch batch = new WriteBatch();
        addRange(batch, changes, first, length);
        if (!changes.isEmpty()) {
            write(batch, changes);
        }
    }

    private void addRange(final WriteBatch batch, final List<Change> changes, final int first, final int length) {
        final int end = Math.min(keys.size() - 1, keys.rank(first) + length);
        if (end > keys.rank(first)) {
            batch.deleteRange(keys.key(first), keys.key(keys.atRank(end)));
            changes.add(new Change(first, end, Content.DELETED));
        }
    }

    private void write(final WriteBatch batch, final List<Change> changes) {
        attempt("BATCH", true, () -> {
            final long from = Scheduler.operationBegins();
            add(memtable.write(batch), from, changes);
        });
    }

    /** Reserves a number for each key, and uses them from the last to the first; for operands if asked. */
    void writeReserved(final int[] written, final boolean merges) {
        attempt("RESERVED", true, () -> {
            final long from = Scheduler.operationBegins();
            final SequenceReservation numbers = memtable.reserveSequences(written.length);
            final List<Change> changes = new ArrayList<>();
            IllegalStateException refusal = null;
            for (int i = written.length - 1; i >= 0 && refusal == null; i--) {
                final long value = ++lastValue;
                try {
                    if (merges) {
                        numbers.merge(keys.key(written[i]), bytes(value), numbers.first() + i);
                    } else {
                        numbers.put(keys.key(written[i]), bytes(value), numbers.first() + i);
                    }
                    changes.add(0, new Change(written[i], -1, new Content(value, merges)));
                } catch (final IllegalStateException e) {
                    refusal = e;
                }
            }
            numbers.awaitVisible();
            if (!changes.isEmpty()) {
                add(numbers.last(), from, changes);
            }
            if (refusal != null) {
                throw refusal;
            }
        });
    }

    private void add(final long last, final long from, final List<Change> changes) {
        final long to = Scheduler.operationEnds();
        final List<Integer> written = new ArrayList<>();
        final List<Content> contents = new ArrayList<>();
        long sequence = last - changes.size();
        for (final Change change : changes) {
            final int rank = keys.rank(change.key);
            versions.add(new Version(++sequence, rank, change.endRank, change.content));
            for (int i = rank; i < Math.max(rank + 1, change.endRank); i++) {
                written.add(keys.atRank(i));
                contents.add(change.content);
            }
        }
        writes.add(new Write(last, changes.size(), written.stream().mapToInt(i -> i).toArray(), contents, from, to));
    }

    // ---- reads ----

    void get(final int... asked) {
        attempt("GET", false, () -> {
            final long from = Scheduler.operationBegins();
            final long value = value(memtable.get(keys.key(asked[0])));
            reads.add(new Read("GET", -1, from, Scheduler.operationEnds(), null, 0, asked, new long[] {value}));
        });
    }

    void getAll(final String what, final int[] asked) {
        attempt(what, false, () -> {
            final byte[][] wanted = Arrays.stream(asked).mapToObj(keys::key).toArray(byte[][]::new);
            final byte[][] found = new byte[wanted.length][];
            final long from = Scheduler.operationBegins();
            memtable.getAll(wanted, found);
            reads.add(new Read(what, -1, from, Scheduler.operationEnds(), null, 0, asked,
                Arrays.stream(found).mapToLong(MemtableLog::value).toArray()));
        });
    }

    /** Scans; with an even number of moves at a snapshot, of which the first keys are got afterwards. */
    void scan(final Operation operation) {
        final long from = Scheduler.operationBegins();
        final boolean atSnapshot = operation.moves() % 2 == 0;
        final Snapshot[] taken = new Snapshot[1];
        if (atSnapshot) {
            attempt("SNAPSHOT", false, () -> taken[0] = memtable.snapshot());
            if (taken[0] == null) {
                return;
            }
        }
        final Snapshot snapshot = taken[0];
        final long opened = Scheduler.tick();
        final List<Move> moves = new ArrayList<>();
        attempt("CURSOR", false, () -> {
            try (EntryCursor cursor = snapshot != null ? snapshot.cursor() : memtable.cursor()) {
                final long to = Scheduler.operationEnds();
                final long sequence = snapshot != null ? snapshot.sequence() : -1;
                reads.add(new Read(operation.what().name(), sequence, from, to, moves, operation.key(), null, null));
                boolean more = true;
                for (int i = 0; i <= operation.moves() && more; i++) {
                    more = move(cursor, operation, i, moves);
                }
            }
        });
        if (snapshot != null) {
            for (int i = 0; i < keys.hot(); i++) {
                getAt(snapshot, i, from);
            }
            final long closing = Scheduler.tick();
            snapshot.close();
            snapshots.add(new Held(snapshot.sequence(), from, opened, closing, Scheduler.tick()));
        }
    }

    /** Opens a cursor, whose first move comes behind all else. */
    void open(final Operation operation) {
        final long from = Scheduler.operationBegins();
        attempt("CURSOR", false, () -> {
            final EntryCursor cursor = memtable.cursor();
            final List<Move> moves = new ArrayList<>();
            reads.add(new Read(operation.what().name(), -1, from, Scheduler.operationEnds(), moves, operation.key(), null, null));
            openCursors.add(() -> {
                move(cursor, operation, 0, moves);
                cursor.close();
            });
        });
    }

    void readOpenCursors() {
        openCursors.forEach(Runnable::run);
    }

    /** Moves; returns whether the cursor stands on an entry that could be read. */
    private boolean move(final EntryCursor cursor, final Operation operation, final int number, final List<Move> moves) {
        final boolean forward = number == 0 ? operation.what() != What.BACK_SCAN : operation.movesForward(number - 1);
        final byte[] key = operation.key() < 0 ? null : keys.key(operation.key());
        final Boolean[] more = {null};
        Scheduler.point(MOVES, true); // others may run between two moves, also if these access nothing
        attempt("MOVE", false, () -> {
            if (number > 0) {
                more[0] = forward ? cursor.next() : cursor.previous();
            } else if (forward) {
                more[0] = key == null ? cursor.first() : cursor.seek(key);
            } else {
                more[0] = key == null ? cursor.last() : cursor.seekLowerThan(key);
            }
        });
        if (more[0] == null || !more[0]) {
            moves.addAll(more[0] == null ? List.of() : List.of(new Move(forward, 0, 0, null, MemtableOracle.NONE, -1)));
            return false;
        }
        final int before = moves.size();
        attempt("VALUE", false, () -> {
            final byte[] found = cursor.key();
            final long value = cursor.kind() == EntryKind.VALUE ? value(cursor.value()) : MemtableOracle.NONE;
            moves.add(new Move(forward, 0, 0, found, value, keys.numberOf(found)));
        });
        return moves.size() > before;
    }

    private void getAt(final Snapshot snapshot, final int key, final long from) {
        attempt("GET OF SNAPSHOT", false, () -> {
            final long value = value(snapshot.get(keys.key(key)));
            reads.add(new Read("GET OF SNAPSHOT", snapshot.sequence(), from, Scheduler.operationEnds(), null, 0,
                new int[] {key}, new long[] {value}));
        });
    }

    void stats() {
        attempt("STATS", false, memtable::stats);
    }

    /** Holds a snapshot to the end. */
    void holdSnapshot() {
        final long from = Scheduler.tick();
        final Snapshot snapshot = memtable.snapshot();
        snapshots.add(new Held(snapshot.sequence(), from, Scheduler.tick(), Long.MAX_VALUE, Long.MAX_VALUE));
    }

    // ---- the end ----

    void flush() {
        final FlushOracle.Sink sink = new FlushOracle.Sink(this);
        attempt("FLUSH", false, () -> {
            final long from = Scheduler.operationBegins();
            final var result = memtable.flush(sink);
            flushes.add(new Flushed(sink.shown, sink.announced, sink.bytes, result, from, Scheduler.operationEnds()));
        });
    }

    void freezeMemtable() {
        final long from = Scheduler.tick();
        if (from < freeze.from()) {
            freeze = new Turn(from, freeze.to());
        }
        Scheduler.point(MOVES, true);
        attempt("FREEZE", false, () -> {
            memtable.freeze();
            freeze = new Turn(freeze.from(), Math.min(freeze.to(), Scheduler.operationEnds()));
        });
    }

    /** Closes; who closes while another thread does may return before it is done. */
    void closeMemtable() {
        close = new Turn(Math.min(close.from(), Scheduler.operationBegins()), close.to());
        Scheduler.point(MOVES, true);
        closing++;
        memtable.close();
        closing--;
        final long to = Scheduler.operationEnds();
        if (closing == 0) {
            close = new Turn(close.from(), Math.min(close.to(), to));
        }
    }
}
