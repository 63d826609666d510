/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nestling.index.IndexFactory;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Random operations, and every way to read, against {@link MemtableModel}. */
@Tag("jdk")
@Tag("once")
class MemtableModelTest {
    private static final int STEPS = Effort.count(200, 500, 800);
    private static final int MAX_SNAPSHOTS = 6;
    private static final int CURSOR_MOVES = 25;

    private Random random;
    private Memtable memtable;
    private MemtableModel model;
    private KeepVersions keep;
    private final List<Snapshot> snapshots = new ArrayList<>();
    private final WriteBatch batch = new WriteBatch();

    static Stream<Arguments> configurations() {
        final List<Arguments> list = new ArrayList<>();
        TestIndexes.all().forEach(index -> {
            for (int shards = 1; shards <= 4; shards++) {
                list.add(Arguments.of(index, shards, Sharding.byHash(), keepVersions(shards)));
            }
            list.add(Arguments.of(index, 2, ranges("c"), KeepVersions.NEEDED_BY_SNAPSHOTS));
            list.add(Arguments.of(index, 4, ranges("aab", "b", "bc"), KeepVersions.NEWEST));
        });
        return list.stream();
    }

    private static KeepVersions keepVersions(final int number) {
        return KeepVersions.values()[number % KeepVersions.values().length];
    }

    private static Sharding ranges(final String... boundaries) {
        return Sharding.byRanges(Stream.of(boundaries).map(MemtableModelTest::bytes).toArray(byte[][]::new));
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void shouldAgreeWithTheModel(
        final IndexFactory index, final int shards, final Sharding sharding,
        final KeepVersions keepVersions) {
        random = Seeds.random("MemtableModelTest " + index + " " + shards + " " + sharding);
        keep = keepVersions;
        final long firstSequence = 1 + random.nextInt(3) * 1000L;
        model = new MemtableModel(firstSequence);
        memtable = Memtable.open(MemtableOptions.builder().index(index).shards(shards).sharding(sharding)
            .keepVersions(keep).capacityBytes(16 << 20).firstSequence(firstSequence).rules(model.rules()).build());
        try {
            assertEquals(firstSequence - 1, memtable.lastSequence());
            for (int step = 0; step < STEPS; step++) {
                step();
            }
            MemtableChecks.flush(memtable, model, keep, snapshots, random);
            memtable.freeze();
            MemtableChecks.flush(memtable, model, keep, snapshots, random);
            MemtableChecks.stats(memtable, model, snapshots.size());
        } finally {
            memtable.close();
        }
        MemtableChecks.allGivenBack(memtable);
    }

    private void step() {
        model.advanceTime(random.nextInt(20) == 0 ? 5 : 0);
        final int choice = random.nextInt(100);
        if (choice < 30) {
            write();
        } else if (choice < 36) {
            writeBatch();
        } else if (choice < 40) {
            changeSnapshots();
        } else if (choice < 75) {
            MemtableChecks.point(memtable, model, key(), snapshot());
        } else if (choice < 85) {
            checkAll();
        } else if (choice < 97) {
            checkCursor(snapshot());
        } else {
            MemtableChecks.flush(memtable, model, keep, snapshots, random);
        }
    }

    /**
     * A key of a small universe: short ones over three letters, the empty one, and now and then a long one.
     */
    private byte[] key() {
        if (random.nextInt(40) == 0) {
            final byte[] longKey = new byte[60 + random.nextInt(3) * 700];
            java.util.Arrays.fill(longKey, (byte) ('a' + random.nextInt(3)));
            return longKey;
        }
        final byte[] key = new byte[random.nextInt(5)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) ('a' + random.nextInt(3));
        }
        return key;
    }

    private byte[] value() {
        final byte[] value = new byte[random.nextInt(10) == 0 ? random.nextInt(3000) : random.nextInt(12)];
        random.nextBytes(value);
        return value;
    }

    private void addWrite(final WriteBatch writes) {
        final int choice = random.nextInt(20);
        if (choice < 10) {
            writes.put(key(), value());
        } else if (choice < 13) {
            writes.putExpiring(key(), value(), model.time() + random.nextInt(50));
        } else if (choice < 15) {
            writes.merge(key(), value());
        } else if (choice < 18) {
            writes.delete(key());
        } else if (random.nextInt(6) == 0) {
            writes.deleteRangeFrom(key());
        } else {
            final byte[] from = key();
            final byte[] to = key();
            final int order = java.util.Arrays.compareUnsigned(from, to);
            if (order == 0) {
                assertThrows(IllegalArgumentException.class, () -> writes.deleteRange(from, to));
                writes.delete(from);
            } else {
                writes.deleteRange(order < 0 ? from : to, order < 0 ? to : from);
            }
        }
    }

    private void write() {
        batch.clear();
        addWrite(batch);
        final WriteBatch.Operation operation = batch.iterator().next();
        final long expected = model.apply(operation);
        final long actual;
        switch (operation.kind()) {
            case VALUE:
                actual = memtable.put(operation.key(), operation.value());
                break;
            case EXPIRING:
                actual = memtable.putExpiring(operation.key(), operation.value(), operation.expiry());
                break;
            case OPERAND:
                actual = memtable.merge(operation.key(), operation.value());
                break;
            case TOMBSTONE:
                actual = memtable.delete(operation.key());
                break;
            case RANGE_TOMBSTONE:
                actual = MemtableChecks.deleteRange(memtable, operation);
                break;
            default:
                throw new AssertionError(operation);
        }
        assertEquals(expected, actual);
        assertEquals(expected, memtable.lastSequence());
    }

    private void writeBatch() {
        batch.clear();
        final int size = random.nextInt(4) == 0 ? 200 : random.nextInt(12);
        for (int i = 0; i < size; i++) {
            addWrite(batch);
        }
        assertEquals(size, batch.size());
        for (final WriteBatch.Operation operation : batch) {
            model.apply(operation);
        }
        assertEquals(model.last(), memtable.write(batch));
        assertEquals(model.last(), memtable.lastSequence());
    }

    private void changeSnapshots() {
        if (snapshots.size() == MAX_SNAPSHOTS || !snapshots.isEmpty() && random.nextInt(3) == 0) {
            snapshots.remove(random.nextInt(snapshots.size())).close();
        } else {
            snapshots.add(memtable.snapshot());
            assertEquals(model.last(), snapshots.get(snapshots.size() - 1).sequence());
        }
    }

    /** An open snapshot, or null for now. */
    private Snapshot snapshot() {
        return snapshots.isEmpty()
            || random.nextInt(3) == 0 ? null : snapshots.get(random.nextInt(snapshots.size()));
    }

    private void checkAll() {
        final byte[][] keys = new byte[random.nextInt(random.nextInt(5) == 0 ? 700 : 20)][];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = key();
        }
        MemtableChecks.all(memtable, model, keys, random.nextInt(2));
    }

    private void checkCursor(final Snapshot snapshot) {
        final long at = snapshot == null ? model.last() : snapshot.sequence();
        try (CheckedCursor cursor = new CheckedCursor(
            MemtableChecks.cursor(memtable, snapshot, random), model.visible(at))) {
            final boolean concurrentWrite = random.nextInt(4) == 0;
            for (int i = 0; i < CURSOR_MOVES; i++) {
                cursor.move(random, key());
                if (concurrentWrite && i % 8 == 0) {
                    write();
                }
                model.advanceTime(random.nextInt(10) == 0 ? 20 : 0); // not for the cursor, which has read the clock
                if (i % 5 == 0) {
                    memtable.state().epochs().tryAdvance();
                }
            }
            cursor.walk();
        }
    }
}
