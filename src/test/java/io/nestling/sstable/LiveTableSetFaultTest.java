/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.RangeTombstone;
import io.nestling.testing.Effort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flushes and a merge with a file system that fails, or stops, at each of its operations in turn: what was acknowledged is read
 * again, no deleted key comes back, and the directory takes further changes.
 * <p>
 * Planted faults that were seen: inputs of a merge deleted before the manifest is replaced; a manifest that is not renamed;
 * outputs deleted after a change of the manifest failed half-way.
 */
class LiveTableSetFaultTest {
    private static final MergeOptions OPTIONS =
        MergeOptions.defaults().withTables(TestTables.SMALL_BLOCKS).withMaxTableBytes(600);

    @TempDir
    Path parent;
    private Path directory;
    private int runs;

    /** What is read after each acknowledged step. */
    private final List<Map<String, String>> states = new ArrayList<>();

    private final Logger logger = Logger.getLogger(LiveTableSet.class.getPackageName());

    @BeforeEach
    void begin() {
        states.clear();
        logger.setLevel(Level.OFF);
    }

    @AfterEach
    void logAgain() {
        logger.setLevel(null);
    }

    private void newDirectory() throws IOException {
        directory = Files.createDirectory(parent.resolve("run" + runs++));
        // The first tables are of a directory without a manifest.
        write(TableSet.path(directory, 1), List.of(TestEntry.value("a", 1, "1"), TestEntry.value("b", 2, "2"),
            TestEntry.value("c", 3, "3")), FaultyFileOperations.failingAt(0).withoutForcing());
    }

    private static void write(
        final Path path, final List<TestEntry> entries, final FileOperations operations, final RangeTombstone... ranges)
        throws IOException {
        try (SstableWriter writer = SstableWriter.create(path, TestTables.SMALL_BLOCKS, operations)) {
            TestTables.feed(writer, entries, List.of(ranges));
        }
    }

    /** Two flushes, a merge and a flush; returns the number of acknowledged steps. */
    private int run(final FileOperations operations) throws IOException {
        int acknowledged = 0;
        try (LiveTableSet live = LiveTableSet.open(directory, operations)) {
            Path table = live.nextTable();
            write(table, List.of(TestEntry.tombstone("b", 5), TestEntry.value("d", 6, "6")), operations,
                new RangeTombstone(TestEntry.bytes("c"), TestEntry.bytes("cc"), 4));
            live.add(table);
            acknowledged++;
            table = live.nextTable();
            write(table, manyEntries(), operations);
            live.add(table);
            acknowledged++;
            try (TableSet tables = live.acquire()) {
                live.merge(tables.readers(), OPTIONS, bytes -> { });
            }
            acknowledged++;
            table = live.nextTable();
            write(table, List.of(TestEntry.value("b", 200, "200")), operations);
            live.add(table);
            acknowledged++;
        } catch (final IOException | IllegalStateException e) {
            assertTrue(e.toString().contains("injected") || e.getCause() != null && e.getCause().toString().contains("injected"),
                e.toString());
        }
        return acknowledged;
    }

    private static List<TestEntry> manyEntries() {
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < 45; i++) {
            entries.add(TestEntry.value("e" + (char) (' ' + i), 10 + i, "value " + i));
        }
        return entries;
    }

    private static Map<String, String> content(final Path directory) throws IOException {
        try (TableSet tables = TableSet.open(directory)) {
            return TestTables.content(tables);
        }
    }

    /** Returns the numbers of the operations to fail at: with little effort, those that change files. */
    private List<Integer> expectStates() throws IOException {
        newDirectory();
        states.add(content(directory));
        final FaultyFileOperations all = FaultyFileOperations.failingAt(0);
        assertEquals(4, run(all));
        final Map<String, String> last = content(directory);
        final Map<String, String> first = new TreeMap<>(Map.of("a", "1", "d", "6"));
        states.add(first);
        final Map<String, String> second = new TreeMap<>(first);
        manyEntries().forEach(entry -> second.put(new String(entry.key(), StandardCharsets.US_ASCII),
            new String(entry.value(), StandardCharsets.US_ASCII)));
        states.add(second);
        states.add(second); // the merge changes nothing
        final Map<String, String> fourth = new TreeMap<>(second);
        fourth.put("b", "200");
        states.add(fourth);
        assertEquals(fourth, last);
        final List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < all.log().size(); i++) {
            if (Effort.current() != Effort.QUICK || !all.log().get(i).matches("read|openToRead")) {
                numbers.add(i + 1);
            }
        }
        assertTrue(numbers.size() > 50, numbers::toString);
        return numbers;
    }

    private void check(final int acknowledged, final String what) throws IOException {
        final Map<String, String> content = content(directory);
        assertTrue(content.equals(states.get(acknowledged))
            || acknowledged < 4 && content.equals(states.get(acknowledged + 1)), what + ": " + content);
        // Opened again, it takes changes, and all that is no table goes.
        try (LiveTableSet live = LiveTableSet.open(directory, FaultyFileOperations.failingAt(0).withoutForcing())) {
            try (TableSet tables = live.acquire()) {
                live.merge(tables.readers(), OPTIONS, bytes -> { });
            }
            live.directory().deleteUnlisted();
        }
        assertEquals(content, content(directory), what);
        final List<String> names = new ArrayList<>(TestTables.names(directory));
        names.removeIf(name -> name.matches("\\d{6}\\.sst|MANIFEST"));
        assertEquals(List.of(), names, what);
        assertEquals(List.of(), TableSet.unlistedFiles(directory), what);
    }

    @Test
    void shouldBeReadableWhereverTheProcessStops() throws IOException {
                for (final int number : expectStates()) {
            for (final boolean done : new boolean[] {false, true}) {
                newDirectory();
                final FaultyFileOperations stopping = FaultyFileOperations.stoppingAt(number, done).withoutForcing();
                check(run(stopping), "stopped at " + number + (done ? ", done: " : ": ") + stopping.failed());
            }
        }
    }

    @Test
    void shouldBeReadableWhateverFails() throws IOException {
        for (final int number : expectStates()) {
            newDirectory();
            final FaultyFileOperations before = FaultyFileOperations.failingAt(number).withoutForcing();
            check(run(before), "failed before " + before.failed());
            newDirectory();
            final FaultyFileOperations after = FaultyFileOperations.failingAfter(number, Integer.MAX_VALUE).withoutForcing();
            check(run(after), "failed after " + after.failed());
        }
    }

    @Test
    void shouldTakeNoChangeAfterOneOfTheManifestFailedHalfWay() throws IOException {
        newDirectory();
        int half = 0;
        for (int number = 1; number < 30; number++) {
            newDirectory();
            final FaultyFileOperations operations = FaultyFileOperations.failingAfter(number, Integer.MAX_VALUE);
            try (LiveTableSet live = LiveTableSet.open(directory, operations)) {
                try {
                    live.nextTable();
                } catch (final IOException e) {
                    if (operations.failed().endsWith("rename") || operations.failed().endsWith("forceDirectory")) {
                        half++;
                        final IllegalStateException refused = assertThrows(IllegalStateException.class, live::nextTable);
                        assertTrue(refused.getMessage().contains("until it is opened again"), refused.getMessage());
                        assertNotNull(refused.getCause());
                    } else if (!operations.failed().endsWith("close")) {
                        live.nextTable();
                    }
                    try (TableSet tables = live.acquire()) {
                        assertEquals(1, tables.readers().size());
                    }
                }
            } catch (final IOException e) {
                assertTrue(e.getMessage().contains("injected"), e.getMessage());
            }
        }
        assertEquals(2, half);
    }

    @Test
    void shouldLeaveTheInputsWhenTheDiskIsFull() throws IOException {
        expectStates();
        final Map<String, String> before = content(directory);
        final List<String> names = TestTables.names(directory);
        int failures = 0;
        for (boolean merged = false; !merged; failures += merged ? 0 : 1) {
            try (LiveTableSet live = LiveTableSet.open(
                directory, new FaultyFileOperations(operation -> false, Integer.MAX_VALUE, 100L * failures).withoutForcing());
                TableSet tables = live.acquire()) {
                live.merge(tables.readers(), OPTIONS, bytes -> { });
                merged = true;
            } catch (final IOException e) {
                assertTrue(e.getMessage().contains("No space left on device"), e.getMessage());
                assertEquals(names, TestTables.names(directory));
            }
            assertEquals(before, content(directory));
        }
        assertTrue(failures > 10, failures + " failures");
    }

    @Test
    void shouldForceTheTableBeforeTheManifestAndTheManifestBeforeItDeletes() throws IOException {
        newDirectory();
        final FaultyFileOperations operations = FaultyFileOperations.failingAt(0);
        run(operations);
        final List<String> log = new ArrayList<>(operations.log());
        log.removeIf(name -> name.matches("read|openToRead|truncate|write|close"));
        final List<String> change = List.of("open", "force", "rename", "forceDirectory");
        final List<String> expected = new ArrayList<>();
        final long outputs = log.stream().filter("force"::equals).count() - 8;
        for (int i = 0; i < 5 + outputs + 1; i++) { // the first manifest, two flushes, the merge's tables and manifest
            expected.addAll(change);
        }
        expected.addAll(List.of("deleteName", "deleteName", "deleteName"));
        expected.addAll(change);
        expected.addAll(change);
        assertTrue(outputs > 1, "one output");
        assertEquals(expected, log);
    }
}
