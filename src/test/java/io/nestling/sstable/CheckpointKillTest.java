/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.ChildProcess;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that adds tables to a live set, merges them and makes a checkpoint after each is killed at random moments. A
 * checkpoint that has its name is whole and shows the state of its moment, none that was acknowledged is lost, and what is left
 * of another one keeps nobody from making it. The set itself loses nothing.
 * <p>
 * Planted faults that were seen: a checkpoint that is written under its own name; leftovers that stay.
 */
@Tag("robustness")
class CheckpointKillTest {
    private static final String NAME = "checkpoint";
    private static final int KEYS = 30;
    private static final int MOST_TABLES = 12;

    @TempDir
    Path parent;
    private int unfinished;
    /** Number of tables that the set has had so far. */
    private long known;

    /** The process to be killed. It says the number of each table once its checkpoint is there. */
    static final class Victim {
        private Victim() {
        }

        public static void main(final String[] args) throws IOException {
            final Path source = Path.of(args[0]);
            final FileOperations operations =
                args[1].equals("link") ? SystemFileOperations.INSTANCE : new FaultyFileOperations(
                    operation -> operation.endsWith(" link"), Integer.MAX_VALUE, Long.MAX_VALUE);
            try (LiveTableSet live = LiveTableSet.open(source, operations)) {
                for (long number = live.directory().greatestSequence() / KEYS;; number++) {
                    if (number > 0 && !Files.exists(checkpoint(source, number))) {
                        live.checkpoint(checkpoint(source, number));
                        System.out.println(number);
                    }
                    add(live, number + 1);
                    try (TableSet tables = live.acquire()) {
                        if (tables.readers().size() >= MOST_TABLES) {
                            live.merge(tables.readers(), MergeOptions.defaults(), bytes -> { });
                        }
                    }
                }
            }
        }
    }

    private static Path checkpoint(final Path source, final long number) {
        return source.resolveSibling(NAME + number);
    }

    /** Adds a table: it deletes one key, and sets a few others to its number. */
    private static void add(final LiveTableSet live, final long number) throws IOException {
        final List<TestEntry> entries = new ArrayList<>();
        write(number, entries, new TreeMap<>());
        final Path table = live.nextTable();
        TestTables.write(table, TestTables.SMALL_BLOCKS, entries, List.of());
        live.add(table);
    }

    private static void write(final long number, final List<TestEntry> entries, final Map<String, String> content) {
        final Random random = new Random(number * 0x9E3779B97F4A7C15L);
        for (int key = 0; key < KEYS; key++) {
            final String name = "k" + (char) ('A' + key);
            final long sequence = number * KEYS + key;
            final int choice = key == KEYS - 1 ? 1 : random.nextInt(6);
            if (choice == 0) {
                entries.add(TestEntry.tombstone(name, sequence));
                content.remove(name);
            } else if (choice < 4) {
                entries.add(TestEntry.value(name, sequence, "value " + number));
                content.put(name, "value " + number);
            }
        }
    }

    private static Map<String, String> state(final long number) {
        final Map<String, String> content = new TreeMap<>();
        for (long table = 1; table <= number; table++) {
            write(table, new ArrayList<>(), content);
        }
        return content;
    }

    @Test
    @Timeout(value = 6, unit = TimeUnit.HOURS)
    void shouldMakeWholeCheckpointsOrNoneWhereverItIsKilled() throws Exception {
        final Random random = Seeds.random("CheckpointKillTest");
        final int kills = Effort.count(3, 30, 500);
        Path source = Files.createDirectory(parent.resolve("source"));
        for (int kill = 0; kill < kills; kill++) {
            final long before = known;
            final Process process =
                ChildProcess.java(Victim.class, source.toString(), random.nextBoolean() ? "link" : "copy").start();
            // Without a number it may be killed while it replaces what is left; the first process leaves something.
            final long acknowledged = ChildProcess.kill(process, kill == 0 || random.nextInt(5) != 0,
                random.nextInt(random.nextBoolean() ? 20 : 300), before);
            source = check(source, acknowledged, before, random);
        }
        System.out.println("CheckpointKillTest: " + unfinished + " of " + kills + " kills left an unfinished checkpoint");
        assertTrue(known > 0);
    }

    /** Checks the set and its checkpoints, and deletes these; returns the directory to go on with. */
    private Path check(final Path source, final long acknowledged, final long before, final Random random) throws IOException {
        final long last;
        try (LiveTableSet live = LiveTableSet.open(source)) {
            last = live.directory().greatestSequence() / KEYS;
            assertTrue(last == acknowledged || last == acknowledged + 1, last + " tables, acknowledged were " + acknowledged);
            live.directory().deleteUnlisted();
        }
        known = last;
        assertEquals(state(last), content(source));
        Path next = source;
        long checkpoints = 0;
        for (final String name : TestTables.names(parent)) {
            final Path path = parent.resolve(name);
            if (name.endsWith(Checkpoint.UNFINISHED_SUFFIX)) {
                unfinished++;
            } else if (name.startsWith(NAME) && !name.endsWith(".lock")) {
                final long number = Long.parseLong(name.substring(NAME.length()));
                checkpoints = Math.max(checkpoints, number);
                assertEquals(state(number), content(path), name);
                changeAndCheck(path, state(number));
            }
        }
        assertTrue(acknowledged == before || checkpoints >= acknowledged, "checkpoint " + acknowledged + " is lost");
        assertEquals(state(last), content(source), "a change of a checkpoint has changed the set");
        if (last > 0 && random.nextBoolean()) { // else the next process finds what is left
            final Path made = checkpoint(source, last);
            if (!Files.exists(made)) {
                try (LiveTableSet live = LiveTableSet.open(source)) {
                    live.checkpoint(made);
                }
                assertEquals(state(last), content(made));
                assertEquals(List.of(), TestTables.names(parent).stream()
                    .filter(name -> name.startsWith(made.getFileName() + ".")).toList());
            } // else it was killed when all was done but the lock's file
            next = made;
        }
        return keepOnly(next, last);
    }

    private static Map<String, String> content(final Path directory) throws IOException {
        try (TableSet tables = TableSet.open(directory)) {
            assertEquals(List.of(), TableSet.unlistedFiles(directory));
            return TestTables.content(tables);
        }
    }

    private static void changeAndCheck(final Path checkpoint, final Map<String, String> expected) throws IOException {
        try (LiveTableSet live = LiveTableSet.open(checkpoint); TableSet tables = live.acquire()) {
            live.merge(tables.readers(), MergeOptions.defaults(), bytes -> { });
        }
        assertEquals(expected, content(checkpoint));
    }

    /** Deletes all directories but one, which becomes the set, and what is left of its next checkpoint. */
    private Path keepOnly(final Path next, final long last) throws IOException {
        final Path source = parent.resolve("source");
        final Path left = checkpoint(source, last);
        for (final String name : TestTables.names(parent)) {
            final Path path = parent.resolve(name);
            if (!path.equals(next) && !name.startsWith(left.getFileName() + ".")) {
                delete(path);
            }
        }
        return next.equals(source) ? source : Files.move(next, source);
    }

    private static void delete(final Path path) throws IOException {
        if (Files.isDirectory(path)) {
            for (final String name : TestTables.names(path)) {
                Files.delete(path.resolve(name));
            }
        }
        Files.delete(path);
    }
}
