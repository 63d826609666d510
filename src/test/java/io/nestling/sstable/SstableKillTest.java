/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memtable.Memtable;
import io.nestling.testing.ChildProcess;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that flushes one memtable after the other is killed at random moments: each table that has its name is whole and
 * holds what its memtable held, and none that was acknowledged is lost.
 * <p>
 * Planted fault that was seen: the file renamed before its content was written.
 */
@Tag("robustness")
class SstableKillTest {
    @TempDir
    Path directory;
    /** The first table that is still there, since checked ones are deleted in long runs. */
    private long first = 1;

    /** The process to be killed. It acknowledges each table when its flush has returned. */
    static final class Victim {
        private Victim() {
        }

        public static void main(final String[] args) throws IOException {
            final Path directory = Path.of(args[0]);
            long number;
            try (TableSet tables = TableSet.open(directory)) {
                number = tables.nextNumber();
            }
            while (true) {
                try (Memtable memtable = memtable(number);
                    SstableWriter writer = SstableWriter.create(TableSet.path(directory, number), SstableOptions.defaults())) {
                    memtable.flush(writer);
                }
                System.out.println(number);
                number++;
            }
        }
    }

    /** The memtable of a table's number, in every process. */
    private static Memtable memtable(final long number) {
        final TestMemtables.Shape[] shapes = TestMemtables.Shape.values();
        return TestMemtables.open(
            shapes[(int) (number % shapes.length)], new Random(number * 0x9E3779B97F4A7C15L), number * 100_000);
    }

    @Test
    @Timeout(value = 6, unit = TimeUnit.HOURS)
    void shouldLoseNothingAndHaveOnlyWholeTablesAfterEachKill() throws Exception {
        final Random random = Seeds.random("SstableKillTest");
        final int kills = Effort.count(5, 50, 1000);
        long acknowledged = 0;
        for (int kill = 0; kill < kills; kill++) {
            final Process process = ChildProcess.java(Victim.class, directory.toString()).start();
            // Without a number it may be killed before its first table.
            acknowledged = ChildProcess.kill(
                process, random.nextInt(5) != 0, random.nextInt(random.nextBoolean() ? 20 : 400), acknowledged);
            check(acknowledged);
        }
        assertTrue(acknowledged >= kills / 2, "only " + acknowledged + " tables in " + kills + " kills");
    }

    private void check(final long acknowledged) throws IOException {
        final List<Path> tables = TableSet.files(directory);
        assertTrue(first + tables.size() > acknowledged, "table " + acknowledged + " is lost");
        for (int i = 0; i < tables.size(); i++) {
            final long number = first + i;
            assertEquals(TableSet.path(directory, number), tables.get(i), "a table is lost");
            try (Memtable memtable = memtable(number)) {
                TestMemtables.content(memtable).assertIn(tables.get(i));
            }
        }
        // The last one stays, for the next process to go on from.
        for (int i = 0; i + 1 < tables.size(); i++) {
            Files.delete(tables.get(i));
            first++;
        }
    }
}
