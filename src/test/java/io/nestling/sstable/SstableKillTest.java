/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import net.jpountz.lz4.LZ4Factory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that writes one table after the other is killed: each table that has its name is whole, and none
 * is lost.
 */
class SstableKillTest {
    private static final int ROUNDS = 10;

    @TempDir
    Path directory;

    /** The process to be killed. */
    static final class Victim {
        private Victim() {
        }

        public static void main(final String[] args) throws IOException {
            final Path directory = Path.of(args[0]);
            final Random random = new Random(Long.parseLong(args[1]));
            long number;
            try (TableSet tables = TableSet.open(directory)) {
                number = tables.nextNumber();
            }
            while (true) {
                final List<TestEntry> entries = new ArrayList<>();
                for (int i = 0; i < 2000; i++) {
                    final byte[] noise = new byte[random.nextInt(1000)];
                    random.nextBytes(noise);
                    entries.add(TestEntry.value(TestEntry.bytes(String.format("%08d", i)), number, noise));
                }
                TestTables.write(TableSet.path(directory, number), SstableOptions.defaults(), entries);
                System.out.println(number);
                number++;
            }
        }
    }

    @Test
    @Timeout(120)
    void shouldHaveOnlyWholeTablesAfterEachKill() throws Exception {
        final Random random = Seeds.random("SstableKillTest");
        long lastSaid = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final Process process =
                java(Victim.class, directory.toString(), Long.toString(random.nextLong())).start();
            try (BufferedReader output = process.inputReader()) {
                lastSaid = Long.parseLong(output.readLine());
                Thread.sleep(random.nextInt(200));
                // Not Process.destroyForcibly, which closes the pipe with what was said before.
                process.toHandle().destroyForcibly();
                for (String line = output.readLine(); line != null; line = output.readLine()) {
                    lastSaid = line.isEmpty() ? lastSaid : Long.parseLong(line);
                }
            } finally {
                process.toHandle().destroyForcibly();
            }
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
            check(lastSaid);
        }
        assertTrue(lastSaid >= ROUNDS);
    }

    /** A process that runs a main class of the tests. */
    static ProcessBuilder java(final Class<?> main, final String... args) throws URISyntaxException {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC", "-cp", classPath(), main.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /** Where this process has the classes from, whatever its class loaders. */
    private static String classPath() throws URISyntaxException {
        final StringBuilder path = new StringBuilder(System.getProperty("java.class.path"));
        for (final Class<?> type : List.of(SstableWriter.class, SstableKillTest.class, LZ4Factory.class)) {
            path.append(File.pathSeparator)
                .append(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()));
        }
        return path.toString();
    }

    private void check(final long lastSaid) throws IOException {
        try (TableSet tables = TableSet.open(directory)) {
            for (final SstableReader reader : tables.readers()) {
                reader.verify();
                assertEquals(2000, reader.entryCount());
            }
            assertTrue(tables.nextNumber() > lastSaid, "table " + lastSaid + " is lost");
            assertEquals(tables.nextNumber() - 1, tables.readers().size());
        }
    }
}
