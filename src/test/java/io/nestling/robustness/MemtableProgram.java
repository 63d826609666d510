/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.BoundedCursor;
import io.nestling.index.EntryCursor;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.CheckedCursor;
import io.nestling.memtable.KeepVersions;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableChecks;
import io.nestling.memtable.MemtableModel;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.MemtableStats;
import io.nestling.memtable.Sharding;
import io.nestling.memtable.Snapshot;
import io.nestling.memtable.WriteBatch;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.LimitedAllocator;
import io.nestling.testing.NettySlabs;
import io.netty.buffer.PooledByteBufAllocator;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * One random program over memtables and the tables that they are flushed into, each answer compared with {@link
 * MemtableModel}. A step draws everything from a seed of its own, so that any part of a list of steps is a program too.
 */
final class MemtableProgram implements AutoCloseable {
    private static final int MAX_SHARDS = 9;
    private static final int MAX_SNAPSHOTS = 5;
    private static final int MAX_CURSORS = 3;
    private static final int MAX_RANGES = 60;
    /** Until an entry expires. */
    private static final int MAX_MILLIS = 50;

    private final IndexType index;
    private final RandomKeys keys;
    /** Whether there are operands and entries that expire. */
    private final boolean needsRules;
    private final AtomicLong time = new AtomicLong(1_000);
    private final ProgramTables tables;
    private final boolean traced;
    private final List<String> trace = new ArrayList<>();
    private final WriteBatch batch = new WriteBatch();
    private final List<Snapshot> snapshots = new ArrayList<>();
    private final List<CheckedCursor> cursors = new ArrayList<>();
    private Random random;
    private Memtable memtable;
    private MemtableModel model;
    private KeepVersions keep;
    private boolean frozen;
    private boolean oneSlab;
    private int accepted;
    private int refused;

    /** Opens the first memtable. The case decides index, keys and kinds of entries, a step all else; a trace costs time. */
    MemtableProgram(final long seed, final IndexType index, final Path directory, final boolean traced) {
        this.index = index;
        this.traced = traced;
        random = new Random(seed);
        keys = new RandomKeys(random);
        needsRules = random.nextInt(4) > 0;
        tables = new ProgramTables(directory, keys, time);
        open(1 + random.nextInt(3) * 1000L);
    }

    /** What a step does. */
    enum Kind {
        WRITE(40), UPDATES(1), BATCH(8), LARGE_BATCH(1), HUGE_WRITE(1), BAD_CALL(1), SNAPSHOT(4), CLOSE_SNAPSHOT(3), POINT(22),
        GET_ALL(4), CURSOR(6), BOUNDED(5), OPEN_CURSOR(2), MOVE_CURSOR(6), EPOCH(4), TIME(4), FLUSH(2), TABLE(1), FREEZE(1),
        ROTATE(3), TABLES_POINT(4), TABLES_SCAN(2);

        private final int share;

        Kind(final int share) {
            this.share = share;
        }

        static Kind random(final Random random) {
            int left = random.nextInt(Arrays.stream(values()).mapToInt(kind -> kind.share).sum());
            for (final Kind kind : values()) {
                left -= kind.share;
                if (left < 0) {
                    return kind;
                }
            }
            throw new AssertionError(left);
        }
    }

    /** A step and the seed of what it draws. */
    record Step(Kind kind, long seed) {
    }

    private void open(final long firstSequence) {
        final boolean byRanges = random.nextInt(3) == 0;
        final Sharding sharding =
            byRanges ? Sharding.byRanges(keys.boundaries(random, random.nextInt(4))) : Sharding.byHash();
        final long capacity = new long[] {512 << 10, 1 << 20, 3 << 20, 12 << 20}[random.nextInt(4)];
        keep = KeepVersions.values()[random.nextInt(3)];
        final MemtableOptions.Builder options = MemtableOptions.builder().index(index).sharding(sharding)
            .keepVersions(keep).capacityBytes(capacity).firstSequence(firstSequence);
        model = new MemtableModel(firstSequence, time);
        if (needsRules) {
            options.rules(model.rules());
        }
        if (!byRanges) {
            options.shards(1 + random.nextInt((int) Math.min(MAX_SHARDS, capacity / MemtableOptions.MIN_SHARD_BYTES)));
        }
        final SlabAllocator allocator = allocator();
        try {
            memtable = Memtable.open(options.memory(allocator).build());
        } catch (final SpaceExhaustedException e) {
            assertTrue(allocator instanceof LimitedAllocator, e::getMessage);
            trace.add("no memory to open it with " + ((LimitedAllocator) allocator).given() + " slabs");
            memtable = Memtable.open(options.memory(SlabAllocator.direct()).build());
        }
        oneSlab = allocator.lazy();
        frozen = false;
        assertEquals(firstSequence - 1, memtable.lastSequence());
        trace.add("open " + memtable + ", " + keep + ", " + capacity + " bytes of "
            + allocator.getClass().getSimpleName() + ", first sequence number " + firstSequence);
    }

    /** Fresh memory most of the time, else memory that was used before, or less than the capacity. */
    private SlabAllocator allocator() {
        switch (random.nextInt(10)) {
            case 0:
            case 1:
                return NettySlabs.of(PooledByteBufAllocator.DEFAULT);
            case 2:
                return new LimitedAllocator(SlabAllocator.direct(), random.nextInt(30));
            default:
                return SlabAllocator.direct();
        }
    }

    /** Runs the steps, and then looks at everything. */
    void run(final List<Step> steps) throws IOException {
        for (final Step step : steps) {
            random = new Random(step.seed);
            trace.add(step.kind.toString());
            run(step.kind);
        }
        trace.add("check everything");
        random = new Random(1);
        for (final byte[] key : keys.all()) {
            MemtableChecks.point(memtable, model, key, snapshot());
        }
        walk(null);
        snapshots.forEach(this::walk);
        MemtableChecks.verifyIndexes(memtable);
        MemtableChecks.stats(memtable, model, snapshots.size());
        MemtableChecks.flush(memtable, model, keep, snapshots, random);
        tables.checkAll(random);
    }

    private void run(final Kind kind) throws IOException {
        switch (kind) {
            case WRITE -> write();
            case UPDATES -> update();
            case BATCH -> writeBatch(random.nextInt(random.nextInt(4) == 0 ? 80 : 12));
            case LARGE_BATCH -> writeBatch(100 + random.nextInt(500));
            case BAD_CALL -> callWrongly();
            case HUGE_WRITE -> writeHuge();
            case SNAPSHOT -> openSnapshot();
            case CLOSE_SNAPSHOT -> closeSnapshot();
            case POINT -> MemtableChecks.point(memtable, model, note(keys.key(random)), snapshot());
            case GET_ALL -> getAll();
            case CURSOR -> moveNewCursor();
            case BOUNDED -> moveBoundedCursor();
            case OPEN_CURSOR -> openCursor();
            case MOVE_CURSOR -> moveKeptCursor();
            case EPOCH -> MemtableChecks.advanceEpoch(memtable);
            case TIME -> model.advanceTime(random.nextInt(MAX_MILLIS / 4));
            case FLUSH -> MemtableChecks.flush(memtable, model, keep, snapshots, random);
            case TABLE -> tables.add(memtable, model.flush(keep, model.last(), sequences()), model.last(), random, false);
            case FREEZE -> freeze();
            case ROTATE -> rotate();
            case TABLES_POINT -> tables.checkPoint(random);
            case TABLES_SCAN -> tables.checkScan(random);
            default -> throw new AssertionError(kind);
        }
    }

    private byte[] note(final byte[] key) {
        note(() -> KeyCorpus.text(key));
        return key;
    }

    private void note(final Supplier<String> more) {
        if (traced) {
            trace.set(trace.size() - 1, trace.get(trace.size() - 1) + " " + more.get());
        }
    }

    private List<Long> sequences() {
        return snapshots.stream().map(Snapshot::sequence).toList();
    }

    // ---- writes ----

    private byte[] value() {
        final int choice = random.nextInt(40);
        final byte[] value = new byte[choice == 0 ? random.nextInt(200_000) : choice < 4 ? random.nextInt(3000)
            : random.nextInt(20)];
        if (random.nextBoolean()) {
            random.nextBytes(value);
        } else {
            Arrays.fill(value, (byte) random.nextInt());
        }
        return value;
    }

    /** Adds a write to the batch, unless it is a range that ends before it begins. */
    private void addWrite() {
        final int choice = random.nextInt(20);
        if (choice < 3 && needsRules) {
            batch.putExpiring(keys.key(random), value(), model.time() + random.nextInt(MAX_MILLIS));
        } else if (choice < 7 && needsRules) {
            batch.merge(keys.key(random), value());
        } else if (choice < 13) {
            batch.put(keys.key(random), value());
        } else if (choice < 17 || model.ranges() > MAX_RANGES) {
            batch.delete(keys.key(random));
        } else if (random.nextInt(6) == 0) {
            batch.deleteRangeFrom(keys.bound(random));
        } else {
            final byte[] from = keys.bound(random);
            final byte[] to = keys.bound(random);
            final int size = batch.size();
            if (Arrays.compareUnsigned(from, to) < 0) {
                batch.deleteRange(from, to);
            } else {
                assertThrows(IllegalArgumentException.class, () -> batch.deleteRange(from, to));
                assertThrows(IllegalArgumentException.class, () -> memtable.deleteRange(from, to));
                assertEquals(size, batch.size());
            }
        }
    }

    private void write() throws IOException {
        batch.clear();
        while (batch.size() == 0) {
            addWrite();
        }
        final WriteBatch.Operation operation = batch.iterator().next();
        apply(() -> switch (operation.kind()) {
            case VALUE -> put(operation.key(), operation.value());
            case EXPIRING -> memtable.putExpiring(operation.key(), operation.value(), operation.expiry());
            case OPERAND -> memtable.merge(operation.key(), operation.value());
            case TOMBSTONE -> memtable.delete(operation.key());
            case RANGE_TOMBSTONE -> MemtableChecks.deleteRange(memtable, operation);
        });
    }

    /** Writes one key or two so often that replaced records are recycled, and looks at them in the end. */
    private void update() {
        final byte[][] some = {keys.key(random), keys.key(random)};
        final int size = random.nextInt(100);
        try {
            for (int left = random.nextInt(400); left > 0 && !frozen; left--) {
                final byte[] value = new byte[random.nextInt(1 + size)];
                Arrays.fill(value, (byte) left);
                final byte[] key = some[random.nextInt(2)];
                final WriteBatch one = new WriteBatch();
                switch (needsRules ? random.nextInt(8) : 0) {
                    case 1 -> one.putExpiring(key, value, model.time() + random.nextInt(MAX_MILLIS));
                    case 2, 3, 4 -> one.merge(key, value);
                    default -> one.put(key, value);
                }
                memtable.write(one);
                one.forEach(model::apply);
                accepted++;
            }
        } catch (final SpaceExhaustedException e) {
            refused++;
        }
        batch.clear();
        batch.put(some[0], some[1]).put(some[1], some[0]);
        checkTouched();
    }

    private long put(final byte[] key, final byte[] value) {
        switch (random.nextInt(4)) {
            case 0:
                final byte[] both = new byte[key.length + value.length + 5];
                System.arraycopy(key, 0, both, 3, key.length);
                System.arraycopy(value, 0, both, key.length + 4, value.length);
                final UnsafeBuffer buffer = new UnsafeBuffer(both);
                return memtable.put(buffer, 3, key.length, buffer, key.length + 4, value.length);
            case 1:
                return memtable.put(ByteBuffer.wrap(key), ByteBuffer.wrap(value));
            default:
                return memtable.put(key, value);
        }
    }

    private void writeBatch(final int count) throws IOException {
        if (random.nextInt(5) > 0) {
            batch.clear(); // else what was written before is written again, with more
        }
        for (int left = count; left > 0; left--) {
            addWrite();
        }
        apply(() -> memtable.write(batch));
    }

    /** Calls that throw whatever the memtable holds, and change nothing. */
    private void callWrongly() {
        final byte[] tooLong = new byte[KeyCorpus.MAX_KEY_BYTES + 1];
        final byte[] key = keys.key(random);
        final MemtableStats before = memtable.stats();
        assertThrows(IllegalArgumentException.class, () -> memtable.put(tooLong, key));
        assertThrows(IllegalArgumentException.class, () -> memtable.delete(tooLong));
        assertThrows(IllegalArgumentException.class, () -> memtable.deleteRange(key, tooLong));
        assertThrows(IllegalArgumentException.class, () -> memtable.deleteRangeFrom(tooLong));
        assertThrows(IllegalArgumentException.class, () -> memtable.deleteRange(key, key));
        assertThrows(IllegalArgumentException.class, () -> memtable.get(tooLong));
        assertThrows(IllegalArgumentException.class, () -> memtable.getAll(new byte[][] {key, tooLong}, new byte[2][]));
        assertThrows(IllegalArgumentException.class, () -> memtable.getAll(new byte[][] {key}, new byte[0][]));
        assertThrows(NullPointerException.class, () -> memtable.put(key, null));
        assertThrows(NullPointerException.class, () -> memtable.getAll(new byte[][] {null}, new byte[1][]));
        assertThrows(NullPointerException.class, () -> new WriteBatch().put(null, key));
        assertEquals(before, memtable.stats());
        MemtableChecks.point(memtable, model, key, null);
    }

    /** A write of which the last bytes do not fit. */
    private void writeHuge() throws IOException {
        batch.clear();
        for (int size = random.nextInt(3); size > 0; size--) {
            addWrite();
        }
        batch.put(keys.key(random), new byte[(int) memtable.stats().capacityBytes()]);
        assertEquals(frozen, apply(() -> memtable.write(batch)), "more bytes than its capacity were taken");
    }

    /**
     * Writes what is in the batch, in some way. A frozen memtable refuses it, and so does one without space for it; both
     * are as before then.
     *
     * @return whether it was written, or the memtable is frozen
     */
    private boolean apply(final LongSupplier write) throws IOException {
        note(this::describe);
        final MemtableStats before = memtable.stats();
        final long last = model.last();
        if (frozen && batch.size() > 0) {
            final IllegalStateException e = assertThrows(IllegalStateException.class, write::getAsLong);
            assertEquals("memtable is frozen", e.getMessage());
            checkUnchanged(before, last);
            if (random.nextBoolean()) {
                rotate();
            }
            return true;
        }
        final long sequence;
        try {
            sequence = write.getAsLong();
        } catch (final SpaceExhaustedException e) {
            note(() -> "(refused)");
            refused++;
            assertTrue(memtable.isFull());
            checkUnchanged(before, last);
            return false;
        }
        accepted++;
        batch.forEach(model::apply);
        assertEquals(model.last(), sequence);
        assertEquals(model.last(), memtable.lastSequence());
        checkTouched();
        return true;
    }

    private void checkUnchanged(final MemtableStats before, final long last) {
        final MemtableStats after = memtable.stats();
        assertEquals(last, memtable.lastSequence());
        assertEquals(before.entries(), after.entries());
        assertEquals(before.versions(), after.versions());
        assertEquals(before.rangeTombstones(), after.rangeTombstones());
        assertEquals(before.rangeTombstoneBytes(), after.rangeTombstoneBytes());
        if (oneSlab) { // else the end of one may be left free for the beginning of the next
            assertEquals(before.recordBytes(), after.recordBytes());
        }
        checkTouched();
    }

    /** Looks the first keys of the batch up, and one of its last. */
    private void checkTouched() {
        int checks = 4;
        for (final WriteBatch.Operation operation : batch) {
            if (checks-- > 0 || random.nextInt(16) == 0) {
                MemtableChecks.point(memtable, model, operation.key(), snapshot());
                if (operation.toExclusive() != null) {
                    MemtableChecks.point(memtable, model, operation.toExclusive(), null);
                }
            }
        }
    }

    private String describe() {
        final StringBuilder text = new StringBuilder();
        for (final WriteBatch.Operation operation : batch) {
            text.append(text.length() == 0 ? "" : "; ").append(switch (operation.kind()) {
                case VALUE -> "put " + KeyCorpus.text(operation.key()) + " " + operation.value().length + " bytes";
                case OPERAND -> "merge " + KeyCorpus.text(operation.key());
                case EXPIRING -> "put " + KeyCorpus.text(operation.key()) + " until " + operation.expiry();
                case TOMBSTONE -> "delete " + KeyCorpus.text(operation.key());
                case RANGE_TOMBSTONE ->
                    "delete from " + KeyCorpus.text(operation.key()) + " to " + KeyCorpus.text(operation.toExclusive());
            });
            if (text.length() > 800) {
                return text + "; ... " + batch.size() + " writes";
            }
        }
        return text.toString();
    }

    // ---- reads ----

    private void openSnapshot() {
        if (snapshots.size() < MAX_SNAPSHOTS) {
            snapshots.add(memtable.snapshot());
            assertEquals(model.last(), snapshots.get(snapshots.size() - 1).sequence());
            note(() -> "at " + model.last());
        }
    }

    private void closeSnapshot() {
        if (!snapshots.isEmpty()) {
            final Snapshot closed = snapshots.remove(random.nextInt(snapshots.size()));
            note(() -> "at " + closed.sequence());
            closed.close();
            closed.close();
            assertThrows(IllegalStateException.class, () -> closed.get(keys.all().get(0)));
        }
    }

    /** An open snapshot, or null for now. */
    private Snapshot snapshot() {
        return snapshots.isEmpty() || random.nextInt(3) == 0 ? null : snapshots.get(random.nextInt(snapshots.size()));
    }

    private void getAll() {
        final byte[][] wanted = new byte[random.nextInt(random.nextInt(5) == 0 ? 200 : 20)][];
        Arrays.setAll(wanted, i -> keys.key(random));
        MemtableChecks.all(memtable, model, wanted, random.nextInt(2));
    }

    private CheckedCursor cursor(final Snapshot given) {
        note(() -> given == null ? "now" : "at " + given.sequence());
        return new CheckedCursor(MemtableChecks.cursor(memtable, given, random),
            model.visible(given == null ? model.last() : given.sequence()));
    }

    private void move(final CheckedCursor cursor) {
        for (int moves = 1 + random.nextInt(30); moves > 0; moves--) {
            cursor.move(random, keys.sought(random));
        }
    }

    private void walk(final Snapshot given) {
        try (CheckedCursor cursor = cursor(given)) {
            cursor.walk();
        }
    }

    private void moveNewCursor() {
        try (CheckedCursor cursor = cursor(snapshot())) {
            move(cursor);
            cursor.walk();
        }
    }

    private void moveBoundedCursor() {
        final byte[] from = random.nextInt(4) == 0 ? null : keys.bound(random);
        final byte[] to = random.nextInt(4) == 0 ? null : keys.bound(random);
        final Snapshot given = snapshot();
        note(() -> "from " + KeyCorpus.text(from) + " to " + KeyCorpus.text(to)
            + (given == null ? "" : " at " + given.sequence()));
        final List<MemtableModel.Version> expected =
            new ArrayList<>(model.visible(given == null ? model.last() : given.sequence()));
        expected.removeIf(version -> from != null && Arrays.compareUnsigned(version.key(), from) < 0
            || to != null && Arrays.compareUnsigned(version.key(), to) >= 0);
        final EntryCursor unbounded = MemtableChecks.cursor(memtable, given, random);
        try (CheckedCursor cursor = new CheckedCursor(BoundedCursor.of(unbounded, from, to), expected)) {
            move(cursor);
            cursor.walk();
        }
    }

    /** Cursors that see none of the writes to come. */
    private void openCursor() {
        if (cursors.size() < MAX_CURSORS) {
            cursors.add(cursor(snapshot()));
        }
    }

    private void moveKeptCursor() {
        if (!cursors.isEmpty()) {
            final int number = random.nextInt(cursors.size());
            note(() -> "number " + number);
            move(cursors.get(number));
            if (random.nextInt(5) == 0) {
                cursors.remove(number).close();
            }
        }
    }

    // ---- the end of a memtable ----

    private void freeze() {
        memtable.freeze();
        memtable.freeze();
        frozen = true;
    }

    /** Replaces the memtable by an empty one; its content goes into a table. */
    private void rotate() throws IOException {
        if (random.nextBoolean()) {
            freeze();
        }
        final Memtable old = memtable;
        tables.add(old, model.flush(keep, model.last(), sequences()), model.last(), random, true);
        final Snapshot last = old.snapshot();
        close();
        assertThrows(IllegalStateException.class, () -> old.get(keys.all().get(0)));
        assertThrows(IllegalStateException.class, () -> last.get(keys.all().get(0)));
        MemtableChecks.allGivenBack(old);
        trace.add("rotated:");
        open(model.last() + 1 + random.nextInt(2) * random.nextInt(1000));
    }

    /** Number of calls that wrote, and of those that found no space. */
    int[] writes() {
        return new int[] {accepted, refused};
    }

    /** The steps so far with what they drew, one a line. */
    String trace() {
        return "  " + String.join("\n  ", trace) + "\n";
    }

    @Override
    public String toString() {
        return "index " + index.indexName() + ", " + keys;
    }

    /** Closes the memtable and what was opened of it; the cursors sometimes later than it. */
    @Override
    public void close() {
        final boolean before = random.nextBoolean();
        if (before) {
            cursors.forEach(CheckedCursor::close);
        }
        memtable.close();
        memtable.close();
        cursors.forEach(CheckedCursor::close);
        cursors.clear();
        snapshots.forEach(Snapshot::close);
        snapshots.clear();
    }
}
