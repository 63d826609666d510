/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.LookupResult;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("jdk")
class SstableReaderTest {
    @TempDir
    Path directory;

    private Path numbered(final int count, final int valueBytes) throws IOException {
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(TestEntry.value(key(i), i, value(i, valueBytes)));
        }
        final Path path = directory.resolve(count + ".sst");
        TestTables.write(path, SstableOptions.defaults().withBlockBytes(1000), entries);
        return path;
    }

    private static byte[] key(final int i) {
        return TestEntry.bytes(String.format(Locale.ROOT, "key%08d", i));
    }

    private static byte[] value(final int i, final int length) {
        final byte[] value = new byte[length];
        new Random(i).nextBytes(value);
        return value;
    }

    @Test
    void shouldTellValueTombstoneAndAbsent() throws IOException {
        final Path path = directory.resolve("table.sst");
        TestTables.write(path, SstableOptions.defaults(), List.of(TestEntry.tombstone("a", 8),
            TestEntry.value("a", 4, "old"), TestEntry.value("b", 2, ""), TestEntry.tombstone("c", 6)));
        try (SstableReader reader = SstableReader.open(path)) {
            final byte[] a = {'a'};
            TestTables.assertLookup(LookupResult.tombstone(8), reader.lookup(a),
                "a");
            TestTables.assertLookup(LookupResult.value(4, TestEntry.bytes("old")),
                reader.lookup(a, 7), "a@7");
            assertEquals(LookupResult.ABSENT, reader.lookup(a, 3));
            assertNull(reader.get(a));
            assertArrayEquals(TestEntry.bytes("old"), reader.get(a, 7));
            assertArrayEquals(new byte[0], reader.get(new byte[] {'b'}));
            assertEquals(LookupResult.Kind.TOMBSTONE, reader.lookup(new byte[] {'c'}).kind());
            assertEquals(LookupResult.ABSENT, reader.lookup(new byte[] {'d'}));
            assertEquals(path.toAbsolutePath(), reader.path());
        }
    }

    @Test
    void accessorsThrowIllegalStateWhenTheCursorStandsNowhere() throws IOException {
        try (SstableReader reader = SstableReader.open(numbered(3,
            3)); EntryCursor cursor = reader.cursor()) {
            assertFalse(cursor.valid());
            assertFalse(cursor.next());
            assertFalse(cursor.previous());
            assertThrows(IllegalStateException.class, cursor::keyBuffer);
            assertThrows(IllegalStateException.class, cursor::keyLength);
            assertThrows(IllegalStateException.class, cursor::commonPrefix);
            assertThrows(IllegalStateException.class, cursor::sequence);
            assertThrows(IllegalStateException.class, cursor::kind);
            assertThrows(IllegalStateException.class, cursor::valueLength);
            assertThrows(IllegalStateException.class, cursor::value);
            assertThrows(IllegalStateException.class, () -> cursor.copyValue(new byte[9], 0));
            assertTrue(cursor.first());
            assertThrows(UnsupportedOperationException.class, cursor::payload);
            assertThrows(IndexOutOfBoundsException.class, () -> cursor.copyValue(new byte[9], 7));
            assertThrows(IndexOutOfBoundsException.class, () -> cursor.seek(new byte[3], 2, 2));
        }
    }

    @Test
    void shouldKeepNoBuffersOfLargeEntries() throws IOException {
        final Path path = directory.resolve("large.sst");
        final byte[] large = new byte[60_000];
        new Random(1).nextBytes(large); // which does not compress
        final byte[] small = Arrays.copyOf(large, 20_000);
        TestTables.write(path, SstableOptions.defaults(),
            List.of(TestEntry.value(key(1), 2, large), TestEntry.value(key(2), 1, small)));
        try (SstableReader reader = SstableReader.open(path)) {
            assertArrayEquals(small, reader.get(key(2)));
            assertEquals(1, reader.idleCursors.size());
            assertArrayEquals(large, reader.get(key(1)));
            assertTrue(reader.idleCursors.isEmpty());
        }
    }

    @Test
    void everyUseThrowsIllegalStateWhenClosed() throws IOException {
        final SstableReader reader = SstableReader.open(numbered(1000, 10));
        final EntryCursor cursor = reader.cursor();
        assertTrue(cursor.first());
        reader.close();
        reader.close();
        assertThrows(IllegalStateException.class, () -> reader.get(key(1)));
        assertThrows(IllegalStateException.class, reader::cursor);
        assertThrows(IllegalStateException.class, reader::verify);
        assertThrows(IllegalStateException.class, cursor::next);
        assertThrows(IllegalStateException.class, cursor::previous);
        assertThrows(IllegalStateException.class, cursor::first);
        assertThrows(IllegalStateException.class, () -> cursor.seek(key(5)));
        cursor.close();
    }

    @Test
    void shouldReportProgressOfVerify() throws IOException {
        try (SstableReader reader = SstableReader.open(numbered(1000, 100))) {
            final List<Long> progress = new ArrayList<>();
            reader.verify(progress::add);
            assertTrue(progress.size() > 100);
            assertEquals(progress.stream().sorted().toList(), progress);
            assertEquals(reader.fileBytes() - Footer.BYTES, progress.get(progress.size() - 1));
        }
    }

    @Test
    void shouldServeManyThreads() throws Exception {
        final int count = 5000;
        final long seed = Seeds.seed("SstableReaderTest threads");
        try (SstableReader reader = SstableReader.open(numbered(count, 50))) {
            Threads.runTogether(4, thread -> {
                final Random random = new Random(seed + thread);
                try (EntryCursor cursor = reader.cursor()) {
                    for (int round = 0; round < 1500; round++) {
                        final int at = random.nextInt(count);
                        assertArrayEquals(value(at, 50), reader.get(key(at)));
                        assertNull(reader.get(key(count + at)));
                        assertTrue(cursor.seek(key(at)));
                        for (int i = at; i < Math.min(count, at + 10); i++) {
                            assertArrayEquals(key(i), cursor.key());
                            assertArrayEquals(value(i, 50), cursor.value());
                            assertEquals(i + 1 < count, cursor.next());
                        }
                    }
                }
                reader.verify();
            });
        }
    }

    @Test
    void shouldReadOnWhileThreadsAreInterrupted() throws Exception {
        final int count = 2000;
        final long seed = Seeds.seed("SstableReaderTest interrupts");
        try (SstableReader reader = SstableReader.open(numbered(count, 50))) {
            Threads.runTogether(4, thread -> {
                final Random random = new Random(seed + thread);
                for (int round = 0; round < 1500; round++) {
                    final boolean interrupt = thread < 2 && random.nextInt(10) == 0;
                    if (interrupt) {
                        Thread.currentThread().interrupt();
                    }
                    final int at = random.nextInt(count);
                    assertArrayEquals(value(at, 50), reader.get(key(at)));
                    assertEquals(interrupt, Thread.interrupted(), "the interrupt status is kept");
                }
            });
        }
    }

    @Test
    void shouldOpenAndVerifyInAnInterruptedThread() throws IOException {
        final Path path = numbered(100, 10);
        Thread.currentThread().interrupt();
        try (SstableReader reader = SstableReader.open(path)) {
            assertTrue(Thread.currentThread().isInterrupted());
            reader.verify();
            assertTrue(Thread.currentThread().isInterrupted());
        } finally {
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void shouldReadOnWhileAnotherThreadInterrupts() throws Exception {
        try (SstableReader reader = SstableReader.open(numbered(2000, 50))) {
            final int reads = 2000;
            assertEquals(reads, readUnderInterrupts(reader, reads));
        }
    }

    @Test
    void shouldLeaveTheFileOpenWhenAnInterruptedThreadReads() throws IOException {
        final Path path = numbered(2000, 50);
        try (SstableReader reader = SstableReader.open(path)) {
            Files.delete(path);
            Thread.currentThread().interrupt();
            assertArrayEquals(value(1999, 50), reader.get(key(1999)));
            assertTrue(Thread.interrupted(), "the interrupt status is kept");
            assertArrayEquals(value(7, 50), reader.get(key(7)));
        }
    }

    @Test
    void readThrowsWhenAnInterruptMeetsAnotherFileUnderTheName() throws Exception {
        final Path path = numbered(2000, 50);
        try (SstableReader reader = SstableReader.open(path)) {
            final byte[] content = Files.readAllBytes(path);
            Files.delete(path);
            Files.write(directory.resolve("other"), content);
            Files.move(directory.resolve("other"), path);
            final IOException e =
                assertThrows(IOException.class, () -> readUnderInterrupts(reader, Integer.MAX_VALUE));
            assertTrue(e.getMessage().contains(path.toString()), e::getMessage);
            assertTrue(e.getMessage().contains("interrupt"), e::getMessage);
        }
    }

    /** Reads while another thread interrupts this one again and again; returns the number of reads. */
    private static int readUnderInterrupts(final SstableReader reader, final int reads) throws Exception {
        final Thread thisThread = Thread.currentThread();
        final AtomicBoolean done = new AtomicBoolean();
        final Thread interrupter = new Thread(() -> {
            while (!done.get()) {
                thisThread.interrupt();
                Thread.onSpinWait();
            }
        });
        interrupter.start();
        int i = 0;
        try {
            for (; i < reads; i++) {
                assertArrayEquals(value(i % 2000, 50), reader.get(key(i % 2000)));
            }
        } finally {
            done.set(true);
            while (interrupter.isAlive()) {
                Thread.interrupted();
                Thread.onSpinWait();
            }
            Thread.interrupted();
        }
        return i;
    }

    @Test
    void readThrowsWhenTheFileWasCutMeanwhile() throws IOException {
        final Path path = numbered(2000, 50);
        try (SstableReader reader = SstableReader.open(path); EntryCursor cursor = reader.cursor()) {
            Files.write(path, new byte[100]);
            final CorruptTableException e = assertThrows(CorruptTableException.class,
                () -> reader.get(key(1999)));
            assertTrue(e.getMessage().contains("the file ends before"), e::getMessage);
            assertThrows(UncheckedIOException.class, cursor::last);
        }
    }

    @Test
    void shouldEndReadsUnderWayWhenClosed() throws Exception {
        final SstableReader reader = SstableReader.open(numbered(2000, 50));
        final CountDownLatch begun = new CountDownLatch(2);
        final AtomicBoolean ended = new AtomicBoolean();
        Threads.runTogether(3, thread -> {
            if (thread == 2) {
                try {
                    assertTrue(begun.await(30, TimeUnit.SECONDS), "threads that do not read");
                    reader.close();
                } finally {
                    ended.set(true);
                }
                return;
            }
            final IllegalStateException e = assertThrows(IllegalStateException.class, () -> {
                for (int reads = 0; ; reads++) {
                    final boolean isLast = ended.get();
                    assertArrayEquals(value(reads % 2000, 50), reader.get(key(reads % 2000)));
                    if (isLast) {
                        break;
                    }
                    if (reads == 0) {
                        begun.countDown();
                    }
                }
            });
            assertTrue(e.getMessage().contains("is closed"), e::getMessage);
        });
    }
}
