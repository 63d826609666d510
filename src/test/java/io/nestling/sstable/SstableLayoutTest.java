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

import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;

import net.jpountz.lz4.LZ4Factory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pieces of the format one by one, and the examples of their descriptions. */
class SstableLayoutTest {
    @TempDir
    Path directory;

    @Test
    void shouldLayOutTheExampleBlock() throws IOException {
        final Path path = directory.resolve("block");
        final byte[] content;
        try (FileOperations.OutputFile file = SystemFileOperations.INSTANCE.open(path)) {
            final BlockOutput output = new BlockOutput(file, Compression.LZ4);
            final BlockHandle handle = output.writeBlock(BlockType.VALUE, new byte[] {0x61}, 0, 1);
            assertEquals(new BlockHandle(0, 15), handle);
            output.force();
            content = Files.readAllBytes(path);
        }
        assertEquals("02 00 01000000 01000000 0E865CDE 61".replace(" ", ""),
            HexFormat.of().withUpperCase().formatHex(content));
        assertEquals(0xDE5C860E, TableBlockLayout.checksum(new CRC32C(), content, 0, 1));
    }

    @Test
    void shouldLayOutBlockHeaders() {
        assertEquals(14, TableBlockLayout.HEADER_BYTES);
        final byte[] block = new byte[20];
        TableBlockLayout.putHeader(block, 3, BlockType.PROPERTIES, Compression.LZ4, 0x01020304, 0x0A0B0C0D);
        assertEquals("000000" + "07" + "01" + "04030201" + "0d0c0b0a" + "00000000" + "000000",
            HexFormat.of().formatHex(block));
    }

    @Test
    void codesNeverChange() {
        assertArrayEquals(new BlockType[] {null, BlockType.DATA, BlockType.VALUE, BlockType.INDEX,
            BlockType.RANGE_TOMBSTONES, BlockType.FILTER, BlockType.DIRECTORY, BlockType.PROPERTIES, null},
            new BlockType[] {BlockType.of(0), BlockType.of(1), BlockType.of(2), BlockType.of(3),
            BlockType.of(4),
                BlockType.of(5), BlockType.of(6), BlockType.of(7), BlockType.of(8)});
        for (final BlockType type : BlockType.values()) {
            assertEquals(type, BlockType.of(type.code()));
        }
        assertNull(BlockType.of(-1));
        assertEquals(0, Compression.NONE.code());
        assertEquals(1, Compression.LZ4.code());
        assertEquals((5L << 2) + 3, TableEntryLayout.tag(5, TableEntryLayout.FORM_VALUE_APART));
        assertEquals((1L << 58) - 4, TableEntryLayout.tag(TableEntryLayout.MAX_SEQUENCE, TableEntryLayout.FORM_TOMBSTONE));
        assertEquals((1L << 31) - 17, TableEntryLayout.MAX_VALUE_BYTES);
    }

    @Test
    void shouldLayOutTheFooter() throws CorruptTableException {
        final byte[] footer = Footer.encode(new BlockHandle(0x1122334455L, 200), 1);
        assertEquals(28, footer.length);
        assertEquals("5544332211000000" + "c8000000", HexFormat.of().formatHex(footer, 0, 12));
        assertEquals("01000000", HexFormat.of().formatHex(footer, 16, 20));
        assertEquals("NESTLSST", new String(footer, 20, 8));
        final Path path = Path.of("table");
        final long size = 0x1122334455L + 200 + Footer.BYTES;
        assertEquals(new BlockHandle(0x1122334455L, 200), Footer.decode(path, footer, size));
        assertThrows(CorruptTableException.class, () -> Footer.decode(path, footer, size + 1));
    }

    @Test
    void shouldLayOutEntries() {
        final BlockBuilder builder = new BlockBuilder();
        final byte[] first = TestEntry.bytes("abc");
        final byte[] second = TestEntry.bytes("abde");
        builder.addKey(first, 3, builder.commonPrefix(first, 3), 1, TableEntryLayout.FORM_VALUE, 2);
        builder.addBytes(new byte[] {9, 8, 7}, 0, 2);
        builder.addKey(second, 4, builder.commonPrefix(second, 4), 100, TableEntryLayout.FORM_TOMBSTONE, 0);
        final int length = builder.finish();
        assertEquals("00" + "03" + "05" + "02" + "616263" + "0908" + "02" + "02" + "9003" + "6465"
            + "00000000" + "01000000", HexFormat.of().formatHex(builder.buffer(), 0, length));

        final BlockCursor cursor = BlockCursor.ofEntries();
        cursor.load(builder.buffer(), length);
        cursor.first();
        assertEquals(3, cursor.keyLength());
        assertEquals(2, cursor.valueLength());
        assertEquals(9, cursor.data()[cursor.valueOffset()]);
        assertTrue(cursor.next());
        assertArrayEquals(second, Arrays.copyOf(cursor.keyBuffer(), cursor.keyLength()));
        assertEquals(2, cursor.commonPrefix());
        assertEquals(100, cursor.sequence());
        assertFalse(cursor.next());
    }

    @Test
    void shouldListHandles() {
        final HandleList list = new HandleList();
        for (int i = 0; i < 10; i++) {
            list.add(new BlockHandle(i * 1000L, 14 + i));
        }
        final byte[] bytes = new byte[list.encodedLength() + 5];
        assertEquals(bytes.length, list.encode(bytes, 5));
        final HandleList copy = HandleList.decode(bytes, 5);
        assertEquals(10, copy.size());
        assertEquals(7000, copy.get(7).offset());
        assertEquals(21, copy.get(7).length());
        for (final BlockHandle wrong : List.of(new BlockHandle(9022, 14), new BlockHandle(9100, 13))) {
            final HandleList broken = HandleList.decode(bytes, 5);
            broken.add(wrong);
            final byte[] encoded = new byte[broken.encodedLength()];
            broken.encode(encoded, 0);
            assertThrows(MalformedBlockException.class, () -> HandleList.decode(encoded, 0));
        }
        bytes[5]++;
        assertThrows(MalformedBlockException.class, () -> HandleList.decode(bytes, 5));
        assertThrows(MalformedBlockException.class, () -> HandleList.decode(new byte[3], 0));
        assertThrows(MalformedBlockException.class, () -> HandleList.decode(new byte[] {-1, -1, -1, -1}, 0));
    }

    @Test
    void shouldReadWhatEachImplementationOfLz4Wrote() {
        final Random random = Seeds.random("SstableLayoutTest lz4");
        for (int round = 0; round < 200; round++) {
            final byte[] raw = new byte[1 + random.nextInt(5000)];
            for (int i = 0; i < raw.length; i++) {
                raw[i] = (byte) random.nextInt(1 + random.nextInt(20));
            }
            final byte[] packed = new byte[Lz4.maxCompressedLength(raw.length) + 3];
            final int length = Lz4.compress(raw, 0, raw.length, packed, 3);
            assertArrayEquals(raw,
                LZ4Factory.safeInstance().safeDecompressor().decompress(packed, 3, length, raw.length));

            final byte[] other = LZ4Factory.safeInstance().fastCompressor().compress(raw);
            final byte[] unpacked = new byte[raw.length + 2];
            Lz4.decompress(other, 0, other.length, unpacked, 2, raw.length);
            assertArrayEquals(raw, Arrays.copyOfRange(unpacked, 2, unpacked.length));
            assertThrows(MalformedBlockException.class,
                () -> Lz4.decompress(other, 0, other.length, new byte[raw.length + 1], 0, raw.length + 1));
            assertThrows(MalformedBlockException.class,
                () -> Lz4.decompress(other, 0, other.length, new byte[raw.length - 1], 0, raw.length - 1));
        }
    }
}
