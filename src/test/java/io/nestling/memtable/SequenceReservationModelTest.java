/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nestling.index.EntryKind;
import io.nestling.index.IndexFactory;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Writes with reserved numbers in any order, and every way to read, against {@link MemtableModel}. */
@Tag("jdk")
@Tag("once")
class SequenceReservationModelTest {
    private static final int STEPS = Effort.count(150, 1_000, 20_000);
    private static final int MAX_OPEN = 6;
    private static final int MAX_SNAPSHOTS = 4;
    private static final int CURSOR_MOVES = 10;

    private Random random;
    private Memtable memtable;
    private MemtableModel model;
    private final List<Pending> pending = new ArrayList<>();
    private final List<Snapshot> snapshots = new ArrayList<>();
    private long lastRange;

    /** A reservation and what was written with its numbers. */
    private record Pending(SequenceReservation reservation, TreeMap<Long, WriteBatch.Operation> writes, boolean[] closed) {
        int count() {
            return (int) (reservation.last() - reservation.first() + 1);
        }
    }

    static Stream<Arguments> configurations() {
        return TestIndexes.all().flatMap(index -> Stream.of(KeepVersions.values())
            .map(keep -> Arguments.of(index, keep.ordinal() == 0 ? 3 : 1, keep)));
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void shouldAgreeWithTheModel(final IndexFactory index, final int shards, final KeepVersions keep) {
        random = Seeds.random("SequenceReservationModelTest " + index + " " + keep);
        final long first = 1 + random.nextInt(2) * 1000L;
        model = new MemtableModel(first);
        memtable = Memtable.open(MemtableOptions.builder().index(index).shards(shards).keepVersions(keep)
            .capacityBytes(16 << 20).firstSequence(first).rules(model.rules()).build());
        try {
            final int keys = 1 + random.nextInt(200); // above 124 a shard moves to its index
            for (int step = 0; step < STEPS; step++) {
                step(keys, keep);
            }
            pending.forEach(one -> one.closed[0] = true); // by the memtable
            memtable.freeze();
            show();
            MemtableChecks.flush(memtable, model, keep, snapshots, random);
            MemtableChecks.stats(memtable, model, snapshots.size());
            MemtableChecks.verifyIndexes(memtable);
        } finally {
            memtable.close();
        }
        MemtableChecks.allGivenBack(memtable);
    }

    private void step(final int keys, final KeepVersions keep) {
        final int choice = random.nextInt(100);
        if (choice < 15 && pending.size() < MAX_OPEN) {
            pending.add(new Pending(
                memtable.reserveSequences(1 + random.nextInt(8)), new TreeMap<>(), new boolean[1]));
        } else if (choice < 65 && !pending.isEmpty()) {
            write(keys);
        } else if (choice < 75 && !pending.isEmpty()) {
            final Pending one = pending.get(random.nextInt(pending.size()));
            one.reservation.close();
            one.closed[0] = true;
        } else if (choice < 80) {
            changeSnapshots();
        } else if (choice < 93) {
            MemtableChecks.point(memtable, model, key(keys), snapshot());
        } else if (choice < 97) {
            final Snapshot snapshot = snapshot();
            try (CheckedCursor cursor = new CheckedCursor(MemtableChecks.cursor(memtable, snapshot, random),
                model.visible(snapshot == null ? model.last() : snapshot.sequence()))) {
                for (int i = 0; i < CURSOR_MOVES; i++) {
                    cursor.move(random, key(keys));
                    if (!pending.isEmpty() && i % 3 == 0) {
                        write(keys);
                    }
                }
            }
        } else {
            MemtableChecks.flush(memtable, model, keep, snapshots, random);
        }
        show();
    }

    private byte[] key(final int keys) {
        final int number = random.nextInt(random.nextInt(3) == 0 ? keys : Math.min(keys, 4));
        final byte[] key = new byte[number % 13];
        return number == 0 ? key : (number + "/" + "x".repeat(key.length)).getBytes(StandardCharsets.US_ASCII);
    }

    /** Uses some numbers of a reservation, if they are free; else they are refused. */
    private void write(final int keys) {
        final Pending one = pending.get(random.nextInt(pending.size()));
        final int from = random.nextInt(one.count());
        final WriteBatch batch = new WriteBatch();
        final long sequence = one.reservation.first() + from;
        final int size = random.nextInt(3) > 0 ? 1 : 1 + random.nextInt(one.count() - from);
        for (int i = 0; i < size; i++) {
            add(batch, keys, sequence + i);
        }
        boolean used = one.closed[0] || one.writes.size() == one.count();
        for (int i = 0; i < size; i++) {
            used |= one.writes.containsKey(sequence + i);
        }
        if (used) {
            assertThrows(IllegalStateException.class, () -> one.reservation.write(batch, sequence));
            return;
        }
        final WriteBatch.Operation operation = batch.operation(0);
        if (size > 1 || random.nextBoolean()) {
            one.reservation.write(batch, sequence);
        } else if (operation.kind() == EntryKind.VALUE) {
            one.reservation.put(operation.key(), operation.value(), sequence);
        } else if (operation.kind() == EntryKind.EXPIRING) {
            one.reservation.putExpiring(operation.key(), operation.value(), operation.expiry(), sequence);
        } else if (operation.kind() == EntryKind.OPERAND) {
            one.reservation.merge(operation.key(), operation.value(), sequence);
        } else if (operation.kind() == EntryKind.TOMBSTONE) {
            one.reservation.delete(operation.key(), sequence);
        } else if (operation.toExclusive() == null) {
            one.reservation.deleteRangeFrom(operation.key(), sequence);
        } else {
            one.reservation.deleteRange(operation.key(), operation.toExclusive(), sequence);
        }
        for (int i = 0; i < size; i++) {
            one.writes.put(sequence + i, batch.operation(i));
            if (batch.operation(i).kind() == EntryKind.RANGE_TOMBSTONE) {
                lastRange = sequence + i;
            }
        }
    }

    private void add(final WriteBatch batch, final int keys, final long sequence) {
        final int choice = random.nextInt(20);
        final byte[] key = key(keys);
        if (choice == 0) {
            final byte[] to = Arrays.copyOf(key, key.length + 1 + random.nextInt(2));
            if (random.nextBoolean() && key.length > 0) {
                to[0]++;
            }
            if (sequence > lastRange) {
                if (random.nextInt(4) == 0) {
                    batch.deleteRangeFrom(key);
                } else {
                    batch.deleteRange(key, to);
                }
                return;
            }
            assertThrows(IllegalArgumentException.class,
                () -> pending.get(0).reservation.deleteRange(key, to, lastRange));
        }
        if (choice < 5) {
            batch.delete(key);
        } else {
            final byte[] value = new byte[random.nextInt(20) == 0 ? 2_000 : random.nextInt(12)];
            random.nextBytes(value);
            if (choice < 9) {
                batch.merge(key, value);
            } else if (choice < 11) {
                batch.putExpiring(key, value, model.time() + random.nextInt(2)); // has expired already, or does not
            } else {
                batch.put(key, value);
            }
        }
    }

    /** Has the model show what should be visible, and compares the number. */
    private void show() {
        while (!pending.isEmpty()
            && (pending.get(0).closed[0] || pending.get(0).writes.size() == pending.get(0).count())) {
            final Pending one = pending.remove(0);
            one.writes.forEach((sequence, operation) -> model.apply(operation, sequence));
            model.skipTo(one.reservation.last());
        }
        assertEquals(model.last(), memtable.lastSequence());
    }

    private void changeSnapshots() {
        if (snapshots.size() == MAX_SNAPSHOTS || !snapshots.isEmpty() && random.nextInt(3) == 0) {
            snapshots.remove(random.nextInt(snapshots.size())).close();
        } else {
            snapshots.add(memtable.snapshot());
        }
    }

    private Snapshot snapshot() {
        return snapshots.isEmpty() || random.nextInt(3) == 0 ? null : snapshots.get(random.nextInt(snapshots.size()));
    }
}
