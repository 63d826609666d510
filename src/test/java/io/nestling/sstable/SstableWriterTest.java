/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.EntryView;
import io.nestling.index.RangeTombstone;
import io.nestling.testing.ChildProcess;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

@Tag("jdk")
class SstableWriterTest {
    @TempDir
    Path directory;
    private Path path;

    @BeforeEach
    void setPath() {
        path = directory.resolve("000001.sst");
    }

    private SstableWriter begun(final long entries, final long bytes, final long ranges) throws IOException {
        final SstableWriter writer = SstableWriter.create(path, SstableOptions.defaults());
        writer.begin(entries, bytes, ranges);
        return writer;
    }

    private static <T extends Throwable> void assertMessage(
        final Class<T> type, final Executable executable, final String... parts) {
        final T e = assertThrows(type, executable);
        for (final String part : parts) {
            assertTrue(e.getMessage().contains(part), () -> "'" + e.getMessage() + "' does not say '" + part
                + "'");
        }
    }

    @Test
    void shouldSayWhatItWrote() throws IOException {
        final List<TestEntry> entries = List.of(TestEntry.value("b", 5, "value"), TestEntry.tombstone("b", 3),
            TestEntry.value("c", 9, ""));
        try (SstableWriter writer = SstableWriter.create(
            path, SstableOptions.defaults().withIndexKind("trie").withCreator("a test"))) {
            assertThrows(IllegalStateException.class, writer::properties);
            TestTables.feed(writer, entries,
                List.of(new RangeTombstone(TestEntry.bytes("a"), TestEntry.bytes("z"), 1)));
            assertEquals(Files.size(path), writer.fileBytes());
            assertEquals(path.toAbsolutePath(), writer.path());
            assertEquals(3, writer.properties().entryCount());
        }
        assertEquals(List.of("000001.sst"), TestTables.names(directory));
        try (SstableReader reader = SstableReader.open(path)) {
            final TableProperties properties = reader.properties();
            assertEquals(3, properties.entryCount());
            assertEquals(2, properties.keyCount());
            assertEquals(2, properties.valueCount());
            assertEquals(1, properties.tombstoneCount());
            assertEquals(1, properties.rangeTombstoneCount());
            assertEquals(1, properties.dataBlockCount());
            assertEquals(3, properties.keyBytes());
            assertEquals(5, properties.valueBytes());
            assertArrayEquals(TestEntry.bytes("b"), properties.smallestKey());
            assertArrayEquals(TestEntry.bytes("c"), properties.greatestKey());
            assertEquals(1, properties.smallestSequence());
            assertEquals(9, properties.greatestSequence());
            assertEquals("trie", properties.indexKind());
            assertEquals("a test", properties.creator());
            assertEquals("lz4", properties.compression());
            assertTrue(properties.names().contains("count.keys"));
            assertEquals(Files.size(path), reader.fileBytes());
        }
    }

    @Test
    void entryThrowsIllegalStateWhenKeysDoNotAscend() throws IOException {
        final TestEntry first = TestEntry.value("mm", 5, "");
        for (final TestEntry second : List.of(TestEntry.value("ma", 9, ""), TestEntry.value("m", 9, ""),
            TestEntry.value("", 9, ""), TestEntry.value("mm", 5, ""), TestEntry.value("mm", 6, ""))) {
            try (SstableWriter writer = begun(2, 4, 0)) {
                writer.entry(first);
                assertMessage(IllegalStateException.class, () -> writer.entry(second), "0x6d6d", "sequence 5",
                    "sequence " + second.sequence(), path.toString());
                assertThrows(IllegalStateException.class, writer::end);
            }
            assertEquals(List.of(), TestTables.names(directory));
        }
    }

    @Test
    void entryThrowsIllegalStateWhenKeysAreNotUnsigned() throws IOException {
        try (SstableWriter writer = begun(2, 2, 0)) {
            writer.entry(TestEntry.value(new byte[] {(byte) 0x80}, 1, new byte[0]));
            assertMessage(IllegalStateException.class,
                () -> writer.entry(TestEntry.value(new byte[] {0x7F}, 1, new byte[0])), "0x7f", "0x80");
        }
    }

    @Test
    void endThrowsIllegalStateWhenThereAreMoreBytesThanAnnounced() throws IOException {
        try (SstableWriter writer = begun(2, 1, 0)) {
            writer.entry(TestEntry.value("a", 1, "b"));
            assertMessage(IllegalStateException.class, writer::end, "2 bytes", "1 announced");
        }
        assertEquals(List.of(), TestTables.names(directory));
    }

    @Test
    void shouldTakeLessThanAnnounced() throws IOException {
        final List<TestEntry> entries = List.of(TestEntry.value("a", 1, "b"), TestEntry.tombstone("c", 2));
        final Path path = directory.resolve("000001.sst");
        try (SstableWriter writer = SstableWriter.create(path, SstableOptions.defaults())) {
            writer.begin(1_000_000, 1L << 40, 7);
            for (final TestEntry entry : entries) {
                writer.entry(entry);
            }
            writer.end();
        }
        try (SstableReader reader = SstableReader.open(path); EntryCursor cursor = reader.cursor()) {
            reader.verify();
            TestTables.assertWalks(entries, cursor);
            assertEquals(KeyFilter.BLOCK_BYTES, reader.filter().byteCount());
        }
        try (SstableWriter writer = SstableWriter.create(directory.resolve("000002.sst"), SstableOptions.defaults())) {
            writer.begin(1_000_000, 1L << 40, 7);
            writer.end();
        }
        try (SstableReader reader = SstableReader.open(directory.resolve("000002.sst"))) {
            assertEquals(0, reader.filter().byteCount());
        }
    }

    @Test
    void entryThrowsIllegalStateWhenThereAreMoreThanAnnounced() throws IOException {
        try (SstableWriter writer = begun(1, 2, 1)) {
            writer.entry(TestEntry.value("a", 1, "b"));
            assertMessage(IllegalStateException.class, () -> writer.entry(TestEntry.value("b", 1, "")),
                "entry 2 of 1");
        }
        try (SstableWriter writer = begun(1, 2, 1)) {
            writer.rangeTombstone(new byte[] {1}, new byte[] {2}, 1);
            assertMessage(IllegalStateException.class,
                () -> writer.rangeTombstone(new byte[] {1}, new byte[] {2}, 1),
                "range tombstone 2 of 1");
        }
    }

    @Test
    void rangeTombstoneThrowsWhenItIsOutOfOrderOrEmpty() throws IOException {
        final byte[] a = {'a'};
        final byte[] b = {'b'};
        final byte[] c = {'c'};
        try (SstableWriter writer = begun(0, 0, 2)) {
            writer.rangeTombstone(b, c, 1);
            assertMessage(IllegalStateException.class, () -> writer.rangeTombstone(a, c, 1), "0x61", "0x62");
        }
        try (SstableWriter writer = begun(1, 1, 1)) {
            writer.entry(TestEntry.value("b", 1, ""));
            assertMessage(IllegalStateException.class, () -> writer.rangeTombstone(b, c, 1),
                "after entry 0x62");
        }
        try (SstableWriter writer = begun(0, 0, 1)) {
            assertMessage(IllegalArgumentException.class, () -> writer.rangeTombstone(b, b, 1),
                "covers no key");
        }
        assertEquals(List.of(), TestTables.names(directory));
    }

    @Test
    void entryThrowsIllegalArgumentWhenALimitIsExceeded() throws IOException {
        try (SstableWriter writer = begun(1, 70_000, 0)) {
            assertMessage(IllegalArgumentException.class,
                () -> writer.entry(TestEntry.value(new byte[70_000], 1, new byte[0])), "70000", "65535");
        }
        try (SstableWriter writer = begun(1, 1, 0)) {
            assertMessage(IllegalArgumentException.class,
                () -> writer.entry(TestEntry.value("a", 1L << 56, "")), "72057594037927936");
        }
        try (SstableWriter writer = begun(1, 1, 0)) {
            assertMessage(IllegalArgumentException.class, () -> writer.entry(new HugeValue()), "2147483632");
        }
        try (SstableWriter writer = begun(1, 1, 0)) {
            assertMessage(IllegalStateException.class,
                () -> writer.entry(new TestEntry(new byte[1], 1, EntryKind.RANGE_TOMBSTONE, null, 0)),
                "not an entry");
        }
        assertEquals(List.of(), TestTables.names(directory));
    }

    /** Says that its value is one byte longer than a value may be. */
    private static final class HugeValue implements EntryView {
        @Override
        public byte[] keyBuffer() {
            return new byte[1];
        }

        @Override
        public int keyLength() {
            return 1;
        }

        @Override
        public int commonPrefix() {
            return 0;
        }

        @Override
        public long sequence() {
            return 1;
        }

        @Override
        public EntryKind kind() {
            return EntryKind.VALUE;
        }

        @Override
        public int valueLength() {
            return Integer.MAX_VALUE - 15;
        }
    }

    @Test
    void methodsThrowIllegalStateWhenCalledOutOfOrder() throws IOException {
        final SstableWriter writer = SstableWriter.create(path, SstableOptions.defaults());
        assertMessage(IllegalStateException.class, writer::end, "end", "NEW");
        assertThrows(IllegalStateException.class, () -> writer.entry(TestEntry.value("a", 1, "")));
        assertThrows(IllegalArgumentException.class, () -> writer.begin(-1, 0, 0));
        writer.begin(0, 0, 0);
        assertThrows(IllegalStateException.class, () -> writer.begin(0, 0, 0));
        writer.end();
        assertThrows(IllegalStateException.class, writer::end);
        writer.close();
        writer.close();
        assertThrows(IllegalStateException.class, () -> writer.begin(0, 0, 0));
        SstableReader.open(path).close();
    }

    @Test
    void createThrowsWhenTheNameIsTaken() throws IOException {
        Files.writeString(path, "something");
        assertMessage(FileAlreadyExistsException.class,
            () -> SstableWriter.create(path, SstableOptions.defaults()),
            path.toString());
        assertEquals("something", Files.readString(path));
        assertEquals(List.of("000001.sst"), TestTables.names(directory));
    }

    @Test
    void endThrowsWhenTheNameWasTakenMeanwhile() throws IOException {
        try (SstableWriter writer = begun(0, 0, 0)) {
            Files.writeString(path, "something");
            assertMessage(IOException.class, writer::end, path.toString(), "never overwritten");
        }
        assertEquals("something", Files.readString(path));
        assertEquals(List.of("000001.sst"), TestTables.names(directory));
    }

    @Test
    void createThrowsWhenTheDirectoryIsMissing() {
        final Path missing = directory.resolve("no").resolve("000001.sst");
        assertMessage(IOException.class, () -> SstableWriter.create(missing, SstableOptions.defaults()),
            missing.toString());
        assertFalse(Files.exists(missing.getParent()));
    }

    @Test
    void createThrowsWhenAnotherWriterIsAtWork() throws IOException {
        try (SstableWriter writer = begun(1, 2, 0)) {
            assertMessage(IOException.class, () -> SstableWriter.create(path, SstableOptions.defaults()),
                path.toString(), "another writer");
            writer.entry(TestEntry.value("a", 1, "b"));
            writer.end();
        }
        try (SstableReader reader = SstableReader.open(path)) {
            reader.verify();
            assertEquals(1, reader.entryCount());
        }
    }

    @Test
    void shouldOverwriteAStaleTemporaryFile() throws IOException {
        Files.write(directory.resolve("000001.sst.tmp"), new byte[1 << 20]);
        TestTables.write(path, SstableOptions.defaults(), List.of(TestEntry.value("a", 1, "b")));
        assertEquals(List.of("000001.sst"), TestTables.names(directory));
        assertTrue(Files.size(path) < 2000);
        try (SstableReader reader = SstableReader.open(path)) {
            reader.verify();
        }
    }

    /** Another process that writes a table of one entry. */
    static final class OtherWriter {
        private OtherWriter() {
        }

        public static void main(final String[] args) {
            try {
                TestTables.write(Path.of(args[0]), SstableOptions.defaults(), List.of(TestEntry.value("b", 1, "other")));
                System.out.println("written");
            } catch (final IOException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void shouldKeepOthersOutThoughASecondWriterOfThisProcessWasRefused() throws Exception {
        try (SstableWriter writer = begun(1, 2, 0)) {
            for (int i = 0; i < 2; i++) {
                assertMessage(IOException.class, () -> SstableWriter.create(path, SstableOptions.defaults()),
                    path.toString(), "another writer is at work");
                final Process other = ChildProcess.java(OtherWriter.class, path.toString()).start();
                final String said = other.inputReader().readLine();
                assertTrue(said.contains("another writer is at work"), said);
                assertEquals(0, other.waitFor());
            }
            writer.entry(TestEntry.value("a", 1, "1"));
            writer.end();
        }
        try (SstableReader reader = SstableReader.open(path)) {
            reader.verify();
            assertEquals("1", new String(reader.get(TestEntry.bytes("a"))));
        }
    }

    @Test
    void shouldLeaveNothingWhenClosedEarly() throws IOException {
        for (int stage = 0; stage < 3; stage++) {
            try (SstableWriter writer = SstableWriter.create(path, SstableOptions.defaults())) {
                assertEquals(List.of("000001.sst.tmp"), TestTables.names(directory));
                if (stage > 0) {
                    writer.begin(1, 2 << 20, 0);
                }
                if (stage > 1) {
                    writer.entry(TestEntry.value(new byte[1], 1, new byte[1 << 20]));
                }
            }
            assertEquals(List.of(), TestTables.names(directory));
        }
    }

    @Test
    void shouldWriteToARelativePath() throws IOException {
        final Path relative = Path.of("").toAbsolutePath().relativize(path.toAbsolutePath());
        TestTables.write(relative, SstableOptions.defaults(), List.of());
        assertTrue(Files.exists(path));
    }

    @Test
    void interruptEndsTheWritingAndLeavesNothing() throws IOException {
        try (SstableWriter writer = begun(1, 5 << 20, 0)) {
            writer.entry(TestEntry.value(new byte[0], 1, new byte[5 << 20]));
            Thread.currentThread().interrupt();
            assertThrows(IOException.class, writer::end);
            assertTrue(Thread.interrupted());
        }
        assertEquals(List.of(), TestTables.names(directory));
    }

    /** With the name given, an interrupt would tell of a failure where there is a table. */
    @Test
    void shouldForceTheDirectoryInAnInterruptedThread() throws IOException {
        Thread.currentThread().interrupt();
        try {
            SystemFileOperations.INSTANCE.forceDirectory(directory);
        } finally {
            assertTrue(Thread.interrupted(), "the interrupt status is kept");
        }
    }

    @Test
    void optionsThrowIllegalArgumentWhenOutOfRange() {
        assertMessage(IllegalArgumentException.class, () -> SstableOptions.defaults().withBlockBytes(63),
            "63",
            "64");
        assertMessage(IllegalArgumentException.class, () -> SstableOptions.defaults().withBlockBytes(2 << 20),
            "2097152");
        assertMessage(IllegalArgumentException.class,
            () -> SstableOptions.defaults().withIndexKind("x".repeat(1025)), "indexKind", "1025");
    }
}
