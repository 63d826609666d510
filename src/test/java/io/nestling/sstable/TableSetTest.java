/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.LookupResult;
import io.nestling.index.RangeTombstone;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableSetTest {
    @TempDir
    Path directory;

    private void write(final long number, final List<TestEntry> entries, final RangeTombstone... ranges)
        throws IOException {
        TestTables.write(TableSet.path(directory, number), TestTables.SMALL_BLOCKS, entries, List.of(ranges));
    }

    private static String text(final byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.US_ASCII);
    }

    @Test
    void shouldNameTables() throws IOException {
        assertEquals("000007.sst", TableSet.path(directory, 7).getFileName().toString());
        assertEquals("12345678.sst", TableSet.path(directory, 12_345_678).getFileName().toString());
        assertThrows(IllegalArgumentException.class, () -> TableSet.path(directory, -1));
        try (TableSet tables = TableSet.open(directory)) {
            assertEquals(1, tables.nextNumber());
            assertEquals(directory.resolve("000001.sst"), tables.path(1));
            assertTrue(tables.readers().isEmpty());
            assertNull(tables.get(new byte[0]));
            assertEquals(0, tables.greatestSequence());
            assertFalse(tables.scan().first());
            assertFalse(tables.scan().last());
        }
    }

    @Test
    void shouldTakeTablesByNumberAndLeaveOtherFilesAlone() throws IOException {
        write(9, List.of(TestEntry.value("a", 1, "nine")));
        write(1_000_000, List.of(TestEntry.value("a", 3, "million")));
        write(10, List.of(TestEntry.value("a", 2, "ten")));
        Files.writeString(directory.resolve("000099.sst.tmp"), "left behind");
        Files.writeString(directory.resolve("99.sst"), "too short");
        Files.writeString(directory.resolve("0000010.sst"), "too long");
        Files.writeString(directory.resolve("notes.txt"), "notes");
        try (TableSet tables = TableSet.open(directory)) {
            assertEquals(3, tables.readers().size());
            assertEquals(List.of("1000000.sst", "000010.sst", "000009.sst"),
                tables.readers().stream().map(reader -> reader.path().getFileName().toString()).toList());
            assertEquals(1_000_001, tables.nextNumber());
            assertEquals("million", text(tables.get(TestEntry.bytes("a"))));
            assertEquals("ten", text(tables.lookup(TestEntry.bytes("a"), 2).value()));
            assertEquals(3, tables.greatestSequence());
        }
    }

    @Test
    void shouldLetTombstonesHideOlderTables() throws IOException {
        write(1, List.of(TestEntry.value("a", 1, "1"), TestEntry.value("b", 2, "2"),
            TestEntry.value("c", 3, "3")));
        write(2, List.of(TestEntry.tombstone("a", 4)),
            new RangeTombstone(TestEntry.bytes("b"), TestEntry.bytes("bb"), 5));
        write(3, List.of(TestEntry.value("a", 7, "7")));
        try (TableSet tables = TableSet.open(directory)) {
            assertEquals("7", text(tables.get(TestEntry.bytes("a"))));
            assertNull(tables.get(TestEntry.bytes("b")));
            assertEquals("3", text(tables.get(TestEntry.bytes("c"))));
            assertEquals(LookupResult.Kind.TOMBSTONE, tables.lookup(TestEntry.bytes("a"), 6).kind());
            assertEquals("1", text(tables.lookup(TestEntry.bytes("a"), 3).value()));
            assertEquals("2", text(tables.lookup(TestEntry.bytes("b"), 4).value()));
            assertEquals("[a=7, c=3]", contents(tables).toString());
        }
    }

    @Test
    void shouldGoBySequenceNumberWhateverTheOrderOfTables() throws IOException {
        write(1, List.of(TestEntry.value("a", 10, "newer"), TestEntry.value("b", 1, "old")),
            new RangeTombstone(TestEntry.bytes("b"), TestEntry.bytes("c"), 9));
        write(2, List.of(TestEntry.value("a", 5, "older"), TestEntry.value("b", 6, "old")));
        try (TableSet tables = TableSet.open(directory)) {
            assertEquals("newer", text(tables.get(TestEntry.bytes("a"))));
            assertNull(tables.get(TestEntry.bytes("b")));
            assertEquals("[a=newer]", contents(tables).toString());
        }
    }

    @Test
    void shouldLetTheLaterTableWinAmongEqualSequenceNumbers() throws IOException {
        final Random random = Seeds.random("TableSetTest ties");
        for (int round = 0; round < 150; round++) {
            final Path tables = Files.createDirectory(directory.resolve("ties" + round));
            final TieModel model = new TieModel();
            for (int table = 1; table <= 1 + random.nextInt(4); table++) {
                final TreeSet<TestEntry> entries = new TreeSet<>(TestEntry.ORDER);
                for (int i = random.nextInt(6); i > 0; i--) {
                    final String key = String.valueOf((char) ('a' + random.nextInt(4)));
                    final long sequence = 1 + random.nextInt(3);
                    entries.add(random.nextInt(3) == 0 ? TestEntry.tombstone(key, sequence)
                        : TestEntry.value(key, sequence, table + "." + sequence));
                }
                final List<RangeTombstone> ranges = new ArrayList<>();
                for (int i = random.nextInt(3); i > 0; i--) {
                    final char from = (char) ('a' + random.nextInt(4));
                    ranges.add(new RangeTombstone(TestEntry.bytes(String.valueOf(from)),
                        TestEntry.bytes(String.valueOf((char) (from + 1 + random.nextInt(3)))), 1 + random.nextInt(3)));
                }
                ranges.sort((left, right) -> Arrays.compareUnsigned(left.fromInclusive(), right.fromInclusive()));
                TestTables.write(TableSet.path(tables, table), TestTables.SMALL_BLOCKS, new ArrayList<>(entries), ranges);
                model.add(entries, ranges);
            }
            try (TableSet set = TableSet.open(tables)) {
                final List<String> visible = new ArrayList<>();
                for (char c = 'a'; c < 'f'; c++) {
                    final String key = String.valueOf(c);
                    for (long sequence = 0; sequence < 5; sequence++) {
                        TestTables.assertLookup(model.lookup(TestEntry.bytes(key), sequence),
                            set.lookup(TestEntry.bytes(key), sequence), key + "@" + sequence);
                    }
                    final String value = text(set.get(TestEntry.bytes(key)));
                    if (value != null) {
                        visible.add(key + "=" + value);
                    }
                }
                assertEquals(visible, contents(set));
                final List<String> backwards = new ArrayList<>();
                try (EntryCursor cursor = set.scan()) {
                    for (boolean found = cursor.last(); found; found = cursor.previous()) {
                        backwards.add(0, text(cursor.key()) + "=" + text(cursor.value()));
                    }
                }
                assertEquals(visible, backwards);
            }
        }
    }

    /** Versions of all tables: the greatest sequence number, then the later table, then the entry before the range. */
    private static final class TieModel {
        private final List<TreeSet<TestEntry>> entries = new ArrayList<>();
        private final List<List<RangeTombstone>> ranges = new ArrayList<>();

        void add(final TreeSet<TestEntry> added, final List<RangeTombstone> addedRanges) {
            entries.add(added);
            ranges.add(addedRanges);
        }

        LookupResult lookup(final byte[] key, final long maxSequence) {
            LookupResult newest = LookupResult.ABSENT;
            for (int i = 0; i < entries.size(); i++) {
                final LookupResult found =
                    TestTables.expected(new ArrayList<>(entries.get(i)), ranges.get(i), key, maxSequence);
                newest = found.sequence() >= newest.sequence() ? found : newest;
            }
            return newest;
        }
    }

    @Test
    void shouldTellWhichSequenceNumbersOverlap() throws IOException {
        write(1, List.of(TestEntry.value("a", 1, "1"), TestEntry.value("b", 4, "4")));
        write(2, List.of(TestEntry.value("a", 5, "5"), TestEntry.value("b", 9, "9")));
        write(3, List.of());
        assertEquals(List.of(), overlapsAndWarnings());
        write(4, List.of(TestEntry.value("a", 6, "6")), new RangeTombstone(TestEntry.bytes("b"), TestEntry.bytes("c"), 7));
        final String first = "sequence numbers 5 to 9 of 000002.sst overlap 6 to 7 of 000004.sst";
        assertEquals(List.of(first, "tables of " + directory + ": " + first), overlapsAndWarnings());
        write(5, List.of(TestEntry.value("a", 9, "5")));
        assertEquals(List.of(first, "sequence numbers 5 to 9 of 000002.sst overlap 9 to 9 of 000005.sst",
            "tables of " + directory + ": " + first + ", and 1 more"), overlapsAndWarnings());
    }

    /** What the static method finds, and what opening logs. */
    private List<String> overlapsAndWarnings() throws IOException {
        final List<String> found = new ArrayList<>();
        final Logger logger = Logger.getLogger("io.nestling.sstable");
        final Handler handler = new Handler() {
            @Override
            public void publish(final LogRecord logged) {
                assertEquals(Level.WARNING, logged.getLevel());
                found.add(logged.getMessage());
            }

            @Override
            public void flush() {
                // Nothing is kept.
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try (TableSet tables = TableSet.open(directory)) {
            final Map<Path, TableProperties> properties = new HashMap<>();
            tables.readers().forEach(reader -> properties.put(reader.path(), reader.properties()));
            found.addAll(0, TableSet.sequenceOverlaps(properties));
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
        return found;
    }

    @Test
    void shouldBeginAMemtableAfterAllTables() throws IOException {
        for (int start = 1; start <= 3; start++) {
            final Path file;
            final long first;
            try (TableSet tables = TableSet.open(directory)) {
                first = tables.greatestSequence() + 1;
                file = tables.path(tables.nextNumber());
            }
            assertEquals(start, first);
            try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(IndexType.TRIE).shards(1)
                .capacityBytes(1 << 20).firstSequence(first).build());
                SstableWriter writer = SstableWriter.create(file, SstableOptions.defaults())) {
                memtable.put(TestEntry.bytes("k"), TestEntry.bytes("value " + start));
                memtable.flush(writer);
            }
            try (TableSet tables = TableSet.open(directory)) {
                assertEquals("value " + start, text(tables.get(TestEntry.bytes("k"))));
                assertEquals(List.of("k=value " + start), contents(tables));
            }
        }
        assertEquals(List.of(), overlapsAndWarnings());
    }

    @Test
    void shouldListTheFilesThatItWouldOpen() throws IOException {
        write(9, List.of());
        Files.createFile(directory.resolve("000010.sst"));
        Files.createFile(directory.resolve("10.sst"));
        Files.createSymbolicLink(directory.resolve("000003.sst"), directory.resolve("missing"));
        assertEquals(List.of("000003.sst", "000009.sst", "000010.sst"),
            TableSet.files(directory).stream().map(file -> file.getFileName().toString()).toList());
        assertThrows(IOException.class, () -> TableSet.files(directory.resolve("000009.sst")));
        assertThrows(IOException.class, () -> TableSet.files(directory.resolve("missing")));
    }

    private static List<String> contents(final TableSet tables) {
        final List<String> contents = new ArrayList<>();
        try (EntryCursor cursor = tables.scan()) {
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                contents.add(text(cursor.key()) + "=" + text(cursor.value()));
            }
        }
        return contents;
    }

    @Test
    void openThrowsWhenATableIsDamagedOrTheDirectoryIsMissing() throws IOException {
        write(1, List.of(TestEntry.value("a", 1, "1")));
        Files.writeString(directory.resolve("000002.sst"), "no table");
        final CorruptTableException e =
            assertThrows(CorruptTableException.class, () -> TableSet.open(directory));
        assertTrue(e.getMessage().contains("000002.sst"));
        final IOException missing =
            assertThrows(IOException.class, () -> TableSet.open(directory.resolve("missing")));
        assertTrue(missing.getMessage().contains("missing"));
        assertThrows(IOException.class, () -> TableSet.open(directory.resolve("000001.sst")));
    }

    @Test
    void shouldCloseAllTables() throws IOException {
        write(1, List.of(TestEntry.value("a", 1, "1")));
        write(2, List.of(TestEntry.value("a", 2, "2")));
        final TableSet tables = TableSet.open(directory);
        tables.close();
        tables.close();
        assertThrows(IllegalStateException.class, () -> tables.get(TestEntry.bytes("a")));
        for (final SstableReader reader : tables.readers()) {
            assertThrows(IllegalStateException.class, reader::cursor);
        }
    }

    @Test
    void shouldAgreeWithTheModel() throws IOException {
        final Random random = Seeds.random("TableSetTest");
        for (int round = 0; round < 25; round++) {
            final Path tables = Files.createDirectory(directory.resolve("round" + round));
            final int count = 1 + random.nextInt(5);
            final TreeSet<TestEntry> all = new TreeSet<>(TestEntry.ORDER);
            final List<RangeTombstone> allRanges = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                final List<TestEntry> entries = TestTables.randomEntries(random, random.nextInt(150));
                final List<RangeTombstone> ranges = TestTables.randomRanges(random, random.nextInt(3), 600);
                // The model has no tables: a range tombstone of a later one would win a tie.
                ranges.removeIf(range -> all.stream().anyMatch(entry -> entry.sequence() == range.sequence()));
                entries.removeIf(entry -> !all.add(entry));
                allRanges.addAll(ranges);
                TestTables.write(TableSet.path(tables, i), TestTables.SMALL_BLOCKS, entries, ranges);
            }
            final List<TestEntry> visible = visible(all, allRanges);
            try (TableSet set = TableSet.open(tables); EntryCursor cursor = set.scan()) {
                TestTables.assertWalks(visible, cursor);
                walkAtRandom(random, visible, cursor);
                for (int i = 0; i < 100; i++) {
                    final byte[] key = TestTables.randomKey(random, List.of());
                    final long sequence = random.nextInt(700);
                    TestTables.assertLookup(
                        TestTables.expected(new ArrayList<>(all), allRanges, key, sequence),
                        set.lookup(key, sequence), Arrays.toString(key) + "@" + sequence);
                }
            }
        }
    }

    private static List<TestEntry> visible(final TreeSet<TestEntry> all, final List<RangeTombstone> ranges) {
        final TreeMap<byte[], TestEntry> newest = new TreeMap<>(Arrays::compareUnsigned);
        all.forEach(entry -> newest.putIfAbsent(entry.key(), entry));
        newest.replaceAll((key, entry) -> entry.kind() == EntryKind.EXPIRING && entry.expiry() > 0
            ? TestEntry.value(key, entry.sequence(), entry.value()) : entry);
        newest.values().removeIf(entry -> entry.kind() != EntryKind.VALUE || ranges.stream().anyMatch(
            range -> range.sequence() > entry.sequence() && range.covers(entry.key())));
        return new ArrayList<>(newest.values());
    }

    private static void walkAtRandom(final Random random, final List<TestEntry> visible,
        final EntryCursor cursor) {
        int at = -1;
        for (int step = 0; step < 400; step++) {
            final int before = at;
            final boolean jump = at < 0 || random.nextInt(10) == 0;
            if (jump) {
                final byte[] key = TestTables.randomKey(random, List.of());
                int ceiling = 0;
                while (ceiling < visible.size()
                    && Arrays.compareUnsigned(visible.get(ceiling).key(), key) < 0) {
                    ceiling++;
                }
                final boolean lower = random.nextBoolean();
                at = lower ? ceiling - 1 : ceiling == visible.size() ? -1 : ceiling;
                assertEquals(at >= 0, lower ? cursor.seekLowerThan(key) : cursor.seek(key));
            } else if (random.nextBoolean()) {
                at = at + 1 == visible.size() ? -1 : at + 1;
                assertEquals(at >= 0, cursor.next());
            } else {
                at--;
                assertEquals(at >= 0, cursor.previous());
            }
            assertEquals(at >= 0, cursor.valid());
            if (at >= 0) {
                TestTables.assertEntry(visible, at, cursor, before, jump);
                final byte[] copy = new byte[cursor.valueLength() + 2];
                assertEquals(cursor.valueLength(), cursor.copyValue(copy, 1));
                assertArrayEquals(visible.get(at).value(), Arrays.copyOfRange(copy, 1, copy.length - 1));
            }
        }
    }
}
