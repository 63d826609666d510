/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.example;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.memtable.WriteBatch;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Logs that a crash has cut at any byte: what is replayed is a prefix of what was written. A log that did not compare checksums
 * was found at once.
 */
class WriteAheadLogTest {
    private static final int MOST_RECORDS = Effort.count(5, 12, 12);
    private static final int MOST_KEYS = 20;

    @TempDir
    private Path directory;

    /** A log, where its records end, and its batches. */
    private record Written(byte[] bytes, List<Integer> ends, List<WriteBatch> batches) {
        int wholeIn(final int length) {
            return (int) ends.stream().filter(end -> end <= length).count();
        }
    }

    private Written write(final Random random) throws IOException {
        final Path path = directory.resolve("written.log");
        final List<Integer> ends = new ArrayList<>();
        final List<WriteBatch> batches = new ArrayList<>();
        long sequence = 1;
        try (WriteAheadLog log = new WriteAheadLog(path, false)) {
            for (int left = 1 + random.nextInt(MOST_RECORDS); left > 0; left--) {
                final WriteBatch batch = new WriteBatch();
                for (int size = 1 + random.nextInt(4); size > 0; size--) {
                    final byte[] key = random.nextInt(10) == 0 ? new byte[0] : bytes("key " + random.nextInt(MOST_KEYS));
                    if (random.nextInt(3) == 0) {
                        batch.delete(key);
                    } else {
                        batch.put(key, new byte[random.nextInt(30)]);
                    }
                }
                log.append(sequence, batch);
                sequence += batch.size();
                ends.add((int) Files.size(path));
                batches.add(batch);
            }
        }
        final byte[] bytes = Files.readAllBytes(path);
        Files.delete(path);
        return new Written(bytes, ends, batches);
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(final List<WriteBatch> batches) {
        final StringBuilder text = new StringBuilder();
        for (final WriteBatch batch : batches) {
            for (final WriteBatch.Operation operation : batch) {
                text.append(operation.kind()).append(' ').append(Arrays.toString(operation.key())).append(' ')
                    .append(operation.value() == null ? "" : operation.value().length).append('\n');
            }
        }
        return text.toString();
    }

    @Test
    void shouldReadTheWholeRecordsOfALogThatIsCutAnywhere() throws IOException {
        final Random random = Seeds.random("WriteAheadLogTest cut");
        final Path path = directory.resolve("cut.log");
        for (int round = Effort.count(1, 10, 100); round > 0; round--) {
            final Written written = write(random);
            for (int length = 0; length <= written.bytes.length; length++) {
                final int end = length;
                Files.write(path, Arrays.copyOf(written.bytes, length));
                checkPrefix(path, written, written.wholeIn(length), "cut at " + end);
                // Space that the file got before its bytes: zeroes behind the cut.
                final byte[] zeroed = written.bytes.clone();
                Arrays.fill(zeroed, length, zeroed.length, (byte) 0);
                Files.write(path, zeroed);
                checkPrefix(path, written, unchanged(written, zeroed), "zeroes from " + end + " on");
            }
        }
    }

    /** A record with a wrong byte ends the log. */
    @Test
    void shouldReadTheRecordsBeforeAWrongByte() throws IOException {
        final Random random = Seeds.random("WriteAheadLogTest byte");
        final Path path = directory.resolve("changed.log");
        for (int round = Effort.count(1, 10, 100); round > 0; round--) {
            final Written written = write(random);
            for (int at = 0; at < written.bytes.length; at++) {
                final byte[] changed = written.bytes.clone();
                changed[at] ^= (byte) (1 + random.nextInt(255));
                Files.write(path, changed);
                checkPrefix(path, written, unchanged(written, changed), "another byte at " + at);
            }
        }
    }

    private static int unchanged(final Written written, final byte[] bytes) {
        final int mismatch = Arrays.mismatch(written.bytes, bytes);
        return written.wholeIn(mismatch < 0 ? bytes.length : mismatch);
    }

    private static void checkPrefix(final Path path, final Written written, final int records, final String what)
        throws IOException {
        final List<WriteAheadLog.Entry> read = WriteAheadLog.read(path);
        assertEquals(records, read.size(), what);
        assertEquals(text(written.batches.subList(0, records)), text(read.stream().map(WriteAheadLog.Entry::batch).toList()),
            what);
    }

    /** An engine that is opened after such a cut has the batches before it, can be written, and is the same when opened again. */
    @Test
    void shouldRecoverAPrefixWhereverTheLogIsCut() throws IOException {
        final Random random = Seeds.random("WriteAheadLogTest engine");
        final Written written = write(random);
        final int step = Effort.count(1 + written.bytes.length / 4, 1, 1);
        for (int length = random.nextInt(step); length <= written.bytes.length; length += step) {
            final Path home = Files.createDirectory(directory.resolve("cut-" + length));
            Files.write(home.resolve("00000000000000000001.log"), Arrays.copyOf(written.bytes, length));
            final TreeMap<String, byte[]> model = new TreeMap<>();
            for (final WriteBatch batch : written.batches.subList(0, written.wholeIn(length))) {
                for (final WriteBatch.Operation operation : batch) {
                    model.put(new String(operation.key(), StandardCharsets.UTF_8), operation.value());
                }
            }
            checkEngine(home, model);
            checkEngine(home, model);
        }
    }

    private static void checkEngine(final Path home, final TreeMap<String, byte[]> model) throws IOException {
        try (ExampleEngine engine = new ExampleEngine(home, new ExampleEngine.Options(1 << 20, 2, false))) {
            for (int i = -1; i < MOST_KEYS; i++) {
                final String key = i < 0 ? "" : "key " + i;
                assertArrayEquals(model.get(key), engine.get(bytes(key)), () -> home + ", " + key);
            }
            engine.put(bytes("another key"), bytes("value"));
        }
        try (DirectoryStream<Path> logs = Files.newDirectoryStream(home, "*.log")) {
            logs.forEach(log -> {
                throw new AssertionError(log + " is left");
            });
        }
    }
}
