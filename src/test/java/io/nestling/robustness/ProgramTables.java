/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.BoundedCursor;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;
import io.nestling.index.LookupResult;
import io.nestling.index.VisibleCursor;
import io.nestling.memtable.CheckedCursor;
import io.nestling.memtable.FlushResult;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableChecks;
import io.nestling.memtable.MemtableModel;
import io.nestling.offheap.RecordLayout;
import io.nestling.sstable.Compression;
import io.nestling.index.RangeTombstone;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableReader;
import io.nestling.sstable.SstableWriter;
import io.nestling.sstable.TableSet;
import io.nestling.testing.KeyCorpus;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** The tables of one random program, and what they should hold. */
final class ProgramTables {
    private static final int LOOKUPS = 30;
    private static final int MOVES = 60;

    private final Path directory;
    private final RandomKeys keys;
    private final AtomicLong time;
    private final List<MemtableModel.Flushed> flushed = new ArrayList<>();
    private MemtableModel model;

    ProgramTables(final Path directory, final RandomKeys keys, final AtomicLong time) {
        this.directory = directory;
        this.keys = keys;
        this.time = time;
        model = MemtableModel.ofTables(flushed, time);
    }

    /**
     * Flushes a memtable into a table, after a try that failed.
     *
     * @param keep whether the table stays in the set; one that does not is read by itself and deleted
     */
    void add(
        final Memtable memtable, final MemtableModel.Flushed expected, final long visible, final Random random,
        final boolean keep) throws IOException {
        Files.createDirectories(directory);
        final Path path = TableSet.path(directory, flushed.size());
        final Compression compression = Compression.values()[random.nextInt(Compression.values().length)];
        final int[] blockBytes = {SstableOptions.MIN_BLOCK_BYTES, 100, 300, 4_000, SstableOptions.DEFAULT_BLOCK_BYTES};
        final SstableOptions options = SstableOptions.defaults().withCompression(compression)
            .withBlockBytes(blockBytes[random.nextInt(blockBytes.length)]);
        if (random.nextInt(3) == 0) {
            final int failing = random.nextInt(expected.lines().size() + 2);
            try (SstableWriter writer = SstableWriter.create(path, options)) {
                assertThrows(UncheckedIOException.class, () -> memtable.flush(new FailingSink(writer, failing)));
            }
            assertFalse(Files.exists(path), "a flush that failed has left a table");
        }
        try (SstableWriter writer = SstableWriter.create(path, options)) {
            final FlushResult result = memtable.flush(writer);
            MemtableChecks.result(expected, visible, result);
        }
        checkTable(path, expected, random);
        if (keep) {
            flushed.add(expected);
            model = MemtableModel.ofTables(flushed, time);
        } else {
            Files.delete(path);
        }
    }

    private void checkTable(final Path path, final MemtableModel.Flushed expected, final Random random)
        throws IOException {
        final MemtableModel alone = MemtableModel.ofTables(List.of(expected), time);
        try (SstableReader reader = SstableReader.open(path)) {
            reader.verify();
            assertEquals(expected.entries().size(), reader.entryCount());
            assertEquals(alone.keys(), reader.properties().keyCount());
            assertEquals(expected.ranges().stream()
                .map(range -> new RangeTombstone(range.from(), range.to(), range.sequence())).toList(),
                reader.rangeTombstones());
            try (CheckedCursor cursor = new CheckedCursor(reader.cursor(), expected.entries())) {
                cursor.walk();
                move(cursor, random);
            }
            for (int i = 0; i < LOOKUPS; i++) {
                final byte[] key = keys.key(random);
                final long at = sequence(alone, random);
                check(alone, key, at, reader.lookup(key, at, alone.rules()));
            }
        }
    }

    private void move(final CheckedCursor cursor, final Random random) {
        for (int i = 0; i < MOVES; i++) {
            cursor.move(random, keys.sought(random));
        }
    }

    private static long sequence(final MemtableModel of, final Random random) {
        return random.nextBoolean() ? Long.MAX_VALUE : (long) (random.nextDouble() * (of.last() + 2));
    }

    private static void check(
        final MemtableModel of, final byte[] key, final long at, final LookupResult actual) {
        assertEquals(of.lookup(key, at), actual, () -> KeyCorpus.text(key) + " at " + at);
    }

    /** Looks some keys up in the set. */
    void checkPoint(final Random random) throws IOException {
        if (flushed.isEmpty()) {
            return;
        }
        try (TableSet set = open()) {
            for (int i = 0; i < LOOKUPS; i++) {
                checkKey(set, keys.key(random), random);
            }
        }
    }

    private void checkKey(final TableSet set, final byte[] key, final Random random) throws IOException {
        final byte[] value = needsRules() ? set.lookup(key, Long.MAX_VALUE, model.rules()).overNothing(key, model.rules()).value()
            : set.get(key);
        assertArrayEquals(model.get(key, Long.MAX_VALUE), value, () -> KeyCorpus.text(key));
        final long at = sequence(model, random);
        check(model, key, at, set.lookup(key, at, model.rules()));
    }

    /** Scans the set, whole and a range of it. */
    void checkScan(final Random random) throws IOException {
        if (flushed.isEmpty()) {
            return;
        }
        try (TableSet set = open()) {
            final List<MemtableModel.Version> visible = model.visible(Long.MAX_VALUE);
            try (CheckedCursor cursor = new CheckedCursor(scan(set), visible)) {
                move(cursor, random);
                cursor.walk();
            }
            final byte[] from = keys.bound(random);
            final byte[] to = keys.bound(random);
            final List<MemtableModel.Version> part = new ArrayList<>(visible);
            part.removeIf(version -> Arrays.compareUnsigned(version.key(), from) < 0
                || Arrays.compareUnsigned(version.key(), to) >= 0);
            try (CheckedCursor cursor = new CheckedCursor(BoundedCursor.of(scan(set), from, to), part)) {
                move(cursor, random);
                cursor.walk();
            }
        }
    }

    private boolean needsRules() {
        return flushed.stream().flatMap(table -> table.entries().stream())
            .anyMatch(entry -> entry.kind() == EntryKind.EXPIRING || entry.kind() == EntryKind.OPERAND);
    }

    private EntryCursor scan(final TableSet set) {
        return needsRules() ? VisibleCursor.of(set.versions(), RecordLayout.MAX_SEQUENCE, model.rules()) : set.scan();
    }

    private TableSet open() throws IOException {
        final TableSet set = TableSet.open(directory);
        assertEquals(flushed.size(), set.readers().size());
        assertEquals(flushed.size(), set.nextNumber());
        assertEquals(Math.max(0, model.last()), set.greatestSequence());
        return set;
    }

    /** Looks every key up and scans everything. */
    void checkAll(final Random random) throws IOException {
        if (flushed.isEmpty()) {
            return;
        }
        try (TableSet set = open()) {
            for (final byte[] key : keys.all()) {
                checkKey(set, key, random);
            }
        }
        checkScan(random);
    }

    /** Passes calls on and throws at one of them, counted from 0; sometimes after it was passed on. */
    private static final class FailingSink implements EntrySink {
        private final EntrySink sink;
        private int left;

        FailingSink(final EntrySink sink, final int failingCall) {
            this.sink = sink;
            this.left = failingCall;
        }

        private void call() throws IOException {
            assertTrue(left >= 0, "called after it has failed");
            if (left-- == 0) {
                throw new IOException("planned failure");
            }
        }

        @Override
        public void begin(final long entries, final long bytes, final long ranges) throws IOException {
            call();
            sink.begin(entries, bytes, ranges);
        }

        @Override
        public void entry(final EntryView entry) throws IOException {
            call();
            sink.entry(entry);
        }

        @Override
        public void rangeTombstone(final byte[] from, final byte[] to, final long sequence) throws IOException {
            call();
            sink.rangeTombstone(from, to, sequence);
        }

        @Override
        public void end() throws IOException {
            call();
            sink.end();
        }
    }
}
