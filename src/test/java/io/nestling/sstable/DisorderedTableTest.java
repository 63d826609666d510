/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.VisibleCursor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables whose parts are right each for itself, and have right checksums, but do not belong together. */
class DisorderedTableTest {
    private static final int KEYS = 40;

    @TempDir
    Path directory;
    private Path path;
    private TableImage image;

    /** A table of two data blocks, each with more entries than a restart interval. */
    @BeforeEach
    void writeTable() throws IOException {
        path = TableSet.path(directory, 1);
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            entries.add(TestEntry.value(key(i), KEYS - i, new byte[] {(byte) i}));
        }
        TestTables.write(path, SstableOptions.defaults().withBlockBytes(220).withCompression(Compression.NONE), entries);
        image = TableImage.of(Files.readAllBytes(path));
        assertEquals(2, image.find(BlockType.INDEX).entries.size());
        assertTrue(image.find(BlockType.DATA).entries.size() > TableEntryLayout.RESTART_INTERVAL + 1);
    }

    private static byte[] key(final int number) {
        return new byte[] {'k', (byte) ('a' + number / 10), (byte) ('0' + number % 10)};
    }

    @Test
    void imageShouldKeepTheTable() throws IOException {
        assertArrayEquals(Files.readAllBytes(path), image.toBytes());
    }

    @Test
    void nextThrowsWhenTheKeyOfAScanIsNotFoundAgain() throws IOException {
        final TableImage.Entry third = image.find(BlockType.DATA).entries.get(2);
        third.shared = 0;
        third.tail = new byte[] {'k', 'z', 'z'};
        third.unshared = third.tail.length;
        Files.write(path, image.toBytes());
        try (TableSet tables = TableSet.open(directory); EntryCursor scan = tables.scan()) {
            assertTrue(scan.last());
            while (scan.key()[1] != 'z') {
                assertTrue(scan.previous());
            }
            final UncheckedIOException e = assertThrows(UncheckedIOException.class, scan::next);
            assertEquals(CorruptTableException.class, e.getCause().getClass());
            assertTrue(e.getMessage().contains("not in order"), e.getMessage());
            assertEquals(false, scan.valid());
        }
    }

    /** The key behind an operand's is that of a key of the second block. */
    @ParameterizedTest
    @EnumSource(value = EntryKind.class, names = {"OPERAND", "VALUE"})
    void previousThrowsWhenTheOperandOfAScanIsNotFoundAgain(final EntryKind other) throws IOException {
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            entries.add(i == KEYS - 10 && other == EntryKind.VALUE ? TestEntry.value(shortKey(i), KEYS - i, new byte[] {(byte) i})
                : TestEntry.operand(shortKey(i), KEYS - i, new byte[] {(byte) i}));
        }
        Files.delete(path);
        TestTables.write(path, SstableOptions.defaults().withBlockBytes(180).withCompression(Compression.NONE), entries);
        final byte[] file = Files.readAllBytes(path);
        final int length = LittleEndian.getInt(file, TableBlockLayout.STORED_LENGTH_OFFSET);
        final BlockCursor block = BlockCursor.ofEntries(Footer.VERSION);
        block.load(Arrays.copyOfRange(file, TableBlockLayout.HEADER_BYTES, TableBlockLayout.HEADER_BYTES + length), length);
        block.last();
        final int last = block.keyBuffer()[1] - 'A';
        assertTrue(last < KEYS - 10, last + " keys");
        for (int i = TableBlockLayout.HEADER_BYTES; i < TableBlockLayout.HEADER_BYTES + length; i++) {
            if (file[i] == 'A' + last && file[i + 2] == last) {
                file[i] = shortKey(KEYS - 10)[1];
            }
        }
        LittleEndian.putInt(file, TableBlockLayout.CHECKSUM_OFFSET, TableBlockLayout.checksum(new CRC32C(), file, 0, length));
        Files.write(path, file);
        try (TableSet tables = TableSet.open(directory);
            VisibleCursor cursor = VisibleCursor.of(tables.versions(), KEYS, TestTables.RULES)) {
            final UncheckedIOException e = assertThrows(UncheckedIOException.class, () -> {
                int seen = 0;
                for (boolean more = cursor.last(); more && seen <= KEYS; more = cursor.previous()) {
                    seen++;
                }
            });
            assertTrue(e.getMessage().contains("not in order"), e.getMessage());
        }
    }

    @Test
    void verifyThrowsWhenAKindIsCountedThatIsNotThere() throws IOException {
        final byte[] file = Files.readAllBytes(path);
        final byte[] footer = Arrays.copyOfRange(file, file.length - Footer.BYTES, file.length);
        final BlockHandle handle = Footer.decode(path, footer, file.length);
        final int at = (int) handle.offset();
        final int start = at + TableBlockLayout.HEADER_BYTES;
        final int raw = LittleEndian.getInt(file, at + TableBlockLayout.RAW_LENGTH_OFFSET);
        final Map<String, byte[]> properties =
            new TreeMap<>(TableProperties.decode(Arrays.copyOfRange(file, start, start + raw), raw).asMap());
        properties.put(TableProperties.OPERAND_COUNT, new byte[] {5});
        final byte[] payload = new TableProperties(properties).encode();
        final byte[] changed = Arrays.copyOf(file, start + payload.length + Footer.BYTES);
        System.arraycopy(payload, 0, changed, start, payload.length);
        TableBlockLayout.putHeader(changed, at, BlockType.PROPERTIES, Compression.NONE, payload.length, payload.length);
        LittleEndian.putInt(changed, at + TableBlockLayout.CHECKSUM_OFFSET,
            TableBlockLayout.checksum(new CRC32C(), changed, at, payload.length));
        final BlockHandle moved = new BlockHandle(at, TableBlockLayout.HEADER_BYTES + payload.length);
        System.arraycopy(
            Footer.encode(moved, Footer.FIRST_VERSION), 0, changed, changed.length - Footer.BYTES, Footer.BYTES);
        Files.write(path, changed);
        try (SstableReader reader = SstableReader.open(path)) {
            final CorruptTableException e = assertThrows(CorruptTableException.class, reader::verify);
            assertTrue(e.getMessage().contains("count.operands"), e.getMessage());
        }
    }

    private static byte[] shortKey(final int number) {
        return new byte[] {'k', (byte) ('A' + number)};
    }

    @Test
    void openThrowsWhenTheIndexNamesADataBlockTwice() throws IOException {
        final List<TableImage.Entry> index = image.find(BlockType.INDEX).entries;
        index.get(1).handle = index.get(0).handle;
        Files.write(path, image.toBytes());
        final CorruptTableException e = assertThrows(CorruptTableException.class, () -> SstableReader.open(path));
        assertTrue(e.getMessage().contains("not behind the one before"), e.getMessage());
    }
}
