/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.caffeine.CaffeineBlockCache;
import io.nestling.catalog.IndexType;
import io.nestling.index.BoundedCursor;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;
import io.nestling.index.HiddenLimitCursor;
import io.nestling.index.LookupResult;
import io.nestling.index.Versions;
import io.nestling.index.VisibleCursor;
import io.nestling.memtable.CheckedCursor;
import io.nestling.memtable.FlushResult;
import io.nestling.memtable.FrozenException;
import io.nestling.memtable.KeepVersions;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableChecks;
import io.nestling.memtable.MemtableModel;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.ReadView;
import io.nestling.memtable.SequenceReservation;
import io.nestling.memtable.Sharding;
import io.nestling.memtable.Snapshot;
import io.nestling.memtable.WriteBatch;
import io.nestling.testing.KeyCorpus;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;

/**
 * The parts of an engine, put together in one thread: a memtable that takes writes, up to two frozen ones, a {@link
 * LiveTableSet}, and for each memtable the writes that a log would hold. Each answer is compared with {@link MemtableModel}.
 * Everything is drawn from one generator. While a flush or a merge is under way, it may write, read, take snapshots and move
 * cursors.
 */
final class ModelledEngine implements AutoCloseable {
    private static final int MAX_FROZEN = 2;
    private static final int MAX_SNAPSHOTS = 4;
    private static final int MAX_CURSORS = 3;

    /** Where the sequence numbers of a memtable's writes come from. */
    private enum Form {
        NEXT, RESERVED, GIVEN
    }

    /** A memtable and its log: batches by their first numbers. */
    private static final class Part {
        private final Memtable memtable;
        private final long first;
        private final KeepVersions keep;
        private final Form form;
        private final TreeMap<Long, WriteBatch> log = new TreeMap<>();

        Part(final Memtable memtable, final long first, final KeepVersions keep, final Form form) {
            this.memtable = memtable;
            this.first = first;
            this.keep = keep;
            this.form = form;
        }

        void release() {
            memtable.release();
            if (memtable.tryRetain()) {
                memtable.release();
            } else {
                MemtableChecks.allGivenBack(memtable);
            }
        }

        /** The greatest number that belongs to a write, or 0. */
        long lastWritten() {
            return log.isEmpty() ? 0 : log.lastKey() + log.lastEntry().getValue().size() - 1;
        }
    }

    /** A state that is read as of its number, whatever is flushed and merged: the snapshot is of the memtable of that moment. */
    private record Held(Part part, Snapshot snapshot) {
        /** Returns how to read a memtable at this state; null if its writes are newer. */
        ReadView reads(final Part read) {
            return read == part ? snapshot : read.first > snapshot.sequence() ? null : read.memtable;
        }
    }

    /** An open cursor and what it reads. */
    private record Reader(CheckedCursor cursor, List<Part> parts, TableSet tables) {
        void close() throws IOException {
            cursor.close();
            parts.forEach(Part::release);
            tables.close();
        }
    }

    private final Path parent;
    private final Random random;
    private final int keys;
    private final FileOperations operations = FaultyFileOperations.failingAt(0).withoutForcing();
    /* Small, or none. */
    private final BlockCache cache;
    private final MemtableModel model = new MemtableModel(1);
    /* From new to old. */
    private final List<Part> parts = new ArrayList<>();
    private final List<Held> snapshots = new ArrayList<>();
    private final List<Reader> cursors = new ArrayList<>();
    private final List<FlushResult> flushes = new ArrayList<>();
    private Path directory;
    private LiveTableSet live;
    /** Greatest number of a write in a table. */
    private long lastInTables;
    private int directories;

    ModelledEngine(final Path parent, final Random random) throws IOException {
        this.parent = parent;
        this.random = random;
        keys = 2 + random.nextInt(random.nextBoolean() ? 30 : 250); // above 124 a shard moves to its index
        directory = Files.createDirectory(parent.resolve("tables"));
        cache = random.nextBoolean() ? null : CaffeineBlockCache.ofBytes(1 + random.nextInt(30_000));
        live = LiveTableSet.open(directory, operations, cache);
        openMemtable(Form.values()[random.nextInt(3)], model.last() + 1 + random.nextInt(3));
    }

    // ---- what is drawn ----

    private byte[] key() {
        final int number = random.nextInt(random.nextInt(3) == 0 ? Math.min(keys, 5) : keys);
        final byte[] key = new byte[number == 0 ? 0 : 1 + number % 11];
        for (int i = 0, rest = number; i < key.length; i++, rest /= 5) {
            key[i] = (byte) (i < 4 ? 60 * (rest % 5) : 0);
        }
        return key;
    }

    private byte[] value() {
        final int kind = random.nextInt(200);
        final byte[] value = new byte[kind == 0 ? 70_000 : kind < 10 ? random.nextInt(2_000) : random.nextInt(12)];
        random.nextBytes(value);
        return value;
    }

    private void addWrite(final WriteBatch batch, final boolean withRanges) {
        final int choice = random.nextInt(30);
        if (choice == 0 && withRanges) {
            batch.deleteRangeFrom(key());
        } else if (choice < 4 && withRanges) {
            final byte[] from = key();
            final byte[] to = random.nextBoolean() ? key() : Arrays.copyOf(from, from.length + 1);
            final int order = Arrays.compareUnsigned(from, to);
            batch.deleteRange(order < 0 ? from : to, order < 0 ? to : Arrays.copyOf(from, from.length + (order == 0 ? 1 : 0)));
        } else if (choice < 10) {
            batch.delete(key());
        } else if (choice < 14) {
            batch.putExpiring(key(), value(), model.time() + random.nextInt(200));
        } else if (choice < 18) {
            batch.merge(key(), value());
        } else {
            batch.put(key(), value());
        }
    }

    private WriteBatch batch(final int size, final boolean withRanges) {
        final WriteBatch batch = new WriteBatch();
        for (int i = 0; i < size; i++) {
            addWrite(batch, withRanges);
        }
        return batch;
    }

    private SstableOptions tableOptions() {
        return SstableOptions.defaults().withBlockBytes(64 + random.nextInt(random.nextBoolean() ? 200 : 5_000))
            .withCompression(Compression.values()[random.nextInt(Compression.values().length)]);
    }

    // ---- steps ----

    /** Does one step, whichever. */
    void step() throws IOException {
        final int choice = random.nextInt(1000);
        if (choice < 910) {
            smallStep();
        } else if (choice < 940) {
            rotate();
        } else if (choice < 960) {
            flushOldest(true);
        } else if (choice < 980) {
            merge();
        } else if (choice < 986) {
            reopen();
        } else if (choice < 993) {
            crash(directory);
        } else {
            checkpoint();
        }
    }

    /** What may also happen while a flush or a merge is under way. */
    private void smallStep() throws IOException {
        model.advanceTime(random.nextInt(10) == 0 ? random.nextInt(30) : 0);
        final int choice = random.nextInt(100);
        if (choice < 40) {
            write();
        } else if (choice < 70) {
            checkPoint();
        } else if (choice < 78) {
            changeSnapshots();
        } else if (choice < 84) {
            openCursor();
        } else if (!cursors.isEmpty()) {
            final int at = random.nextInt(cursors.size());
            for (int i = random.nextInt(15); i >= 0; i--) {
                cursors.get(at).cursor.move(random, key());
            }
            if (choice >= 96) {
                cursors.get(at).cursor.walk();
                cursors.remove(at).close();
            }
        }
    }

    private void beside() {
        try {
            for (int i = random.nextInt(4); i > 0; i--) {
                smallStep();
            }
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    // ---- writes ----

    private Part active() {
        return parts.get(0);
    }

    private void openMemtable(final Form form, final long first) {
        final IndexType[] indexes = IndexType.values();
        final KeepVersions keep = KeepVersions.values()[random.nextInt(3)];
        final MemtableOptions.Builder options = MemtableOptions.builder().index(indexes[random.nextInt(indexes.length)])
            .keepVersions(keep).firstSequence(first).capacityBytes(16 << 20).rules(model.rules());
        switch (random.nextInt(3)) {
            case 0 -> options.shards(1);
            case 1 -> options.shards(1 + random.nextInt(4));
            default -> options.shards(2).sharding(Sharding.learned(2, flushes));
        }
        final Memtable memtable = Memtable.open(options.build());
        if (random.nextBoolean()) {
            MemtableChecks.grown(memtable);
        }
        parts.add(0, new Part(memtable, first, keep, form));
        model.skipTo(first - 1);
    }

    private void write() {
        final Part part = active();
        if (part.form == Form.RESERVED) {
            writeReserved(part);
        } else {
            final WriteBatch batch = batch(random.nextInt(3) > 0 ? 1 : random.nextInt(15), true);
            if (part.form == Form.GIVEN) {
                final long first = model.last() + 1 + random.nextInt(3);
                part.memtable.write(batch, first);
                noteWritten(part, batch, first);
            } else {
                final long first = model.last() + 1;
                final long sequence =
                    batch.size() == 1 ? writeAlone(part.memtable, batch.iterator().next()) : part.memtable.write(batch);
                noteWritten(part, batch, first);
                assertEquals(model.last(), sequence);
            }
        }
        assertEquals(model.last(), part.memtable.lastSequence());
    }

    private static long writeAlone(final Memtable memtable, final WriteBatch.Operation operation) {
        return operation.kind() == EntryKind.VALUE ? memtable.put(operation.key(), operation.value())
            : operation.kind() == EntryKind.OPERAND ? memtable.merge(operation.key(), operation.value())
            : operation.kind() == EntryKind.EXPIRING
            ? memtable.putExpiring(operation.key(), operation.value(), operation.expiry())
            : operation.kind() == EntryKind.TOMBSTONE ? memtable.delete(operation.key())
            : MemtableChecks.deleteRange(memtable, operation);
    }

    /** Writes two batches whose numbers were reserved before, in either order; some numbers are given back. */
    private void writeReserved(final Part part) {
        final WriteBatch earlier = batch(1 + random.nextInt(4), random.nextBoolean());
        boolean hasRanges = false;
        for (final WriteBatch.Operation operation : earlier) {
            hasRanges |= operation.kind() == EntryKind.RANGE_TOMBSTONE;
        }
        final WriteBatch later = batch(1 + random.nextInt(4), hasRanges);
        try (SequenceReservation first = part.memtable.reserveSequences(earlier.size() + random.nextInt(2));
            SequenceReservation second = part.memtable.reserveSequences(later.size())) {
            if (hasRanges || random.nextBoolean()) {
                first.write(earlier, first.first());
                second.write(later, second.first());
            } else {
                second.write(later, second.first());
                first.write(earlier, first.first());
            }
            noteWritten(part, earlier, first.first());
            noteWritten(part, later, second.first());
        }
    }

    private void noteWritten(final Part part, final WriteBatch batch, final long first) {
        long sequence = first;
        for (final WriteBatch.Operation operation : batch) {
            model.apply(operation, sequence++);
        }
        if (batch.size() > 0) {
            part.log.put(first, batch);
        }
    }

    // ---- reads ----

    private Held held() {
        return snapshots.isEmpty() || random.nextInt(3) == 0 ? null : snapshots.get(random.nextInt(snapshots.size()));
    }

    private long sequence(final Held held) {
        return held == null ? model.last() : held.snapshot.sequence();
    }

    private static ReadView reads(final Held held, final Part part) {
        return held == null ? part.memtable : held.reads(part);
    }

    private void checkPoint() throws IOException {
        final byte[] key = key();
        final Held held = held();
        final long at = sequence(held);
        LookupResult found = LookupResult.ABSENT;
        for (int i = 0; i < parts.size() && wantsOlder(found); i++) {
            final ReadView view = reads(held, parts.get(i));
            found = view == null ? found : found.over(key, view.lookup(key), model.rules());
        }
        if (wantsOlder(found)) {
            try (TableSet tables = live.acquire()) {
                found = found.over(key, tables.lookup(key, at, model.rules()), model.rules());
            }
        }
        found = found.overNothing(key, model.rules());
        check(key, at, found);
    }

    private static boolean wantsOlder(final LookupResult found) {
        return found.kind() == LookupResult.Kind.ABSENT || found.kind() == LookupResult.Kind.OPERANDS;
    }

    private void check(final byte[] key, final long at, final LookupResult found) {
        final LookupResult expected = model.lookup(key, at).overNothing(key, model.rules());
        if (expected.kind() == LookupResult.Kind.VALUE) {
            assertEquals(expected, found, () -> KeyCorpus.text(key) + " at " + at);
        } else {
            // A merge may drop tombstones, so that a deleted key is absent.
            assertNull(found.value(), () -> KeyCorpus.text(key) + " at " + at);
        }
    }

    private void changeSnapshots() {
        if (snapshots.size() == MAX_SNAPSHOTS || !snapshots.isEmpty() && random.nextInt(3) == 0) {
            snapshots.remove(random.nextInt(snapshots.size())).snapshot.close();
        } else if (active().keep != KeepVersions.NEWEST) { // else its flush would not keep what the snapshot sees
            snapshots.add(new Held(active(), active().memtable.snapshot()));
            assertEquals(model.last(), snapshots.get(snapshots.size() - 1).snapshot.sequence());
        }
    }

    private void openCursor() {
        if (cursors.size() == MAX_CURSORS) {
            return;
        }
        final Held held = held();
        final long at = sequence(held);
        final List<Part> read = new ArrayList<>();
        final List<Versions> versions = new ArrayList<>();
        for (final Part part : parts) {
            final ReadView view = reads(held, part);
            if (view != null) {
                versions.add(view.versions());
                read.add(part);
                assertTrue(part.memtable.tryRetain());
            }
        }
        final TableSet tables = live.acquire();
        versions.addAll(tables.versions());
        EntryCursor cursor = random.nextBoolean() ? VisibleCursor.of(versions, at, model.rules())
            : HiddenLimitCursor.of(VisibleCursor.withHidden(versions, at, model.rules()), 1 + random.nextInt(20));
        final List<MemtableModel.Version> expected = model.visible(at);
        if (random.nextInt(3) == 0) {
            final byte[] from = random.nextInt(4) == 0 ? null : key();
            final byte[] to = random.nextInt(4) == 0 ? null : key();
            cursor = BoundedCursor.of(cursor, from, to);
            expected.removeIf(version -> from != null && Arrays.compareUnsigned(version.key(), from) < 0
                || to != null && Arrays.compareUnsigned(version.key(), to) >= 0);
        }
        cursors.add(new Reader(new CheckedCursor(cursor, expected), read, tables));
    }

    // ---- memtables become tables ----

    private void rotate() throws IOException {
        if (parts.size() > MAX_FROZEN) {
            flushOldest(true);
        }
        final Part full = active();
        full.memtable.freeze();
        assertThrows(FrozenException.class, () -> full.memtable.put(new byte[1], new byte[1]));
        openMemtable(Form.values()[random.nextInt(3)], model.last() + 1 + random.nextInt(3));
    }

    /** Flushes the oldest frozen memtable; the table may be left alone, as if the process ended then. */
    private void flushOldest(final boolean isAdded) throws IOException {
        if (parts.size() < 2) {
            return;
        }
        final Part oldest = parts.get(parts.size() - 1);
        if (!oldest.log.isEmpty()) {
            final Path table = live.nextTable();
            final FlushResult result;
            try (SstableWriter writer = SstableWriter.create(table, tableOptions(), operations)) {
                result = oldest.memtable.flush(new DistractedSink(writer));
            }
            assertEquals(oldest.lastWritten(), result.largestSequence());
            if (!isAdded) {
                return;
            }
            live.add(table);
            lastInTables = oldest.lastWritten();
            flushes.add(result);
        }
        assertEquals(lastInTables, live.directory().greatestSequence());
        parts.remove(oldest);
        oldest.release();
    }

    /** Does something else between the entries of a flush. */
    private final class DistractedSink implements EntrySink {
        private final EntrySink sink;

        DistractedSink(final EntrySink sink) {
            this.sink = sink;
        }

        @Override
        public void begin(final long entryCount, final long byteCount, final long rangeTombstoneCount) throws IOException {
            sink.begin(entryCount, byteCount, rangeTombstoneCount);
        }

        @Override
        public void entry(final EntryView entry) throws IOException {
            sink.entry(entry);
            if (random.nextInt(30) == 0) {
                beside();
            }
        }

        @Override
        public void rangeTombstone(final byte[] fromInclusive, final byte[] toExclusive, final long sequence)
            throws IOException {
            sink.rangeTombstone(fromInclusive, toExclusive, sequence);
        }

        @Override
        public void end() throws IOException {
            sink.end();
        }
    }

    private void merge() throws IOException {
        final long floor = snapshots.stream().mapToLong(held -> held.snapshot.sequence()).min()
            .orElse(random.nextBoolean() ? MergeOptions.NO_SNAPSHOTS : model.last());
        final MergeOptions options = MergeOptions.defaults().withSnapshotFloor(floor).withTables(tableOptions())
            .withRules(model.rules())
            .withMaxTableBytes(1 + random.nextInt(random.nextBoolean() ? 400 : 10_000));
        final boolean isCancelled = random.nextInt(6) == 0;
        try (TableSet tables = live.acquire()) {
            final List<SstableReader> inputs = new ArrayList<>(tables.readers());
            if (random.nextInt(3) > 0) {
                inputs.removeIf(reader -> random.nextBoolean());
            }
            if (inputs.isEmpty()) {
                return;
            }
            live.merge(inputs, options, bytes -> duringMerge(isCancelled));
        } catch (final CancellationException e) {
            assertTrue(isCancelled);
        }
    }

    private void duringMerge(final boolean isCancelled) {
        beside();
        if (random.nextInt(4) == 0) {
            try {
                flushOldest(true);
            } catch (final IOException e) {
                throw new AssertionError(e);
            }
        }
        if (isCancelled && random.nextBoolean()) {
            throw new CancellationException();
        }
    }

    // ---- ends and beginnings ----

    /** Opens the directory again, while readers keep what they have. */
    private void reopen() throws IOException {
        live.close();
        open(directory);
    }

    private void open(final Path path) throws IOException {
        directory = path;
        live = LiveTableSet.open(directory, operations, cache);
        assertEquals(lastInTables, live.directory().greatestSequence());
        live.directory().deleteUnlisted();
    }

    /** Loses all memtables, some in the middle of a flush, and recovers from the logs and the tables of a directory. */
    private void crash(final Path tables) throws IOException {
        if (tables.equals(directory) && random.nextBoolean()) {
            flushOldest(false);
        }
        final List<Part> lost = new ArrayList<>(parts);
        closeReaders();
        parts.forEach(Part::release);
        parts.clear();
        live.close();
        open(tables);
        model.skipTo(lastInTables);
        openMemtable(Form.GIVEN, lastInTables + 1);
        for (int i = lost.size() - 1; i >= 0; i--) {
            recover(lost.get(i).log);
        }
    }

    private void recover(final TreeMap<Long, WriteBatch> log) throws IOException {
        for (final long first : log.keySet()) {
            final WriteBatch batch = log.get(first);
            if (first > lastInTables) {
                active().memtable.write(batch, first);
                active().log.put(first, batch);
                model.skipTo(first + batch.size() - 1);
                if (random.nextInt(40) == 0) {
                    checkPoint();
                }
            }
        }
    }

    private void closeReaders() throws IOException {
        for (final Reader reader : cursors) {
            reader.close();
        }
        cursors.clear();
        snapshots.forEach(held -> held.snapshot.close());
        snapshots.clear();
    }

    /** Makes a checkpoint; the engine may go on there, with its logs. */
    private void checkpoint() throws IOException {
        final Path target = parent.resolve("checkpoint" + directories++);
        live.checkpoint(target);
        checkTables(target);
        if (random.nextBoolean()) {
            crash(target);
        }
    }

    private void checkTables(final Path path) throws IOException {
        assertEquals(List.of(), TableSet.unlistedFiles(path), "replaced tables are gone");
        try (TableSet tables = TableSet.open(path);
            CheckedCursor cursor = new CheckedCursor(
                VisibleCursor.of(tables.versions(), lastInTables, model.rules()), model.visible(lastInTables))) {
            cursor.walk();
            for (final SstableReader reader : tables.readers()) {
                reader.verify();
            }
        }
    }

    /** Checks all readers, flushes everything, and checks the tables. */
    void end() throws IOException {
        for (final Reader reader : cursors) {
            reader.cursor.walk();
        }
        closeReaders();
        rotate();
        while (parts.size() > 1) {
            flushOldest(true);
            closeReaders(); // those of the flush
        }
        closeReaders();
        checkTables(directory);
    }

    /** Gives everything back, also after a failure. */
    @Override
    public void close() throws IOException {
        closeReaders();
        parts.forEach(Part::release);
        parts.clear();
        live.close();
    }
}
