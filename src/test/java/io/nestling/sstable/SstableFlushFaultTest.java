/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.memtable.Memtable;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each I/O call of a flush and of an opening fails, one after the other, before it was done and after it: a table has its
 * name as a whole or not at all, nothing is left open or locked, and the next attempt works.
 * <p>
 * Planted faults that were seen: bytes of a range tombstone copied into the array that was just replaced; a temporary file
 * kept after a failed write; readers left open by a failed opening of a set; a file left open by a failed truncate.
 */
@Tag("robustness")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class SstableFlushFaultTest {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    @TempDir
    Path directory;
    private final TreeSet<String> failures = new TreeSet<>();

    private interface Faults {
        FaultyFileOperations at(int number);
    }

    /** Three ways to fail; with short writes there are more calls. */
    private static List<Faults> faults(final boolean shortWrites) {
        final List<Faults> faults = new ArrayList<>();
        faults.add(FaultyFileOperations::failingAt);
        faults.add(number -> FaultyFileOperations.failingAfter(number, Integer.MAX_VALUE));
        if (shortWrites) {
            faults.add(number -> FaultyFileOperations.failingAfter(number, 50_021));
        }
        return faults;
    }

    @Test
    void shouldFlushAgainWhateverCallFailed() throws IOException {
        final Random random = Seeds.random("SstableFlushFaultTest");
        for (int round = 0; round < Effort.count(1, 5, 1000); round++) {
            for (final TestMemtables.Shape shape : TestMemtables.Shape.values()) {
                try (Memtable memtable = TestMemtables.open(shape, random, 1)) {
                    final TestMemtables.Content content = TestMemtables.content(memtable);
                    final SstableOptions options = SstableOptions.defaults()
                        .withBlockBytes(random.nextBoolean() ? SstableOptions.DEFAULT_BLOCK_BYTES : 1000)
                        .withCompression(random.nextBoolean() ? Compression.LZ4 : Compression.NONE);
                    for (final Faults faults : faults(round > 0 || shape == TestMemtables.Shape.EVERYTHING)) {
                        int number = 1;
                        while (failAt(faults.at(number), memtable, options, content)) {
                            number++;
                        }
                    }
                }
            }
        }
        assertEquals("[close, force, forceDirectory, open, rename, truncate, write]", failures.toString());
    }

    /** Flushes with a fault and again without; false if the fault was beyond the last call. */
    private boolean failAt(
        final FaultyFileOperations operations, final Memtable memtable, final SstableOptions options,
        final TestMemtables.Content content) throws IOException {
        final Path path = directory.resolve("000001.sst");
        IOException thrown = null;
        try (SstableWriter writer = SstableWriter.create(path, options, operations)) {
            memtable.flush(writer);
        } catch (final IOException e) {
            thrown = e;
        } catch (final UncheckedIOException e) {
            thrown = e.getCause();
        }
        final String failed = operations.failed();
        assertEquals(failed == null, thrown == null, "failure of " + failed);
        if (failed != null) {
            failures.add(failed.split(" ")[1]);
        }
        assertNull(openDescriptor(), failed);
        final Path temporary = directory.resolve("000001.sst.tmp");
        assertTrue(Files.notExists(temporary), () -> "temporary file after failure of " + failed);
        try (LockedFile free = LockedFile.tryOpen(temporary)) {
            assertNotNull(free, () -> "lock after failure of " + failed);
            free.delete();
        }
        if (Files.exists(path)) {
            content.assertIn(path);
            Files.delete(path);
        } else {
            try (SstableWriter writer = SstableWriter.create(path, options)) {
                memtable.flush(writer);
            }
            content.assertIn(path);
            Files.delete(path);
        }
        return failed != null;
    }

    /** A file of the directory that this process has open, or null. */
    private Path openDescriptor() throws IOException {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return null;
        }
        try (Stream<Path> all = Files.list(DESCRIPTORS)) {
            return all.map(SstableFlushFaultTest::target).filter(target -> target.startsWith(directory)).findAny().orElse(null);
        }
    }

    private static Path target(final Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (final IOException e) {
            return descriptor;
        }
    }

    @Test
    void shouldOpenAndReadAgainWhateverReadFailed() throws IOException {
        final Random random = Seeds.random("SstableFlushFaultTest reads");
        for (int round = 0; round < Effort.count(1, 5, 300); round++) {
            final List<TestEntry> visible = writeTables(random);
            for (final Faults faults : faults(false)) {
                int number = 1;
                while (openAt(faults.at(number))) {
                    number++;
                }
                assertTrue(number > 20, "only " + number + " calls");
                readAt(faults, visible);
            }
            for (final Path file : TableSet.files(directory)) {
                Files.delete(file);
            }
        }
        assertEquals("[openToRead, read]", failures.toString());
    }

    /** Several tables; returns what a scan shows. */
    private List<TestEntry> writeTables(final Random random) throws IOException {
        long sequence = 1;
        int number = 1;
        for (final TestMemtables.Shape shape : List.of(TestMemtables.Shape.EVERYTHING, TestMemtables.Shape.RANGES_ONLY,
            TestMemtables.Shape.LONG_KEYS, TestMemtables.Shape.EMPTY, TestMemtables.Shape.VERSIONS)) {
            try (Memtable memtable = TestMemtables.open(shape, random, sequence);
                SstableWriter writer = SstableWriter.create(TableSet.path(directory, number++), SstableOptions.defaults())) {
                sequence = Math.max(sequence, memtable.flush(writer).largestSequence() + 1);
            }
        }
        try (TableSet tables = TableSet.open(directory)) {
            return scan(tables);
        }
    }

    private static List<TestEntry> scan(final TableSet tables) {
        final List<TestEntry> shown = new ArrayList<>();
        try (EntryCursor cursor = tables.scan()) {
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                shown.add(TestEntry.value(cursor.key(), cursor.sequence(), cursor.value()));
            }
        }
        return shown;
    }

    /** Opens all tables; false if the fault was beyond the last call. */
    private boolean openAt(final FaultyFileOperations operations) throws IOException {
        IOException thrown = null;
        try (TableSet tables = TableSet.open(directory, operations)) {
            assertEquals(5, tables.readers().size());
        } catch (final IOException e) {
            thrown = e;
        }
        assertEquals(operations.failed() == null, thrown == null, "failure of " + operations.failed());
        assertNull(openDescriptor(), operations.failed());
        if (thrown != null) {
            failures.add(operations.failed().split(" ")[1]);
            assertTrue(thrown.getMessage().contains("injected"), thrown::getMessage);
        }
        return thrown != null;
    }

    /** Lets each read of a scan and of lookups fail in sets of tables that stay open, and reads again. */
    private void readAt(final Faults faults, final List<TestEntry> visible) throws IOException {
        final FaultyFileOperations counting = faults.at(0);
        final int opened;
        try (TableSet tables = TableSet.open(directory, counting)) {
            opened = counting.count();
            scan(tables);
        }
        final int step = Math.max(1, (counting.count() - opened) / Effort.count(10, 60, 300));
        for (int number = opened + 1; number <= counting.count(); number += step) {
            failRead(faults.at(number), visible, visible.get(number % visible.size()));
        }
    }

    private void failRead(final FaultyFileOperations operations, final List<TestEntry> visible, final TestEntry entry)
        throws IOException {
        try (TableSet tables = TableSet.open(directory, operations)) {
            UncheckedIOException thrown = null;
            try {
                scan(tables);
            } catch (final UncheckedIOException e) {
                thrown = e;
            }
            assertNotNull(thrown, "no failure of a read");
            assertTrue(thrown.getMessage().contains("injected"), thrown::getMessage);
            final List<TestEntry> again = scan(tables);
            assertEquals(visible.size(), again.size());
            for (int i = 0; i < again.size(); i++) {
                assertTrue(visible.get(i).matches(again.get(i)));
            }
            assertEquals(new String(entry.value()), new String(tables.get(entry.key())));
            for (final SstableReader reader : tables.readers()) {
                reader.verify();
            }
        }
        assertNull(openDescriptor());
    }
}
