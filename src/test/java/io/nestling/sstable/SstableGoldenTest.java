/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.RangeTombstone;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Table files written down byte by byte: today's writer makes exactly these, and today's reader reads them. A
 * change of a golden file is a change of the format. {@code -Dgolden.rewrite=true}, run in the root of the
 * project, writes them anew.
 */
class SstableGoldenTest {
    private static final String REWRITE_PROP_NAME = "golden.rewrite";
    private static final Path SOURCES = Path.of("src", "test", "resources", "golden", "sstable");

    /* Expiries in many years, whose bytes LZ4 does not shorten. */
    private static final long FAR = 0x1123_4567_89AB_CDE3L;
    private static final long FARTHER = 0x5FED_1AC9_2765_4321L;
    private static final SstableOptions PLAIN = new SstableOptions(Compression.NONE, 200, "trie", "golden");

    @TempDir
    Path directory;

    private static List<TestEntry> plainEntries() {
        final List<TestEntry> entries = new ArrayList<>();
        entries.add(TestEntry.value("", 1, "empty key"));
        entries.add(TestEntry.value("usr/bin/awk", 300, "mawk"));
        entries.add(TestEntry.tombstone("usr/bin/awk", 20));
        entries.add(TestEntry.value("usr/bin/awk", 3, "gawk"));
        for (int i = 0; i < 16; i++) {
            entries.add(TestEntry.value("usr/bin/" + (char) ('b' + i), 100 + i, ""));
        }
        for (final long sequence : new long[] {900, 800, 700}) {
            entries.add(TestEntry.value("usr/bin/zsh", sequence, "versions of one key in three blocks "
                + "+".repeat(60)));
        }
        entries.add(TestEntry.value(new byte[] {(byte) 0xFF, 0}, (1L << 56) - 1, new byte[] {0, 1, 2}));
        return entries;
    }

    private static List<RangeTombstone> ranges() {
        return List.of(new RangeTombstone(TestEntry.bytes("usr/"), TestEntry.bytes("usr0"), 2));
    }

    /** Has blocks that shrink, one that does not, and a value that is stored apart. */
    private static List<TestEntry> packedEntries() {
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            entries.add(TestEntry.value("key" + (char) ('a' + i), i, "value value value value"));
        }
        entries.add(TestEntry.value(TestEntry.bytes("large"), 50, new byte[(64 << 10) + 1]));
        return entries;
    }

    /** Has what version 1 has, and values that expire and operands: short ones and of each one that is stored apart. */
    private static List<TestEntry> entriesOfVersion2() {
        final List<TestEntry> entries = new ArrayList<>();
        entries.add(TestEntry.value("a", 4, "plain"));
        entries.add(TestEntry.expiring(TestEntry.bytes("b"), 9, TestEntry.bytes("new"), FAR));
        entries.add(TestEntry.tombstone("b", 8));
        entries.add(TestEntry.expiring(TestEntry.bytes("b"), 7, TestEntry.bytes("old"), 0));
        entries.add(TestEntry.expiring(TestEntry.bytes("large"), 50, new byte[(64 << 10) + 1], FARTHER));
        entries.add(TestEntry.operand(TestEntry.bytes("m"), 22, new byte[(64 << 10) + 1]));
        entries.add(TestEntry.operand(TestEntry.bytes("m"), 21, TestEntry.bytes("+1")));
        return entries;
    }

    private static String golden(final String name) throws IOException {
        try (InputStream stream = SstableGoldenTest.class.getResourceAsStream("/golden/sstable/" + name)) {
            assertNotNull(stream, name + " is missing");
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8).replace("\r", "");
        }
    }

    private byte[] write(final SstableOptions options, final List<TestEntry> entries,
        final List<RangeTombstone> ranges)
        throws IOException {
        final Path path = directory.resolve("written.sst");
        TestTables.write(path, options, entries, ranges);
        return Files.readAllBytes(path);
    }

    private void assertReads(final byte[] content, final List<TestEntry> entries) throws IOException {
        final Path path = directory.resolve("golden.sst");
        Files.write(path, content);
        try (SstableReader reader = SstableReader.open(path); EntryCursor cursor = reader.cursor()) {
            reader.verify();
            TestTables.assertWalks(entries, cursor);
            assertEquals(ranges(), reader.rangeTombstones());
            assertEquals("trie", reader.properties().indexKind());
            assertEquals("golden", reader.properties().creator());
            for (final TestEntry entry : entries) {
                TestTables.assertLookup(TestTables.expected(entries, ranges(), entry.key(), entry.sequence()),
                    reader.lookup(entry.key(), entry.sequence()), entry.toString());
            }
        }
    }

    @Test
    void shouldWriteAndReadThePlainTable() throws IOException {
        final byte[] written = write(PLAIN, plainEntries(), ranges());
        final String dump = "# A table without compression; three of its data blocks share a key.\n"
            + TableDump.dump(written);
        if (Boolean.getBoolean(REWRITE_PROP_NAME)) {
            Files.writeString(SOURCES.resolve("plain.txt"), dump);
        }
        final String golden = golden("plain.txt");
        assertEquals(golden, dump);
        assertArrayEquals(TableDump.parse(golden), written);
        assertReads(TableDump.parse(golden), plainEntries());
    }

    @Test
    void shouldWriteAndReadTheTableOfVersion2() throws IOException {
        final byte[] written = write(PLAIN.withCompression(Compression.LZ4), entriesOfVersion2(), ranges());
        if (Boolean.getBoolean(REWRITE_PROP_NAME)) {
            Files.writeString(SOURCES.resolve("version2.txt"),
                "# A table with values that expire and operands.\n" + TableDump.dump(written));
        }
        final String golden = golden("version2.txt");
        final byte[] content = TableDump.parse(golden);
        assertEquals(golden.substring(golden.indexOf('\n') + 1), TableDump.dump(content));
        assertTrue(golden.contains("version 2") && golden.contains("form EXPIRING_APART") && golden.contains("form EXPIRING\n")
            && golden.contains("form OPERAND_APART") && golden.contains("form OPERAND\n"));
        assertReads(content, entriesOfVersion2());
        assertReads(written, entriesOfVersion2());
    }

    @Test
    void shouldFindAVersionThatNoEntryNeeds() throws IOException {
        final byte[] content = TableDump.parse(golden("plain.txt"));
        final int footer = content.length - Footer.BYTES;
        final BlockHandle properties = Footer.decode(
            directory, Arrays.copyOfRange(content, footer, content.length), content.length);
        System.arraycopy(Footer.encode(properties, Footer.VERSION), 0, content, footer, Footer.BYTES);
        final Path path = directory.resolve("relabelled.sst");
        Files.write(path, content);
        try (SstableReader reader = SstableReader.open(path)) {
            final String message = assertThrows(CorruptTableException.class, reader::verify).getMessage();
            assertTrue(message.contains("the footer names version 2, the entries need version 1"), message);
        }
    }

    @Test
    void shouldReadTheCompressedTable() throws IOException {
        if (Boolean.getBoolean(REWRITE_PROP_NAME)) {
            final byte[] written = write(PLAIN.withCompression(Compression.LZ4), packedEntries(), ranges());
            Files.writeString(SOURCES.resolve("lz4.txt"),
                "# A table with LZ4 and a value of 65,537 zeroes. LZ4 data of other writers may differ.\n"
                    + TableDump.dump(written));
        }
        final String golden = golden("lz4.txt");
        final byte[] content = TableDump.parse(golden);
        assertEquals(golden.substring(golden.indexOf('\n') + 1), TableDump.dump(content));
        assertTrue(golden.contains("LZ4 data") && golden.contains("compression NONE")
            && golden.contains("type VALUE"));
        assertReads(content, packedEntries());
    }
}
