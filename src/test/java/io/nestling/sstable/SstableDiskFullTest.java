/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.memtable.Memtable;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A file system that really runs full; needs the right to mount one.
 * <p>
 * Planted fault that was seen: a temporary file kept after a failed write.
 */
@Tag("robustness")
class SstableDiskFullTest {
    @TempDir
    Path directory;

    @Test
    void shouldLeaveNothingOnAFullDiskAndWriteElsewhere() throws Exception {
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", directory.resolve("").toString()),
            "a small file system cannot be mounted here");
        try {
            final Random random = Seeds.random("SstableDiskFullTest");
            final List<TestEntry> entries = new ArrayList<>();
            for (int i = 0; i < 4000; i++) {
                final byte[] noise = new byte[600];
                random.nextBytes(noise);
                entries.add(TestEntry.value(TestEntry.bytes(String.format(Locale.ROOT, "%08d", i)), i, noise));
            }
            final Path path = directory.resolve("000001.sst");
            final IOException e = assertThrows(IOException.class,
                () -> TestTables.write(path, SstableOptions.defaults(), entries));
            assertTrue(e.getMessage().contains(path.toString()), e::getMessage);
            assertTrue(e.getMessage().contains("No space left on device"), e::getMessage);
            assertEquals(List.of(), TestTables.names(directory));

            final List<TestEntry> fewer = entries.subList(0, 1000);
            TestTables.write(path, SstableOptions.defaults(), fewer);
            try (SstableReader reader = SstableReader.open(path)) {
                reader.verify();
                assertEquals(1000, reader.entryCount());
            }
        } finally {
            assertTrue(run("umount", directory.toString()));
        }
    }

    /** Memtables are flushed until one finds the disk full; it can be flushed again once there is room. */
    @Test
    void shouldFlushAgainWhenThereIsRoomAgain() throws Exception {
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", directory.resolve("").toString()),
            "a small file system cannot be mounted here");
        try {
            final Random random = Seeds.random("SstableDiskFullTest flush");
            for (int round = 0; round < Effort.count(3, 30, 1000); round++) {
                fillAndFlushAgain(random);
            }
        } finally {
            assertTrue(run("umount", directory.toString()));
        }
    }

    private void fillAndFlushAgain(final Random random) throws IOException {
        final TestMemtables.Shape[] shapes = TestMemtables.Shape.values();
        for (long number = 1;; number++) {
            final Path path = TableSet.path(directory, number);
            try (Memtable memtable = TestMemtables.open(shapes[random.nextInt(shapes.length)], random, 1)) {
                final TestMemtables.Content content = TestMemtables.content(memtable);
                if (flush(memtable, path)) {
                    content.assertIn(path);
                    continue;
                }
                assertFalse(Files.exists(path));
                final List<Path> before = TableSet.files(directory);
                assertEquals(before.size(), TestTables.names(directory).size(), "a temporary file is left");
                for (final Path table : before) {
                    try (SstableReader reader = SstableReader.open(table)) {
                        reader.verify();
                    }
                    Files.delete(table);
                }
                assertTrue(flush(memtable, path));
                content.assertIn(path);
                Files.delete(path);
                return;
            }
        }
    }

    /** Returns whether there was room. */
    private static boolean flush(final Memtable memtable, final Path path) throws IOException {
        try (SstableWriter writer = SstableWriter.create(path, SstableOptions.defaults())) {
            memtable.flush(writer);
            return true;
        } catch (final UncheckedIOException e) {
            assertTrue(e.getMessage().contains("No space left on device"), e::getMessage);
            return false;
        }
    }

    private static boolean run(final String... command) throws InterruptedException {
        try {
            final Process process = new ProcessBuilder(command)
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (final IOException e) {
            return false;
        }
    }
}
