/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system that really runs full; needs the right to mount one. */
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
                entries.add(TestEntry.value(TestEntry.bytes(String.format("%08d", i)), i, noise));
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
