/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeSet;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each operation of the file system fails once: a table is under its name as a whole or not at all. */
class SstableFaultTest {
    @TempDir
    Path directory;
    private List<TestEntry> entries;

    @BeforeEach
    void makeEntries() {
        // Noise, so that the buffer of the writer is written several times before the end.
        final Random random = Seeds.random("SstableFaultTest");
        entries = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            final byte[] noise = new byte[i % 10 == 0 ? 300_000 : 30_000];
            random.nextBytes(noise);
            entries.add(TestEntry.value(TestEntry.bytes(String.format(Locale.ROOT, "%03d", i)), i, noise));
        }
    }

    /** Writes as a flush does; the writer is closed in any case. */
    private void write(final Path path, final FileOperations operations) throws IOException {
        try (SstableWriter writer = SstableWriter.create(path, SstableOptions.defaults(), operations)) {
            TestTables.feed(writer, entries, List.of());
        }
    }

    private void assertWhole(final Path path) throws IOException {
        try (SstableReader reader = SstableReader.open(path); EntryCursor cursor = reader.cursor()) {
            reader.verify();
            TestTables.assertWalks(entries, cursor);
        }
    }

    @Test
    void shouldForceTheContentBeforeTheNameAndTheNameBeforeItReturns() throws IOException {
        final FaultyFileOperations operations = FaultyFileOperations.failingAt(0);
        write(directory.resolve("000001.sst"), operations);
        final List<String> log = new ArrayList<>(operations.log());
        assertTrue(log.indexOf("write") == 2 && log.lastIndexOf("write") == log.size() - 5, log::toString);
        log.removeIf("write"::equals);
        assertEquals(List.of("open", "truncate", "force", "rename", "forceDirectory", "close"), log);
    }

    @Test
    void shouldPublishAllOrNothingWhereverItFails() throws IOException {
        final TreeSet<String> failures = new TreeSet<>();
        int number = 0;
        while (true) {
            number++;
            final FaultyFileOperations operations = FaultyFileOperations.failingAt(number);
            final Path path = directory.resolve(number + ".sst");
            try {
                write(path, operations);
                assertEquals(number, operations.count() + 1, "an operation did not fail");
                break;
            } catch (final IOException e) {
                assertTrue(e.getMessage().contains(path.toString()), () -> "'" + e.getMessage()
                    + "' has no path");
                assertTrue(e.getMessage().contains("injected"), e::getMessage);
            }
            final String failed = operations.failed().split(" ")[1];
            failures.add(failed);
            if (failed.equals("forceDirectory") || failed.equals("close")) {
                assertWhole(path);
            } else {
                assertFalse(Files.exists(path), () -> path + " is there after failure of "
                    + operations.failed());
            }
            assertFalse(Files.exists(directory.resolve(path.getFileName() + ".tmp")),
                () -> "temporary file is left after failure of " + operations.failed());
            final Path elsewhere = directory.resolve(number + "-again.sst");
            write(elsewhere, SystemFileOperations.INSTANCE);
            assertWhole(elsewhere);
            Files.delete(elsewhere);
        }
        assertEquals("[close, force, forceDirectory, open, rename, truncate, write]", failures.toString());
        assertTrue(number > 10, "only " + number + " operations");
    }

    @Test
    void shouldPublishNothingWhenWritingAndCleaningUpFail() throws IOException {
        final Path path = directory.resolve("000001.sst");
        final FaultyFileOperations operations = new FaultyFileOperations(
            operation -> operation.startsWith("4 ") || operation.endsWith("delete"), Integer.MAX_VALUE,
            Long.MAX_VALUE);
        final IOException e = assertThrows(IOException.class, () -> write(path, operations));
        assertTrue(e.getMessage().contains("4 write"), e::getMessage);
        assertEquals(1, e.getSuppressed().length);
        assertTrue(e.getSuppressed()[0].getMessage().contains("temporary file of table"));
        assertEquals(List.of("000001.sst.tmp"), TestTables.names(directory));
        write(path, SystemFileOperations.INSTANCE);
        assertWhole(path);
        assertEquals(List.of("000001.sst"), TestTables.names(directory));
    }

    @Test
    void shouldCleanUpWhenCreationFailsLate() throws IOException {
        final Path path = directory.resolve("000001.sst");
        final FaultyFileOperations operations = FaultyFileOperations.failingAt(2);
        assertThrows(IOException.class,
            () -> SstableWriter.create(path, SstableOptions.defaults(), operations));
        assertEquals("2 truncate", operations.failed());
        assertEquals(List.of(), TestTables.names(directory));
    }

    @Test
    void shouldWriteTheSameBytesThroughShortWrites() throws IOException {
        final Path path = directory.resolve("000001.sst");
        final Path whole = directory.resolve("000002.sst");
        write(path, new FaultyFileOperations(operation -> false, 1009, Long.MAX_VALUE));
        write(whole, SystemFileOperations.INSTANCE);
        assertWhole(path);
        assertArrayEquals(Files.readAllBytes(whole), Files.readAllBytes(path));
    }

    @Test
    void shouldPublishNothingWhenTheDiskIsFullAtAnyPoint() throws IOException {
        final Path path = directory.resolve("000001.sst");
        write(path, SystemFileOperations.INSTANCE);
        final long size = Files.size(path);
        Files.delete(path);
        for (long capacity = 0; capacity < size; capacity += Math.max(1,
            Math.min(70_001, size - 1 - capacity))) {
            final FaultyFileOperations operations =
                new FaultyFileOperations(operation -> false, Integer.MAX_VALUE, capacity);
            final IOException e = assertThrows(IOException.class, () -> write(path, operations));
            assertTrue(e.getMessage().contains("No space left on device"), e::getMessage);
            assertNotNull(operations.failed());
            assertEquals(List.of(), TestTables.names(directory), "with room for " + capacity);
        }
        write(path, new FaultyFileOperations(operation -> false, Integer.MAX_VALUE, size));
        assertWhole(path);
    }

    @Test
    void writerThatFailedRefusesToGoOn() throws IOException {
        final Path path = directory.resolve("000001.sst");
        final FaultyFileOperations operations = FaultyFileOperations.failingAt(3);
        try (SstableWriter writer = SstableWriter.create(path, SstableOptions.defaults(), operations)) {
            assertThrows(IOException.class, () -> TestTables.feed(writer, entries, List.of()));
            assertThrows(IllegalStateException.class, () -> writer.entry(entries.get(entries.size() - 1)));
            assertThrows(IllegalStateException.class, writer::end);
        }
        assertEquals(List.of(), TestTables.names(directory));
    }
}
