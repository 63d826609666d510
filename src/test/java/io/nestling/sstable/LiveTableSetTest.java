/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.RangeTombstone;
import io.nestling.testing.Effort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sets of tables that change: by one owner, beside readers, and files of a manifest that are not as they should be. */
class LiveTableSetTest {
    private static final MergeOptions OPTIONS = MergeOptions.defaults().withTables(TestTables.SMALL_BLOCKS);

    @TempDir
    Path directory;

    private static void add(final LiveTableSet live, final TestEntry... entries) throws IOException {
        add(live, Arrays.asList(entries));
    }

    static void add(final LiveTableSet live, final List<TestEntry> entries, final RangeTombstone... ranges) throws IOException {
        final Path table = live.nextTable();
        TestTables.write(table, TestTables.SMALL_BLOCKS, entries, List.of(ranges));
        live.add(table);
    }

    private static String get(final TableSet tables, final String key) throws IOException {
        final byte[] value = tables.get(TestEntry.bytes(key));
        return value == null ? null : new String(value, StandardCharsets.US_ASCII);
    }

    private static void mergeAll(final LiveTableSet live) throws IOException {
        try (TableSet tables = live.acquire()) {
            live.merge(tables.readers(), OPTIONS, bytes -> { });
        }
    }

    private String files() throws IOException {
        return String.join(" ", TestTables.names(directory));
    }

    @Test
    void shouldShowAddedTablesToNewReadersOnly() throws IOException {
        try (LiveTableSet live = LiveTableSet.open(directory); TableSet before = live.acquire()) {
            add(live, TestEntry.value("a", 1, "1"));
            try (TableSet first = live.acquire()) {
                add(live, TestEntry.value("a", 2, "2"));
                assertNull(get(before, "a"));
                assertEquals("1", get(first, "a"));
                try (TableSet second = live.acquire(); TableSet opened = TableSet.open(directory)) {
                    assertEquals("2", get(second, "a"));
                    assertEquals("2", get(opened, "a"));
                    assertEquals(2, second.greatestSequence());
                    assertEquals(3, opened.nextNumber());
                }
            }
        }
        assertEquals("000001.sst 000002.sst MANIFEST", files());
    }

    @Test
    void shouldDeleteReplacedTablesWhenTheLastReaderLeaves() throws IOException {
        final LiveTableSet live = LiveTableSet.open(directory);
        add(live, TestEntry.value("a", 1, "1"), TestEntry.value("b", 2, "2"));
        add(live, TestEntry.value("a", 3, "3"), TestEntry.tombstone("b", 4));
        final TableSet first = live.acquire();
        final TableSet second = live.acquire();
        mergeAll(live);
        assertEquals(".lock 000001.sst 000002.sst 000003.sst MANIFEST", files());
        assertEquals("3", get(first, "a"));
        first.close();
        first.close();
        assertThrows(IllegalStateException.class, () -> first.get(new byte[0]));
        assertEquals("3", get(second, "a"));
        live.close();
        live.close();
        assertThrows(IllegalStateException.class, live::acquire);
        assertThrows(IllegalStateException.class, live::nextTable);
        assertEquals("2", new String(second.lookup(TestEntry.bytes("b"), 3).value(), StandardCharsets.US_ASCII));
        assertEquals("000001.sst 000002.sst 000003.sst MANIFEST", files());
        second.close();
        assertEquals("000003.sst MANIFEST", files());
        try (TableSet merged = TableSet.open(directory)) {
            assertEquals("3", get(merged, "a"));
            assertEquals(1, merged.readers().get(0).entryCount());
            assertEquals(4, merged.greatestSequence(), "the number of the tombstone that was dropped is not used again");
            assertEquals(4, merged.nextNumber());
        }
    }

    @Test
    void shouldReadADirectoryWithoutManifestAndWriteOneBeforeTheFirstChange() throws IOException {
        TestTables.write(TableSet.path(directory, 4), TestTables.SMALL_BLOCKS, List.of(TestEntry.value("a", 1, "1")));
        TestTables.write(TableSet.path(directory, 7), TestTables.SMALL_BLOCKS, List.of(TestEntry.value("a", 2, "2")));
        try (LiveTableSet live = LiveTableSet.open(directory); TableSet tables = live.acquire()) {
            assertEquals("2", get(tables, "a"));
            assertEquals(2, tables.greatestSequence());
            assertEquals(".lock 000004.sst 000007.sst", files());
            assertEquals(TableSet.path(directory, 8), live.nextTable());
            assertEquals(".lock 000004.sst 000007.sst MANIFEST", files());
            mergeAll(live);
        }
        assertEquals("000009.sst MANIFEST", files());
    }

    @Test
    void shouldIgnoreFilesThatTheManifestDoesNotNameAndDeleteThemOnRequestOnly() throws IOException {
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            add(live, TestEntry.value("a", 1, "1"));
        }
        TestTables.write(TableSet.path(directory, 5), TestTables.SMALL_BLOCKS, List.of(TestEntry.value("a", 2, "2")));
        Files.writeString(directory.resolve("000003.sst.tmp"), "left behind");
        Files.writeString(directory.resolve("000006.sst.tmp"), "left behind");
        assertEquals(List.of(directory.resolve("000005.sst")), TableSet.unlistedFiles(directory));
        assertEquals(List.of(directory.resolve("000001.sst")), TableSet.files(directory));
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            final Path next = live.nextTable();
            assertEquals(TableSet.path(directory, 6), next, "a number that no file has");
            try (SstableWriter writer = SstableWriter.create(next, SstableOptions.defaults())) {
                assertEquals(2, live.directory().deleteUnlisted().size());
                TestTables.feed(writer, List.of(TestEntry.value("b", 3, "3")), List.of());
            }
            live.add(next);
            try (TableSet tables = live.acquire()) {
                assertEquals("1", get(tables, "a"));
                assertEquals("3", get(tables, "b"));
            }
        }
        assertEquals("000001.sst 000006.sst MANIFEST", files());
    }

    @Test
    void shouldRefuseTablesThatDoNotFollow() throws IOException {
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            add(live, TestEntry.value("a", 5, "5"));
            final Path older = live.nextTable();
            TestTables.write(older, TestTables.SMALL_BLOCKS, List.of(TestEntry.value("a", 5, "again")));
            assertMessage("above 5 but was 5", () -> live.add(older));
            assertMessage(
                "expected the path of a new table", () -> live.replace(acquired(live), List.of(TableSet.path(directory, 1))));
            final Path stranger = TableSet.path(directory, 90);
            TestTables.write(stranger, TestTables.SMALL_BLOCKS, List.of(TestEntry.value("a", 9, "9")));
            assertMessage("expected the path of a new table", () -> live.add(stranger));
            final Path elsewhere = Files.createDirectory(directory.resolve("other")).resolve("000002.sst");
            TestTables.write(elsewhere, TestTables.SMALL_BLOCKS, List.of(TestEntry.value("a", 9, "9")));
            assertMessage("expected the path of a table in", () -> live.add(elsewhere));
            assertThrows(IOException.class, () -> live.add(TableSet.path(directory, 77)));
            try (TableSet tables = live.acquire()) {
                assertEquals(1, tables.readers().size());
                final List<SstableReader> inputs = tables.readers();
                assertThrows(IllegalStateException.class, () -> live.replace(List.of(), List.of()));
                live.merge(inputs, OPTIONS, bytes -> { });
                assertThrows(IllegalStateException.class, () -> live.merge(inputs, OPTIONS, bytes -> { }));
                assertEquals("5", get(tables, "a"));
            }
            assertTrue(Files.deleteIfExists(older) && Files.deleteIfExists(stranger));
        }
        assertEquals("000003.sst MANIFEST other", files());
    }

    private static List<SstableReader> acquired(final LiveTableSet live) throws IOException {
        try (TableSet tables = live.acquire()) {
            return tables.readers();
        }
    }

    private static void assertMessage(final String expected, final org.junit.jupiter.api.function.Executable executable) {
        final String message = assertThrows(IllegalArgumentException.class, executable).getMessage();
        assertTrue(message.contains(expected), message);
    }

    @Test
    void shouldAllowOneOwner() throws IOException {
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            final IOException e = assertThrows(FileSystemException.class, () -> LiveTableSet.open(directory));
            assertEquals(directory + ": another load, compact or live set is at work on it", e.getMessage());
            assertThrows(IOException.class, () -> TableDirectory.open(directory));
            TableSet.open(directory).close();
            assertEquals(directory, live.directory().path());
        }
        TableDirectory.open(directory).close();
    }

    @Test
    void shouldNameWhatIsWrongWithAManifestOrATableAndKeepEverything() throws IOException {
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            add(live, TestEntry.value("a", 1, "1"));
            add(live, TestEntry.value("b", 2, "2"));
        }
        final Path manifest = directory.resolve("MANIFEST");
        final byte[] content = Files.readAllBytes(manifest);
        final String text = new String(content, StandardCharsets.US_ASCII);
        for (int length = 0; length < content.length; length++) {
            Files.write(manifest, Arrays.copyOf(content, length));
            assertFailure("cut or damaged");
        }
        for (int i = text.indexOf('\n') + 1; i < content.length; i++) {
            content[i] ^= 1;
            Files.write(manifest, content);
            assertFailure("damaged");
            content[i] ^= 1;
        }
        Files.writeString(manifest, text.replace("tables 1", "tables 2"));
        assertFailure("expected a manifest of version 1 but was 2");
        Files.delete(manifest);
        Files.createDirectory(manifest);
        assertFailure("not a regular file");
        Files.delete(manifest);
        Files.write(manifest, content);
        Files.move(directory.resolve("000001.sst"), directory.resolve("moved"));
        assertFailure("missing, though the manifest names it");
        Files.move(directory.resolve("moved"), directory.resolve("000001.sst"));
        try (TableSet tables = TableSet.open(directory)) {
            assertEquals("1", get(tables, "a"));
        }
        assertEquals("000001.sst 000002.sst MANIFEST", files());
    }

    private void assertFailure(final String expected) {
        for (final org.junit.jupiter.api.function.Executable open : List.<org.junit.jupiter.api.function.Executable>of(
            () -> TableSet.open(directory), () -> LiveTableSet.open(directory), () -> TableDirectory.open(directory))) {
            final String message = assertThrows(FileSystemException.class, open).getMessage();
            assertTrue(message.contains(expected), message);
        }
    }

    @Test
    void shouldLeaveTheInputsWhenAMergeIsCancelled() throws IOException {
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            add(live, manyEntries(1, 3000));
            add(live, manyEntries(3001, 3000));
            try (TableSet tables = live.acquire()) {
                assertThrows(CancellationException.class,
                    () -> live.merge(tables.readers(), OPTIONS.withMaxTableBytes(40_000), bytes -> {
                        if (bytes > 200_000) {
                            throw new CancellationException();
                        }
                    }));
                assertEquals(".lock 000001.sst 000002.sst MANIFEST", files());
            }
            mergeAll(live);
        }
        assertEquals(1, TableSet.files(directory).size());
    }

    @Test
    void shouldReadAtMostAtTheRate() throws IOException {
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            add(live, manyEntries(1, 2000));
            final AtomicLong last = new AtomicLong();
            try (TableSet tables = live.acquire()) {
                final long started = System.nanoTime();
                live.merge(tables.readers(), OPTIONS.withBytesPerSecond(1_000_000), last::set);
                final double seconds = (System.nanoTime() - started) / 1e9;
                assertEquals(TableMerger.inputBytes(tables.readers()), last.get());
                assertTrue(seconds >= (last.get() - 70_000) / 1e6, seconds + " s for " + last.get() + " bytes");
            }
        }
    }

    private static List<TestEntry> manyEntries(final long firstSequence, final int count) {
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(TestEntry.value(TestEntry.bytes(String.format(Locale.ROOT, "%06d", i)), firstSequence + i,
                new byte[100]));
        }
        return entries;
    }

    @Test
    @Timeout(600)
    void shouldShowOneStateToEachReaderBesideFlushesAndMerges() throws Exception {
        final int rounds = Effort.count(20, 200, 2000);
        final int keys = 20;
        final AtomicLong flushed = new AtomicLong();
        final AtomicBoolean done = new AtomicBoolean();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                threads.add(start(failure, () -> {
                    while (!done.get()) {
                        final long least = flushed.get();
                        try (TableSet tables = live.acquire(); EntryCursor cursor = tables.scan()) {
                            final String round = get(tables, "000");
                            assertTrue(least == 0 || Long.parseLong(round) >= least, round + " after " + least);
                            int shown = 0;
                            for (boolean more = cursor.first(); more; more = cursor.next()) {
                                assertEquals(round, new String(cursor.value(), StandardCharsets.US_ASCII));
                                shown++;
                            }
                            assertEquals(round == null ? 0 : keys, shown);
                        }
                    }
                }));
            }
            threads.add(start(failure, () -> {
                while (!done.get()) {
                    try (TableSet tables = live.acquire()) {
                        if (tables.readers().size() > 2) { // beside the flushes: not the newest
                            live.merge(tables.readers().subList(1, tables.readers().size()), OPTIONS, bytes -> { });
                        }
                    }
                }
            }));
            for (int round = 1; round <= rounds; round++) {
                final List<TestEntry> entries = new ArrayList<>();
                for (int key = 0; key < keys; key++) {
                    entries.add(TestEntry.value(String.format(Locale.ROOT, "%03d", key), (long) round * keys + key, "" + round));
                }
                add(live, entries);
                flushed.set(round);
            }
            done.set(true);
            for (final Thread thread : threads) {
                thread.join();
            }
            assertNull(failure.get(), () -> failure.get().toString());
            mergeAll(live);
            assertEquals(3, TestTables.names(directory).size(), files());
        }
        assertFalse(Files.exists(directory.resolve(".lock")));
    }

    @Test
    void shouldNotTakeAVersionWithoutReferences() throws IOException {
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            final LiveTableSet.Version late = live.current;
            final TableSet reader = live.acquire();
            add(live, TestEntry.value("a", 1, "1"));
            assertTrue(late.tryRetain());
            late.release();
            reader.close();
            assertFalse(late.tryRetain());
        }
    }

    private interface Body {
        void run() throws Exception;
    }

    private static Thread start(final AtomicReference<Throwable> failure, final Body body) {
        final Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (final Throwable e) {
                failure.compareAndSet(null, e);
            }
        });
        thread.start();
        return thread;
    }
}
