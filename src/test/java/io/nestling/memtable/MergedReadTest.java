/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.HiddenLimitCursor;
import io.nestling.index.LookupResult;
import io.nestling.index.RangeTombstone;
import io.nestling.index.RangeTombstoneSet;
import io.nestling.index.Versions;
import io.nestling.index.VisibleCursor;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableWriter;
import io.nestling.sstable.TableSet;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads memtables and tables together, as an engine does, and compares with one model of all writes. */
class MergedReadTest {
    private static final int ROUNDS = 40;
    private static final int WRITES = 60;

    @TempDir
    Path directory;
    private Random random;

    @Test
    void shouldReadAnActiveMemtableFrozenOnesAndTablesAsOne() throws IOException {
        random = Seeds.random("MergedReadTest");
        for (int round = 0; round < ROUNDS; round++) {
            final Path tables = Files.createDirectory(directory.resolve("round" + round));
            final MemtableModel model = new MemtableModel(1);
            final List<Memtable> memtables = new ArrayList<>();
            try {
                fill(tables, model, memtables);
                try (TableSet set = TableSet.open(tables)) {
                    compare(model, memtables, set);
                }
            } finally {
                memtables.forEach(Memtable::close);
            }
        }
    }

    /** Writes some tables, then some memtables, from old to new. Only what is written to a table stays there. */
    private void fill(final Path tables, final MemtableModel model, final List<Memtable> memtables) throws IOException {
        final int parts = 1 + random.nextInt(6);
        final int flushed = random.nextInt(parts);
        for (int part = 0; part < parts; part++) {
            final IndexType[] indexes = IndexType.values();
            final Memtable memtable = Memtable.open(MemtableOptions.builder().index(indexes[random.nextInt(indexes.length)])
                .shards(1 + random.nextInt(3)).keepVersions(KeepVersions.ALL).firstSequence(model.last() + 1).build());
            memtables.add(memtable);
            write(memtable, model);
            if (part < flushed) {
                try (SstableWriter writer = SstableWriter.create(TableSet.path(tables, part), SstableOptions.defaults())) {
                    memtable.flush(writer);
                }
                memtables.remove(memtable);
                memtable.close();
            }
        }
    }

    private void write(final Memtable memtable, final MemtableModel model) {
        for (int i = random.nextInt(WRITES); i > 0; i--) {
            final WriteBatch batch = new WriteBatch();
            final int choice = random.nextInt(10);
            if (choice < 6) {
                batch.put(key(), new byte[random.nextInt(20)]);
            } else if (choice < 9) {
                batch.delete(key());
            } else {
                final int from = random.nextInt(40);
                if (random.nextInt(6) == 0) {
                    batch.deleteRangeFrom(new byte[] {(byte) from});
                } else {
                    batch.deleteRange(new byte[] {(byte) from}, new byte[] {(byte) (from + 1 + random.nextInt(9))});
                }
            }
            for (final WriteBatch.Operation operation : batch) {
                model.apply(operation);
            }
            assertEquals(model.last(), memtable.write(batch));
        }
    }

    private byte[] key() {
        final byte[] key = new byte[1 + random.nextInt(2)];
        key[0] = (byte) random.nextInt(40);
        return key;
    }

    private void compare(final MemtableModel model, final List<Memtable> memtables, final TableSet tables) {
        final long last = memtables.get(memtables.size() - 1).lastSequence();
        compare(model, last, versions(memtables, tables));
        compare(model, Long.MAX_VALUE, versions(memtables, tables));
        if (tables.greatestSequence() > 0) {
            for (int i = 0; i < 3; i++) {
                compare(model.upTo(tables.greatestSequence()), random.nextLong(tables.greatestSequence() + 1), tables.versions());
            }
        }
        for (int i = 0; i < 20; i++) {
            final byte[] key = key();
            assertEquals(model.lookup(key, last), lookup(memtables, tables, key));
        }
    }

    private static List<Versions> versions(final List<Memtable> memtables, final TableSet tables) {
        final List<Versions> versions = new ArrayList<>();
        for (final Memtable memtable : memtables) {
            versions.add(0, memtable.versions());
        }
        versions.addAll(tables.versions());
        return versions;
    }

    private static LookupResult lookup(final List<Memtable> memtables, final TableSet tables, final byte[] key) {
        for (int i = memtables.size() - 1; i >= 0; i--) {
            final LookupResult found = memtables.get(i).lookup(key);
            if (found.kind() != LookupResult.Kind.ABSENT) {
                return found;
            }
        }
        try {
            return tables.lookup(key, Long.MAX_VALUE);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private void compare(final MemtableModel model, final long maxSequence, final List<Versions> versions) {
        final EntryCursor merged = random.nextBoolean() ? VisibleCursor.of(versions, maxSequence)
            : HiddenLimitCursor.of(VisibleCursor.withHidden(versions, maxSequence), 1 + random.nextInt(5));
        try (CheckedCursor cursor = new CheckedCursor(merged, model.visible(maxSequence))) {
            for (int i = 0; i < 40; i++) {
                cursor.move(random, key());
            }
            cursor.walk();
        }
    }

    @Test
    void shouldShowTombstonesAndRangeTombstonesBesideThem() {
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(IndexType.TRIE).shards(2).build())) {
            memtable.put(new byte[] {1}, new byte[] {7});
            memtable.put(new byte[] {2}, new byte[] {8});
            memtable.delete(new byte[] {2});
            memtable.deleteRange(new byte[] {0}, new byte[] {9});
            final Snapshot snapshot = memtable.snapshot();
            memtable.put(new byte[] {3}, new byte[0]);
            memtable.deleteRange(new byte[] {5}, new byte[] {6});
            final Versions versions = snapshot.versions();
            snapshot.close();
            assertEquals(4, versions.asOf());
            final EntryCursor cursor = versions.cursor();
            assertTrue(cursor.first());
            assertEquals("1 1 VALUE", cursor.key()[0] + " " + cursor.sequence() + " " + cursor.kind());
            assertTrue(cursor.next());
            assertEquals("2 3 TOMBSTONE", cursor.key()[0] + " " + cursor.sequence() + " " + cursor.kind());
            assertFalse(cursor.next());
            final RangeTombstoneSet ranges = versions.rangeTombstones();
            final List<RangeTombstone> all = new ArrayList<>();
            ranges.forEach(all::add);
            assertEquals(List.of(new RangeTombstone(new byte[] {0}, new byte[] {9}, 4)), all);
            assertEquals(4, ranges.newestCovering(new byte[] {5}, 1, 4));
            assertEquals(RangeTombstoneSet.NONE, ranges.newestCovering(new byte[] {9}, 1, 4));
            assertEquals("expected a sequence number of at least 4, that of the state, but was 3", assertThrows(
                IllegalArgumentException.class, () -> ranges.newestCovering(new byte[] {5}, 1, 3)).getMessage());
            assertEquals("expected versions as of 3 or before but was as of 4", assertThrows(
                IllegalArgumentException.class, () -> VisibleCursor.of(List.of(versions), 3)).getMessage());
            versions.close();
            versions.close();
            assertThrows(IllegalStateException.class, cursor::first);
            assertThrows(IllegalStateException.class, () -> ranges.newestCovering(new byte[] {5}, 1, 4));
            assertThrows(IllegalStateException.class, () -> ranges.forEach(all::add));
            assertThrows(IllegalStateException.class, snapshot::versions);
        }
    }

    @Test
    void shouldReleaseWhatIsKeptForVersionsWhenTheyAreClosed() {
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(IndexType.TRIE).shards(1).build())) {
            memtable.deleteRange(new byte[] {1}, new byte[] {2});
            final int before = memtable.state().rangeTombstones().numbersRead().length;
            try (VisibleCursor cursor = VisibleCursor.of(List.of(memtable.versions()), Long.MAX_VALUE)) {
                assertFalse(cursor.first());
                assertTrue(memtable.state().rangeTombstones().numbersRead().length > before);
            }
            assertEquals(before, memtable.state().rangeTombstones().numbersRead().length);
        }
    }

    @Test
    void shouldShowAValueWhereItLies() {
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(IndexType.TRIE).shards(1).build())) {
            memtable.put(new byte[] {1}, new byte[] {5, 6});
            final List<Integer> seen = new ArrayList<>();
            assertEquals(LookupResult.Kind.VALUE, memtable.read(new byte[] {1}, (value, sequence) -> {
                assertTrue(value.isReadOnly());
                seen.add((int) value.getShort() + (int) sequence);
            }));
            assertEquals(List.of(0x0506 + 1), seen);
            final IllegalStateException thrown = new IllegalStateException("reader");
            final ValueReader failing = (value, sequence) -> {
                throw thrown;
            };
            assertEquals(thrown, assertThrows(IllegalStateException.class, () -> memtable.read(new byte[] {1}, failing)));
            memtable.put(new byte[] {1}, new byte[1]); // its guard was left
            memtable.state().epochs().tryAdvance();
        }
    }
}
