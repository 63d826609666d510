/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.Varint;
import io.nestling.index.EntryCursor;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Crafted tables whose checksums are right and whose lengths lie: each is told as corrupt before memory is allocated that
 * is out of proportion to the file.
 */
@Timeout(120)
class SstableLengthsTest {
    /** What a reader may allocate for its buffers, however small the file. */
    private static final long BUFFER_BYTES = 24 << 20;
    private static final long FACTOR = 16;

    private static final com.sun.management.ThreadMXBean THREADS =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    Path directory;
    private Path path;
    /** Blocks of the crafted file so far. */
    private final ByteArrayOutputStream blocks = new ByteArrayOutputStream();
    private final Map<String, byte[]> properties = new TreeMap<>();

    private long addBlock(final BlockType type, final Compression compression, final byte[] raw) {
        final byte[] block = new byte[TableBlockLayout.HEADER_BYTES + Lz4.maxCompressedLength(raw.length)];
        int stored = raw.length;
        if (compression == Compression.LZ4) {
            stored = Lz4.compress(raw, 0, raw.length, block, TableBlockLayout.HEADER_BYTES);
        } else {
            System.arraycopy(raw, 0, block, TableBlockLayout.HEADER_BYTES, stored);
        }
        TableBlockLayout.putHeader(block, 0, type, compression, raw.length, stored);
        LittleEndian.putInt(block, TableBlockLayout.CHECKSUM_OFFSET,
            TableBlockLayout.checksum(new CRC32C(), block, 0, stored));
        final long offset = blocks.size();
        blocks.write(block, 0, TableBlockLayout.HEADER_BYTES + stored);
        return offset;
    }

    private ChunkedHandle addChunks(final BlockType type, final Compression compression, final byte[] raw) {
        final long start = blocks.size();
        for (int at = 0; at < raw.length; at += TableBlockLayout.CHUNK_BYTES) {
            addBlock(type, compression, Arrays.copyOfRange(raw, at, Math.min(raw.length, at + TableBlockLayout.CHUNK_BYTES)));
        }
        return new ChunkedHandle(start, blocks.size() - start, raw.length);
    }

    private static byte[] directory(final HandleList index, final HandleList ranges) {
        final byte[] directory = new byte[index.encodedLength() + ranges.encodedLength()];
        ranges.encode(directory, index.encode(directory, 0));
        return directory;
    }

    private void set(final String name, final long number) {
        properties.put(name, TableStatistics.varint(number));
    }

    /** A file of the blocks so far, with properties for an empty table where no others were set. */
    private void finish() throws IOException {
        final Map<String, byte[]> all = new TreeMap<>();
        new TableStatistics().putInto(all, new byte[0], 0);
        for (final String text : List.of(TableProperties.CREATOR, TableProperties.COMPRESSION, TableProperties.INDEX_KIND)) {
            all.put(text, new byte[0]);
        }
        for (final String key : List.of(TableProperties.SMALLEST_KEY, TableProperties.GREATEST_KEY)) {
            all.put(key, new byte[0]);
        }
        final ChunkedHandle empty = addChunks(BlockType.DIRECTORY, Compression.NONE,
            directory(new HandleList(), new HandleList()));
        all.put(TableProperties.DIRECTORY, TableProperties.encodeHandle(empty));
        all.put(TableProperties.FILTER, TableProperties.encodeHandle(new ChunkedHandle(0, 0, 0)));
        all.put(TableProperties.SMALLEST_SEQUENCE, TableStatistics.varint(1));
        all.put(TableProperties.GREATEST_SEQUENCE, TableStatistics.varint(9));
        all.putAll(properties);
        final byte[] payload = new TableProperties(all).encode();
        final long offset = addBlock(BlockType.PROPERTIES, Compression.NONE, payload);
        blocks.write(Footer.encode(new BlockHandle(offset, (int) (blocks.size() - offset)), 1));
        path = directory.resolve("crafted.sst");
        Files.write(path, blocks.toByteArray());
    }

    private interface Use {
        void of(SstableReader reader) throws IOException;
    }

    /** Opens and uses the file and checks what that allocates. */
    private void use(final Use use) throws IOException {
        final long before = THREADS.getCurrentThreadAllocatedBytes();
        try (SstableReader reader = SstableReader.open(path)) {
            use.of(reader);
        } finally {
            final long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            final long most = BUFFER_BYTES + FACTOR * Files.size(path);
            assertTrue(allocated <= most, allocated + " bytes allocated for a file of " + Files.size(path));
        }
    }

    private void assertCorrupt(final String... parts) throws IOException {
        finish();
        final CorruptTableException e = assertThrows(CorruptTableException.class, () -> use(reader -> { }));
        for (final String part : parts) {
            assertTrue(e.getMessage().contains(part), e::getMessage);
        }
    }

    private byte[] noise(final int length) {
        final byte[] noise = new byte[length];
        Seeds.random("SstableLengthsTest").nextBytes(noise);
        return noise;
    }

    @Test
    void shouldReadAnHonestTableMadeInThisWay() throws IOException {
        finish();
        use(SstableReader::verify);
    }

    @Test
    void openThrowsWhenTheFilterIsLargerThanItsEntriesNeed() throws IOException {
        addBlock(BlockType.VALUE, Compression.NONE, noise(2 << 20));
        addBlock(BlockType.VALUE, Compression.NONE, noise(2 << 20));
        set(TableProperties.VALUE_COUNT, 90);
        properties.put(TableProperties.FILTER,
            TableProperties.encodeHandle(new ChunkedHandle(0, blocks.size(), 1 << 30)));
        final int stored = blocks.size();
        assertCorrupt("filter", Integer.toString(1 << 30), stored + " bytes cannot hold");
    }

    @Test
    void openThrowsWhenTheFilterIsCompressed() throws IOException {
        set(TableProperties.VALUE_COUNT, 100_000_000);
        properties.put(TableProperties.FILTER,
            TableProperties.encodeHandle(addChunks(BlockType.FILTER, Compression.LZ4, new byte[100 << 20])));
        assertCorrupt("filter", Integer.toString(100 << 20));
    }

    @Test
    void openThrowsWhenTheFilterIsThereButForFewEntries() throws IOException {
        set(TableProperties.VALUE_COUNT, 90);
        properties.put(TableProperties.FILTER,
            TableProperties.encodeHandle(addChunks(BlockType.FILTER, Compression.NONE, noise(64 << 10))));
        assertCorrupt("filter of 65536 bytes for 90 entries", "2 bytes an entry");
    }

    @Test
    void openThrowsWhenTheDirectoryIsLargerThanItsBlocksNeed() throws IOException {
        properties.put(TableProperties.DIRECTORY,
            TableProperties.encodeHandle(addChunks(BlockType.DIRECTORY, Compression.LZ4, new byte[100 << 20])));
        assertCorrupt("directory of " + (100 << 20) + " bytes");
    }

    @Test
    void openThrowsWhenARangeTombstoneBlockIsListedTwice() throws IOException {
        final BlockBuilder builder = new BlockBuilder();
        final byte[] key = new byte[60_000];
        builder.addKey(key, key.length, 0, 1, TableEntryLayout.FORM_RANGE_TOMBSTONE, 1);
        builder.addBytes(new byte[] {1}, 0, 1);
        final byte[] raw = Arrays.copyOf(builder.buffer(), builder.finish());
        final long offset = addBlock(BlockType.RANGE_TOMBSTONES, Compression.LZ4, raw);
        final HandleList ranges = new HandleList();
        for (int i = 0; i < 20_000; i++) {
            ranges.add(new BlockHandle(offset, (int) (blocks.size() - offset)));
        }
        set(TableProperties.RANGE_TOMBSTONE_COUNT, 20_000);
        // Bytes that make the directory small in proportion.
        addBlock(BlockType.VALUE, Compression.NONE, noise(2 << 20));
        properties.put(TableProperties.DIRECTORY, TableProperties.encodeHandle(
            addChunks(BlockType.DIRECTORY, Compression.LZ4, directory(new HandleList(), ranges))));
        assertCorrupt("directory", "is not behind the one before");
    }

    /** Of keys that are almost the same only their last bytes stand in the block; each one takes its whole length in memory. */
    @Test
    void openThrowsWhenRangeTombstonesShareKeysBeyondARestartPoint() throws IOException {
        final ByteArrayOutputStream entries = new ByteArrayOutputStream();
        final byte[] first = new byte[60_000];
        entry(entries, 0, first);
        for (int i = 1; i < 20_000; i++) {
            entry(entries, first.length, new byte[0]);
        }
        entries.write(new byte[] {0, 0, 0, 0, 1, 0, 0, 0});
        final long offset = addBlock(BlockType.RANGE_TOMBSTONES, Compression.NONE, entries.toByteArray());
        final HandleList ranges = new HandleList();
        ranges.add(new BlockHandle(offset, (int) (blocks.size() - offset)));
        set(TableProperties.RANGE_TOMBSTONE_COUNT, 20_000);
        properties.put(TableProperties.DIRECTORY, TableProperties.encodeHandle(
            addChunks(BlockType.DIRECTORY, Compression.NONE, directory(new HandleList(), ranges))));
        assertCorrupt("range tombstone 16 of the block shares 60000 bytes");
    }

    private static void entry(final ByteArrayOutputStream entries, final int shared, final byte[] tail) {
        for (final long number : new long[] {
            shared, tail.length, TableEntryLayout.tag(1, TableEntryLayout.FORM_RANGE_TOMBSTONE), 1}) {
            entries.writeBytes(TableStatistics.varint(number));
        }
        entries.writeBytes(tail);
        entries.write(1);
    }

    @Test
    void readsThrowWhenAValueIsLargerThanItsChunks() throws IOException {
        final Path honest = directory.resolve("honest.sst");
        TestTables.write(honest, SstableOptions.defaults().withCompression(Compression.NONE),
            List.of(TestEntry.value(TestEntry.bytes("k"), 1, noise(8 << 20))));
        // The header of the only entry: "shared", "unshared", tag, then the length of the value.
        final byte[] table = Files.readAllBytes(honest);
        int start = 0;
        while (table[start] != BlockType.DATA.code()) {
            start += TableBlockLayout.HEADER_BYTES + LittleEndian.getInt(table, start + TableBlockLayout.STORED_LENGTH_OFFSET);
        }
        final int at = start + TableBlockLayout.HEADER_BYTES + 3;
        // As many bytes for the number as before, so that all else stays where it is.
        final int numberBytes = Varint.length(8 << 20);
        assertEquals(at + numberBytes, Varint.write(table, at, (1 << 7 * numberBytes) - 1));
        final int stored = LittleEndian.getInt(table, start + TableBlockLayout.STORED_LENGTH_OFFSET);
        LittleEndian.putInt(table, start + TableBlockLayout.CHECKSUM_OFFSET,
            TableBlockLayout.checksum(new CRC32C(), table, start, stored));
        path = directory.resolve("crafted.sst");
        Files.write(path, table);
        assertThrows(CorruptTableException.class, () -> use(reader -> reader.get(TestEntry.bytes("k"))));
        final UncheckedIOException e = assertThrows(UncheckedIOException.class, () -> use(reader -> {
            try (EntryCursor cursor = reader.cursor()) {
                cursor.first();
                cursor.value();
            }
        }));
        assertInstanceOf(CorruptTableException.class, e.getCause());
    }

    @Test
    void openThrowsWhenCountsOrSequenceNumbersAreOutOfRange() throws IOException {
        set(TableProperties.VALUE_COUNT, Long.MAX_VALUE);
        set(TableProperties.TOMBSTONE_COUNT, 1);
        assertCorrupt("too many");
        properties.clear();
        blocks.reset();
        set(TableProperties.GREATEST_SEQUENCE, 1L << 56);
        assertCorrupt("sequence numbers", Long.toString(1L << 56));
        blocks.reset();
        set(TableProperties.GREATEST_SEQUENCE, 0);
        assertCorrupt("sequence numbers from 1 to 0");
    }

    /** Each number of each handle in the properties takes each extreme value. */
    @Test
    void openThrowsWhenAHandleOfThePropertiesLies() throws IOException {
        addBlock(BlockType.VALUE, Compression.NONE, noise(1 << 20));
        final byte[] payload = blocks.toByteArray();
        final long[] extremes = Effort.current() == Effort.QUICK ? new long[] {-1, Long.MAX_VALUE, 255L << 20, 1L << 20, 1}
            : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE, 1L << 30, 255L << 20, 1L << 20, 1};
        int found = 0;
        for (final String name : List.of(TableProperties.DIRECTORY, TableProperties.FILTER)) {
            for (final long offset : extremes) {
                for (final long stored : extremes) {
                    for (final long raw : extremes) {
                        blocks.reset();
                        blocks.writeBytes(payload);
                        set(TableProperties.VALUE_COUNT, Long.MAX_VALUE);
                        properties.put(name, TableProperties.encodeHandle(new ChunkedHandle(offset, stored, raw)));
                        assertCorrupt();
                        found++;
                    }
                }
            }
            properties.clear();
        }
        assertEquals(2 * extremes.length * extremes.length * extremes.length, found);
    }

    /** Random bytes of an index, directory, range tombstone, filter or properties block become extreme. */
    @Test
    void shouldAllocateInProportionWhateverNumbersSay() throws IOException {
        final Random random = Seeds.random("SstableLengthsTest random");
        final List<TestEntry> entries = new ArrayList<>(TestTables.randomEntries(random, 300));
        final Path honest = directory.resolve("honest.sst");
        TestTables.write(honest, SstableOptions.defaults().withBlockBytes(200).withCompression(Compression.NONE), entries,
            TestTables.randomRanges(random, 60, 1000));
        final byte[] table = Files.readAllBytes(honest);
        path = directory.resolve("crafted.sst");
        for (int round = Effort.count(600, 2000, 2000); round > 0; round--) {
            final byte[] crafted = table.clone();
            final List<Integer> starts = new ArrayList<>();
            for (int at = 0; at < table.length - Footer.BYTES;
                at += TableBlockLayout.HEADER_BYTES + LittleEndian.getInt(table, at + TableBlockLayout.STORED_LENGTH_OFFSET)) {
                if (table[at] != BlockType.DATA.code() || random.nextInt(8) == 0) {
                    starts.add(at);
                }
            }
            final int start = starts.get(random.nextInt(starts.size()));
            final int stored = LittleEndian.getInt(table, start + TableBlockLayout.STORED_LENGTH_OFFSET);
            final int at = start + TableBlockLayout.HEADER_BYTES + random.nextInt(stored);
            final int length = Math.min(1 + random.nextInt(8), start + TableBlockLayout.HEADER_BYTES + stored - at);
            Arrays.fill(crafted, at, at + length, (byte) (random.nextBoolean() ? 0x7F : 0xFF));
            crafted[at + length - 1] &= 0x7F; // the end of a varint
            LittleEndian.putInt(crafted, start + TableBlockLayout.CHECKSUM_OFFSET,
                TableBlockLayout.checksum(new CRC32C(), crafted, start, stored));
            Files.write(path, crafted);
            try {
                use(reader -> {
                    try (EntryCursor cursor = reader.cursor()) {
                        for (boolean more = cursor.first(); more; more = cursor.next()) {
                            cursor.value();
                        }
                    }
                    reader.verify();
                });
            } catch (final UncheckedIOException e) {
                assertInstanceOf(CorruptTableException.class, e.getCause());
            } catch (final CorruptTableException e) {
                // As it should be.
            }
        }
    }
}
