/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.memtable.WriteBatch;
import io.nestling.sstable.TableSet;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExampleEngineTest {
    private static final ExampleEngine.Options OPTIONS = new ExampleEngine.Options(1 << 20, 2, false);
    private static final int KEYS = 20_000;

    @TempDir
    private Path directory;

    /** What the engine has to hold, and snapshots with what they have to hold. */
    private final TreeMap<String, byte[]> model = new TreeMap<>();
    private final Deque<EngineSnapshot> snapshots = new ArrayDeque<>();
    private final Deque<TreeMap<String, byte[]>> held = new ArrayDeque<>();

    @Test
    void shouldDoWhatASortedMapDoes() throws IOException {
        final Random random = Seeds.random("ExampleEngineTest");
        final int rounds = Effort.count(1, 5, 100);
        for (int round = 0; round < rounds; round++) {
            try (ExampleEngine engine = new ExampleEngine(directory, OPTIONS)) {
                for (int i = 0; i < 10_000; i++) {
                    step(engine, random);
                }
                while (!snapshots.isEmpty()) {
                    checkOldest(random);
                }
                check(engine);
            }
        }
        try (TableSet tables = TableSet.open(directory)) {
            assertTrue(tables.readers().size() <= 2 * ExampleEngine.MERGED_TABLES, "tables were not merged");
            assertEquals(model.size(), count(tables.scan()));
        }
    }

    private void step(final ExampleEngine engine, final Random random) throws IOException {
        final String key = "key " + random.nextInt(KEYS);
        if (random.nextInt(4) == 0) {
            engine.delete(bytes(key));
            model.remove(key);
        } else if (random.nextInt(10) == 0) {
            final WriteBatch batch = new WriteBatch();
            for (int i = random.nextInt(20); i >= 0; i--) {
                final String other = "key " + random.nextInt(KEYS);
                final byte[] value = value(random);
                batch.put(bytes(other), value);
                model.put(other, value);
            }
            engine.write(batch);
        } else {
            final byte[] value = value(random);
            engine.put(bytes(key), value);
            model.put(key, value);
        }
        final String read = "key " + random.nextInt(KEYS);
        assertArrayEquals(model.get(read), engine.get(bytes(read)), read);
        if (random.nextInt(2000) == 0) {
            snapshots.add(engine.snapshot());
            held.add(new TreeMap<>(model));
        }
        if (snapshots.size() > 2) {
            checkOldest(random);
        }
    }

    private void checkOldest(final Random random) throws IOException {
        final TreeMap<String, byte[]> expected = held.remove();
        try (EngineSnapshot snapshot = snapshots.remove()) {
            final String key = "key " + random.nextInt(KEYS);
            assertArrayEquals(expected.get(key), snapshot.get(bytes(key)), key);
            checkScan(expected, snapshot);
        }
    }

    private void check(final ExampleEngine engine) {
        try (EngineSnapshot snapshot = engine.snapshot()) {
            checkScan(model, snapshot);
        }
    }

    private static void checkScan(final TreeMap<String, byte[]> expected, final EngineSnapshot snapshot) {
        try (EntryCursor cursor = snapshot.scan()) {
            boolean more = cursor.first();
            for (final Map.Entry<String, byte[]> entry : expected.entrySet()) {
                assertTrue(more, () -> "nothing behind " + entry.getKey());
                assertEquals(entry.getKey(), new String(cursor.key(), UTF_8));
                assertArrayEquals(entry.getValue(), cursor.value(), entry.getKey());
                more = cursor.next();
            }
            assertFalse(more);
            for (final String key : expected.descendingKeySet()) {
                assertTrue(more ? cursor.previous() : cursor.last());
                more = true;
                assertEquals(key, new String(cursor.key(), UTF_8));
            }
        }
    }

    /** More writers than the budget has memory for: they wait for flushes, and each write happens once. */
    @Test
    void shouldHoldBackWritersUntilMemoryIsFree() throws Exception {
        final int writers = 4;
        final int writes = Effort.count(4_000, 20_000, 200_000);
        final ExecutorService threads = Executors.newFixedThreadPool(writers);
        try (ExampleEngine engine = new ExampleEngine(directory, new ExampleEngine.Options(1 << 20, 4, false))) {
            final List<Future<Void>> results = new ArrayList<>();
            for (int writer = 0; writer < writers; writer++) {
                final int number = writer;
                results.add(threads.submit(() -> {
                    for (int i = 0; i < writes; i++) {
                        final byte[] key = bytes(number + " " + i);
                        engine.put(key, new byte[200]);
                        assertNotNull(engine.get(key), "a write that has returned is visible");
                    }
                    return null;
                }));
            }
            for (final Future<Void> result : results) {
                result.get();
            }
            try (EngineSnapshot snapshot = engine.snapshot()) {
                assertEquals(writers * writes, count(snapshot.scan()));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void shouldRecoverALogWhoseEndWasCut() throws IOException {
        final Path log = directory.resolve("000000000000000001.log");
        try (WriteAheadLog written = new WriteAheadLog(log, true)) {
            written.append(2, new WriteBatch().put(bytes("b"), bytes("2")).delete(bytes("a")));
            written.append(1, new WriteBatch().put(bytes("a"), bytes("1")));
            written.append(5, new WriteBatch().put(bytes("c"), bytes("5")));
        }
        final long whole = Files.size(log);
        try (WriteAheadLog other = new WriteAheadLog(directory.resolve("cut"), true)) {
            other.append(6, new WriteBatch().put(bytes("d"), bytes("6")));
        }
        final byte[] next = Files.readAllBytes(directory.resolve("cut"));
        for (int length = 0; length < next.length; length++) {
            final Path copy = Files.createDirectory(directory.resolve("copy" + length));
            Files.copy(log, copy.resolve(log.getFileName()));
            Files.write(copy.resolve(log.getFileName()), Arrays.copyOf(next, length), StandardOpenOption.APPEND);
            assertEquals(whole + length, Files.size(copy.resolve(log.getFileName())));
            try (ExampleEngine engine = new ExampleEngine(copy, OPTIONS); EngineSnapshot snapshot = engine.snapshot()) {
                assertEquals(2, count(snapshot.scan()));
                assertArrayEquals(bytes("2"), engine.get(bytes("b")));
                assertArrayEquals(bytes("5"), engine.get(bytes("c")));
            }
        }
    }

    /** Seen to fail when the log of the last memtable was deleted as empty. */
    @Test
    void shouldKeepWhatWasAcknowledgedBesideClose() throws Exception {
        final ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            int acknowledged = 0;
            for (int round = 0; round < 5; round++) {
                final ExampleEngine engine = new ExampleEngine(directory, OPTIONS);
                final int first = acknowledged;
                final Future<Integer> writes = thread.submit(() -> {
                    int write = first;
                    try {
                        while (true) {
                            engine.put(bytes("key " + write), new byte[100]);
                            write++;
                        }
                    } catch (final IllegalStateException e) {
                        return write; // closed
                    }
                });
                Thread.sleep(20);
                engine.close();
                acknowledged = writes.get();
                try (ExampleEngine again = new ExampleEngine(directory, OPTIONS)) {
                    for (int write = 0; write < acknowledged; write++) {
                        assertNotNull(again.get(bytes("key " + write)), "write " + write + " of " + acknowledged + " is lost");
                    }
                }
            }
            assertTrue(acknowledged > 0);
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void shouldLogNothingThatNoMemtableTakes() throws IOException {
        try (ExampleEngine engine = new ExampleEngine(directory, OPTIONS)) {
            final IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> engine.put(bytes("a"), new byte[1 << 20]));
            assertTrue(e.getMessage().contains("at most 65536 bytes but was 1048577"), e.getMessage());
            assertThrows(IllegalArgumentException.class,
                () -> engine.write(new WriteBatch().deleteRange(bytes("a"), bytes("b"))));
            engine.put(bytes("a"), bytes("1"));
        }
        try (ExampleEngine engine = new ExampleEngine(directory, OPTIONS)) {
            assertArrayEquals(bytes("1"), engine.get(bytes("a")));
        }
    }

    @Test
    void shouldNotOpenTwice() throws IOException {
        try (ExampleEngine engine = new ExampleEngine(directory, OPTIONS)) {
            engine.put(bytes("a"), bytes("1"));
            final IOException e = assertThrows(IOException.class, () -> new ExampleEngine(directory, OPTIONS));
            assertTrue(e.getMessage().contains(directory.toString()), e.getMessage());
            assertArrayEquals(bytes("1"), engine.get(bytes("a")));
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(0, files.filter(file -> file.toString().endsWith(".log")).count(), "a closed engine has no log");
        }
    }

    private static int count(final EntryCursor cursor) {
        try (cursor) {
            int count = 0;
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                count++;
            }
            return count;
        }
    }

    private static byte[] value(final Random random) {
        final byte[] value = new byte[random.nextInt(400)];
        random.nextBytes(value);
        return value;
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(UTF_8);
    }
}
