/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.RangeTombstone;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checkpoints of live sets, also with a file system that fails, or stops, at each of their operations in turn.
 * <p>
 * Planted faults that were seen: the directory renamed before its manifest is written; leftovers that stay; links of tables that
 * the manifest does not name; a copy over a link that was made though an error was reported; a manifest without the greatest
 * sequence number.
 */
class CheckpointTest {
    private static final MergeOptions OPTIONS = MergeOptions.defaults().withTables(TestTables.SMALL_BLOCKS);

    @TempDir
    Path parent;
    private int runs;

    /** Operations that do not wait for the device. */
    private static FaultyFileOperations working() {
        return FaultyFileOperations.failingAt(0).withoutForcing();
    }

    private Path newSource() throws IOException {
        final Path source = Files.createDirectories(parent.resolve("run" + runs++).resolve("source"));
        try (LiveTableSet live = LiveTableSet.open(source, working())) {
            add(live, 1);
            add(live, 100);
            add(live, 200);
            mergeAll(live, 2);
            add(live, 300);
        }
        return source;
    }

    private static void add(final LiveTableSet live, final long sequence) throws IOException {
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            entries.add(TestEntry.value(String.format(Locale.ROOT, "k%02d", i), sequence + i, "value of " + (sequence + i)));
        }
        final Path table = live.nextTable();
        try (SstableWriter writer = SstableWriter.create(table, TestTables.SMALL_BLOCKS, working())) {
            TestTables.feed(writer, entries,
                List.of(new RangeTombstone(TestEntry.bytes("k18"), null, sequence + 50)));
        }
        live.add(table);
    }

    /** Merges the newest tables. */
    private static void mergeAll(final LiveTableSet live, final int count) throws IOException {
        try (TableSet tables = live.acquire()) {
            live.merge(tables.readers().subList(0, Math.min(count, tables.readers().size())), OPTIONS, bytes -> { });
        }
    }

    private static Map<String, String> content(final Path directory) throws IOException {
        try (TableSet tables = TableSet.open(directory)) {
            assertEquals(List.of(), TableSet.unlistedFiles(directory));
            return TestTables.content(tables);
        }
    }

    private static Object fileKey(final Path file) throws IOException {
        return Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class).fileKey();
    }

    @Test
    void shouldLinkTheTablesOfThisMoment() throws IOException {
        final Path source = newSource();
        final Path target = source.resolveSibling("target");
        final Map<String, String> expected = content(source);
        try (LiveTableSet live = LiveTableSet.open(source, working())) {
            live.checkpoint(target);
            final List<String> names = TestTables.names(target);
            assertEquals(List.of("000001.sst", "000004.sst", "000005.sst", "MANIFEST"), names);
            for (final String name : names.subList(0, 3)) {
                assertEquals(fileKey(source.resolve(name)), fileKey(target.resolve(name)), name + " was copied");
            }
            assertEquals(List.of("source", "target"), TestTables.names(target.getParent()));
            mergeAll(live, 3);
            add(live, 400);
            live.directory().deleteUnlisted();
            assertFalse(Files.exists(source.resolve("000005.sst")));
            assertEquals(expected, content(target));
            mergeAll(live, 2);
            live.checkpoint(source.resolveSibling("later"));
        }
        try (LiveTableSet live = LiveTableSet.open(source.resolveSibling("later"), working())) {
            assertEquals(450, live.directory().greatestSequence(), "the number of a range tombstone that the merge dropped");
        }
        final Map<String, String> later = content(source);
        assertFalse(later.equals(expected));
        try (LiveTableSet live = LiveTableSet.open(target, working())) {
            assertEquals(350, live.directory().greatestSequence());
            assertEquals("000006.sst", live.nextTable().getFileName().toString());
            mergeAll(live, 3);
        }
        assertEquals(expected, content(target));
        assertEquals(later, content(source));
    }

    @Test
    void shouldCopyWhereLinksAreRefused() throws IOException {
        final Path source = newSource();
        final Path target = source.resolveSibling("target");
        final FaultyFileOperations refusing = new FaultyFileOperations(
            operation -> operation.endsWith(" link"), 100, Long.MAX_VALUE).withoutForcing();
        try (LiveTableSet live = LiveTableSet.open(source, refusing)) {
            live.checkpoint(target);
        }
        assertFalse(fileKey(source.resolve("000001.sst")).equals(fileKey(target.resolve("000001.sst"))));
        assertEquals(content(source), content(target));
        final Path full = source.resolveSibling("full");
        final Map<String, String> before = content(source);
        long bytes = 0;
        for (final String name : TestTables.names(target)) {
            bytes += Files.size(target.resolve(name));
        }
        for (long room = 0; room < bytes; room += 150) {
            try (LiveTableSet live = LiveTableSet.open(source,
                new FaultyFileOperations(operation -> operation.endsWith(" link"), 100, room).withoutForcing())) {
                final IOException e = assertThrows(IOException.class, () -> live.checkpoint(full));
                assertTrue(e.getMessage().contains("cannot write checkpoint " + full + ": No space left"), e.getMessage());
                assertEquals(List.of("source", "target"), TestTables.names(source.getParent()));
            }
        }
        assertEquals(before, content(source));
    }

    @Test
    void shouldNotCopyOverALinkThatWasMadeThoughAnErrorWasReported() throws IOException {
        final FaultyFileOperations all = working();
        try (LiveTableSet live = LiveTableSet.open(newSource(), all)) {
            live.checkpoint(parent.resolve("first"));
        }
        final Path source = newSource();
        final Path target = source.resolveSibling("target");
        final int number = all.log().indexOf("link") + 1;
        final FaultyFileOperations failing = FaultyFileOperations.failingAfter(number, Integer.MAX_VALUE).withoutForcing();
        try (LiveTableSet live = LiveTableSet.open(source, failing)) {
            live.checkpoint(target);
        }
        assertEquals(number + " link", failing.failed());
        assertFalse(fileKey(source.resolve("000005.sst")).equals(fileKey(target.resolve("000005.sst"))));
        assertEquals(content(source), content(target));
    }

    @Test
    void shouldRefuseWhatExistsAndWhatIsMissing() throws IOException {
        final Path source = newSource();
        final Path target = source.resolveSibling("target");
        final LiveTableSet live = LiveTableSet.open(source, working());
        live.checkpoint(target);
        assertThrows(FileAlreadyExistsException.class, () -> live.checkpoint(target));
        assertThrows(FileAlreadyExistsException.class, () -> live.checkpoint(source));
        final Path link = Files.createSymbolicLink(source.resolveSibling("link"), source.resolveSibling("nowhere"));
        assertThrows(FileAlreadyExistsException.class, () -> live.checkpoint(link));
        assertThrows(NoSuchFileException.class, () -> live.checkpoint(source.resolveSibling("absent").resolve("target")));
        final Path other = source.resolveSibling("other");
        final LockedFile lock = LockedFile.tryOpen(source.resolveSibling("other.lock"));
        final FileSystemException busy = assertThrows(FileSystemException.class, () -> live.checkpoint(other));
        assertTrue(busy.getMessage().contains("another checkpoint with this name"), busy.getMessage());
        lock.close(); // as after a kill: the file stays
        final Path left = Files.createDirectory(source.resolveSibling("other" + Checkpoint.UNFINISHED_SUFFIX));
        final Path foreign = Files.createFile(left.resolve("notes"));
        final Path manifest = Files.createFile(left.resolve(Manifest.NAME));
        assertThrows(DirectoryNotEmptyException.class, () -> live.checkpoint(other));
        assertTrue(Files.exists(foreign) && Files.exists(manifest), "a directory with a foreign file stays as it is");
        assertThrows(IllegalArgumentException.class, () -> live.checkpoint(left));
        Files.delete(foreign);
        live.checkpoint(other);
        assertEquals(List.of("link", "other", "source", "target"), TestTables.names(source.getParent()));
        live.close();
        assertThrows(IllegalStateException.class, () -> live.checkpoint(source.resolveSibling("late")));
        assertEquals(content(source), content(other));
    }

    @Test
    void shouldAppearWholeOrNotAtAllWhereverItFailsOrStops() throws IOException {
        final FaultyFileOperations all = working();
        final Path whole = newSource();
        final Map<String, String> expected = content(whole);
        final int first;
        try (LiveTableSet live = LiveTableSet.open(whole, all)) {
            first = all.count() + 1;
            live.checkpoint(whole.resolveSibling("target"));
        }
        final List<String> log = all.log().subList(first - 1, all.count());
        assertEquals(List.of("createDirectory", "link", "link", "link", "open", "truncate", "write", "force", "rename",
            "forceDirectory", "rename", "forceDirectory"), log.stream().filter(name -> !name.equals("close")).toList());
        for (int number = first; number <= all.count(); number++) {
            check(expected, FaultyFileOperations.stoppingAt(number, false), number + " stopped before");
            check(expected, FaultyFileOperations.stoppingAt(number, true), number + " stopped after");
            check(expected, FaultyFileOperations.failingAt(number), number + " failed before");
            check(expected, FaultyFileOperations.failingAfter(number, Integer.MAX_VALUE), number + " failed after");
        }
    }

    private void check(final Map<String, String> expected, final FaultyFileOperations operations, final String what)
        throws IOException {
        final Path source = newSource();
        final Path target = source.resolveSibling("target");
        boolean done = false;
        try (LiveTableSet live = LiveTableSet.open(source, operations.withoutForcing())) {
            try {
                live.checkpoint(target);
                done = true;
            } catch (final IOException e) {
                assertTrue(e.getMessage().contains("injected"), what + ": " + e);
            }
        }
        assertTrue(done || operations.failed() != null, what);
        final boolean appeared = Files.exists(target);
        assertTrue(appeared || !done, what);
        if (appeared) {
            assertEquals(expected, content(target), what);
        }
        try (LiveTableSet live = LiveTableSet.open(source, working())) {
            if (appeared) {
                assertThrows(FileAlreadyExistsException.class, () -> live.checkpoint(target));
            } else {
                live.checkpoint(target);
            }
        }
        assertEquals(expected, content(target), what);
        assertEquals(expected, content(source), what);
        assertEquals(List.of("source", "target"), TestTables.names(source.getParent()), what);
        assertEquals(List.of("000001.sst", "000004.sst", "000005.sst", "MANIFEST"), TestTables.names(target), what);
    }
}
