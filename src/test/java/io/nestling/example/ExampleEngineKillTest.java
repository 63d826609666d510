/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memtable.WriteBatch;
import io.nestling.testing.ChildProcess;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process with an engine and two writers is killed at random moments: no acknowledged write is lost, no batch comes back in
 * parts, and no deleted key comes back.
 */
@Tag("robustness")
class ExampleEngineKillTest {
    private static final int WRITERS = 2;
    private static final int KEYS = 5_000;

    @TempDir
    private Path directory;
    /* By writer: number of writes that the directory has, and for each key the last of them. */
    private final long[] writes = new long[WRITERS];
    private final long[][] last = new long[WRITERS][KEYS];

    /** The process to be killed. Each writer goes on behind its last write, and says each number when its write has returned. */
    static final class Victim {
        private Victim() {
        }

        public static void main(final String[] args) throws IOException {
            final ExampleEngine engine = open(Path.of(args[0]));
            for (int writer = 0; writer < WRITERS; writer++) {
                final int number = writer;
                final long first = counter(engine, number) + 1;
                new Thread(() -> {
                    try {
                        for (long write = first; ; write++) {
                            engine.write(batch(number, write));
                            System.out.println(number + " " + write);
                        }
                    } catch (final IOException e) {
                        throw new AssertionError(e);
                    }
                }).start();
            }
        }
    }

    private static ExampleEngine open(final Path directory) throws IOException {
        return new ExampleEngine(directory, new ExampleEngine.Options(1 << 20, 2, false));
    }

    private static int key(final int writer, final long write) {
        return new Random(write * WRITERS + writer).nextInt(KEYS);
    }

    private static boolean isDeletion(final long write) {
        return write % 5 == 0;
    }

    /** A write: it changes a key and counts itself. */
    private static WriteBatch batch(final int writer, final long write) {
        final byte[] key = bytes(writer + " " + key(writer, write));
        final WriteBatch batch = new WriteBatch().put(bytes("count " + writer), ByteBuffer.allocate(8).putLong(write).array());
        return isDeletion(write) ? batch.delete(key) : batch.put(key, value(write));
    }

    private static byte[] value(final long write) {
        return ByteBuffer.allocate(200).putLong(write).array();
    }

    private static long counter(final ExampleEngine engine, final int writer) throws IOException {
        final byte[] count = engine.get(bytes("count " + writer));
        return count == null ? 0 : ByteBuffer.wrap(count).getLong();
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    @Timeout(value = 6, unit = TimeUnit.HOURS)
    void shouldLoseNothingThatWasAcknowledged() throws Exception {
        final Random random = Seeds.random("ExampleEngineKillTest");
        final int kills = Effort.count(1, 10, 500);
        for (int kill = 0; kill < kills; kill++) {
            final long[] acknowledged = writes.clone();
            final Process process = ChildProcess.java(Victim.class, directory.toString()).start();
            try (BufferedReader output = process.inputReader()) {
                acknowledge(output.readLine(), acknowledged);
                final long end = System.nanoTime() + random.nextInt(1000) * 1_000_000L;
                while (System.nanoTime() < end) {
                    acknowledge(output.readLine(), acknowledged);
                }
                // Not Process.destroyForcibly, which closes the pipe with what was said before.
                process.toHandle().destroyForcibly();
                for (String line = output.readLine(); line != null; line = output.readLine()) {
                    acknowledge(line, acknowledged);
                }
            } finally {
                process.toHandle().destroyForcibly();
            }
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
            check(acknowledged);
        }
    }

    private static void acknowledge(final String line, final long[] acknowledged) {
        final String[] words = line == null ? new String[0] : line.split(" ");
        if (words.length == 2 && !words[1].isEmpty()) { // the last line may be cut
            final int writer = Integer.parseInt(words[0]);
            acknowledged[writer] = Math.max(acknowledged[writer], Long.parseLong(words[1]));
        }
    }

    private void check(final long[] acknowledged) throws IOException {
        try (ExampleEngine engine = open(directory)) {
            for (int writer = 0; writer < WRITERS; writer++) {
                final long found = counter(engine, writer);
                final long known = acknowledged[writer];
                assertTrue(found == known || found == known + 1, "writer has " + found + " writes, acknowledged were " + known);
                for (long write = writes[writer] + 1; write <= found; write++) {
                    last[writer][key(writer, write)] = write;
                }
                writes[writer] = found;
                for (int key = 0; key < KEYS; key++) {
                    final long write = last[writer][key];
                    assertArrayEquals(write == 0 || isDeletion(write) ? null : value(write),
                        engine.get(bytes(writer + " " + key)), () -> "key written last by " + write);
                }
            }
            assertTrue(Arrays.stream(writes).sum() > 0);
        }
    }
}
