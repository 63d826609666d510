/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.nestling.index.EntryCursor;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.zip.CRC32C;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Damaged files: each damage is found, and named, and nothing else goes wrong because of it. */
@Timeout(120)
class SstableCorruptionTest {
    /* A plain build changes a fourth of the bytes, other ones each time. */
    private static final int STEP = Effort.count(4, 1, 1);

    @TempDir
    Path directory;
    private Path path;

    @BeforeEach
    void setPath() {
        path = directory.resolve("damaged.sst");
    }

    /** A small table that has blocks of every type, and several of most. */
    private byte[] smallTable(final Compression compression, final Random random) throws IOException {
        final List<TestEntry> entries = new ArrayList<>(TestTables.randomEntries(random, 100));
        final byte[] large = new byte[(256 << 10) + 500];
        for (int i = 0; i < large.length; i += 3000) {
            large[i] = (byte) i;
        }
        if (compression == Compression.LZ4) {
            entries.add(TestEntry.value(new byte[] {'l'}, 1 << 20, large));
            entries.sort(TestEntry.ORDER);
        }
        final Path whole = directory.resolve("whole.sst");
        Files.deleteIfExists(whole);
        TestTables.write(whole, SstableOptions.defaults().withBlockBytes(128).withCompression(compression),
            entries,
            TestTables.randomRanges(random, 20, 1000));
        try (SstableReader reader = SstableReader.open(whole)) {
            reader.verify();
            assertTrue(reader.properties().dataBlockCount() > 8);
            assertTrue(reader.indexHandles().size() > 1);
            assertTrue(reader.rangeHandles().size() > 1);
        }
        return Files.readAllBytes(whole);
    }

    /**
     * Makes the file have a content, in place: file systems take their time for files that are cut and
     * written anew.
     */
    private void put(final byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE,
            StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(content), 0);
            channel.truncate(content.length);
        }
    }

    private CorruptTableException assertFound(final byte[] damaged, final String what) throws IOException {
        put(damaged);
        try (SstableReader reader = SstableReader.open(path)) {
            reader.verify();
        } catch (final CorruptTableException e) {
            assertTrue(e.getMessage().contains(path.toString()), e::getMessage);
            assertEquals(path.toAbsolutePath(), e.path());
            return e;
        } catch (final IOException | RuntimeException | Error e) {
            throw new AssertionError(what + ": not told as corruption", e);
        }
        return fail(what + " was not found");
    }

    @Test
    void shouldFindEachFlippedByte() throws IOException {
        final Random random = Seeds.random("SstableCorruptionTest bytes");
        for (final Compression compression : Compression.values()) {
            final byte[] table = smallTable(compression, random);
            for (int i = random.nextInt(STEP); i < table.length; i += STEP) {
                final byte before = table[i];
                table[i] ^= (byte) (1 + random.nextInt(255));
                assertFound(table, "change of byte " + i + " of " + table.length);
                table[i] = before;
            }
        }
    }

    @Test
    void shouldFindEachFlippedBit() throws IOException {
        final Random random = Seeds.random("SstableCorruptionTest bits");
        final byte[] table = smallTable(Compression.LZ4, random);
        for (int i = random.nextInt(3 * STEP); i < table.length; i += 3 * STEP) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                table[i] ^= (byte) (1 << bit);
                assertFound(table, "change of bit " + bit + " of byte " + i);
                table[i] ^= (byte) (1 << bit);
            }
        }
    }

    @Test
    void shouldFindEachTruncation() throws IOException {
        final byte[] table = smallTable(Compression.LZ4, Seeds.random("SstableCorruptionTest lengths"));
        for (int length = 0; length < table.length; length++) {
            assertFound(Arrays.copyOf(table, length), "truncation to " + length + " bytes");
        }
        for (int more = 1; more < 100; more++) {
            assertFound(Arrays.copyOf(table, table.length + more), more + " bytes more");
        }
    }

    @Test
    void shouldFindBlocksThatChangedPlaces() throws IOException {
        final Random random = Seeds.random("SstableCorruptionTest places");
        final byte[] table = smallTable(Compression.NONE, random);
        final List<Integer> starts = blockStarts(table);
        int swaps = 0;
        for (int i = 0; i + 1 < starts.size(); i++) {
            final int from = starts.get(i);
            final int to = starts.get(i + 1);
            final int end = i + 2 < starts.size() ? starts.get(i + 2) : table.length - Footer.BYTES;
            final byte[] damaged = table.clone();
            System.arraycopy(table, to, damaged, from, end - to);
            System.arraycopy(table, from, damaged, from + end - to, to - from);
            assertFound(damaged, "swap of blocks " + i + " and " + (i + 1));
            swaps++;
        }
        assertTrue(swaps > 10);
    }

    @Test
    void shouldFindZeroedRanges() throws IOException {
        final byte[] table = smallTable(Compression.LZ4, Seeds.random("SstableCorruptionTest zeroes"));
        for (int from = 0; from < table.length; from += 97) {
            final byte[] damaged = table.clone();
            Arrays.fill(damaged, from, Math.min(table.length, from + 512), (byte) 0);
            assertFound(damaged, "zeroes from " + from);
        }
    }

    /**
     * Damage with right checksums: what a reader is told may be nonsense, but it must come as corruption or
     * as a wrong answer, not as an exception of another kind, an endless loop or an allocation out of
     * proportion.
     */
    @Test
    void shouldStayCalmWhenChecksumsAreRightAndContentIsWrong() throws IOException {
        final Random random = Seeds.random("SstableCorruptionTest content");
        final byte[][] whole = new byte[2][];
        int found = 0;
        final int rounds = 2000;
        for (int round = 0; round < rounds; round++) {
            final Compression compression = round % 2 == 0 ? Compression.NONE : Compression.LZ4;
            if (round % 400 < 2) {
                whole[round % 2] = smallTable(compression, random);
            }
            final byte[] table = whole[round % 2].clone();
            final List<Integer> starts = blockStarts(table);
            final int start = starts.get(random.nextInt(starts.size()));
            final int stored = LittleEndian.getInt(table, start + TableBlockLayout.STORED_LENGTH_OFFSET);
            for (int i = 0; i <= random.nextInt(3); i++) {
                final int at = start + (random.nextInt(10) == 0
                    ? random.nextInt(TableBlockLayout.STORED_LENGTH_OFFSET)
                    : TableBlockLayout.HEADER_BYTES + random.nextInt(stored));
                table[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : table[at] + 1);
            }
            LittleEndian.putInt(table, start + TableBlockLayout.CHECKSUM_OFFSET,
                TableBlockLayout.checksum(new CRC32C(), table, start, stored));
            put(table);
            found += readEverything(random) ? 1 : 0;
        }
        assertTrue(found > rounds / 2, "only " + found + " of " + rounds);
    }

    /** Tells whether some read said that the table is corrupt. */
    private boolean readEverything(final Random random) throws IOException {
        boolean found = false;
        try (SstableReader reader = SstableReader.open(path)) {
            try (EntryCursor cursor = reader.cursor()) {
                int count = 0;
                for (boolean more = cursor.first(); more && count < 10_000; more = cursor.next()) {
                    cursor.value();
                    count++;
                }
                for (boolean more = cursor.last(); more && count < 20_000; more = cursor.previous()) {
                    count++;
                }
                assertTrue(count < 20_000, "the cursor goes on and on");
            } catch (final UncheckedIOException e) {
                assertEquals(CorruptTableException.class, e.getCause().getClass());
                found = true;
            }
            for (int i = 0; i < 10; i++) {
                found |= lookup(reader, random);
            }
            reader.verify();
        } catch (final CorruptTableException e) {
            return true;
        }
        return found;
    }

    private static boolean lookup(final SstableReader reader, final Random random) throws IOException {
        try {
            reader.lookup(TestTables.randomKey(random, List.of()), random.nextInt(1000));
            reader.cursor().seekLowerThan(TestTables.randomKey(random, List.of()));
            return false;
        } catch (final UncheckedIOException e) {
            assertEquals(CorruptTableException.class, e.getCause().getClass());
            return true;
        } catch (final CorruptTableException e) {
            return true;
        }
    }

    private static List<Integer> blockStarts(final byte[] table) {
        final List<Integer> starts = new ArrayList<>();
        int offset = 0;
        while (offset < table.length - Footer.BYTES) {
            starts.add(offset);
            offset += TableBlockLayout.HEADER_BYTES
                + LittleEndian.getInt(table, offset + TableBlockLayout.STORED_LENGTH_OFFSET);
        }
        return starts;
    }

    @Test
    void shouldNameFileBlockAndProblem() throws IOException {
        final byte[] table = smallTable(Compression.LZ4, Seeds.random("SstableCorruptionTest names"));
        final List<Integer> starts = blockStarts(table);
        int dataBlocks = 0;
        for (int number = 0; number < starts.size(); number++) {
            final int start = starts.get(number);
            final byte[] damaged = table.clone();
            damaged[start + TableBlockLayout.HEADER_BYTES] ^= 1;
            final CorruptTableException e = assertFound(damaged, "change in block " + number);
            assertEquals(start, e.blockOffset(), e::getMessage);
            assertTrue(e.getMessage().contains("at offset " + start + " ")
                || e.getMessage().contains("at offset " + start + ":"),
                e::getMessage);
            assertTrue(e.getMessage().contains("checksum"), e::getMessage);
            if (table[start] == BlockType.DATA.code()) {
                assertEquals(number, e.blockNumber());
                assertTrue(e.getMessage().contains("block " + number + " at offset"), e::getMessage);
                dataBlocks++;
            }
        }
        assertTrue(dataBlocks > 8);
    }

    @Test
    void shouldTellAnotherVersionAndAnotherFormat() throws IOException {
        final byte[] table = smallTable(Compression.LZ4, Seeds.random("SstableCorruptionTest version"));
        table[table.length - 12] = 3;
        assertTrue(assertFound(table, "version 3").getMessage().contains("version 3 is not supported, only 1 to 2"));
        table[table.length - 1] ^= 1;
        assertTrue(assertFound(table, "magic").getMessage().contains("not those of a table file"));
        assertTrue(assertFound(new byte[27], "27 bytes").getMessage().contains("27 bytes"));
    }

    @Test
    void lookupAndCursorThrowWhenABlockIsDamaged() throws IOException {
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            entries.add(TestEntry.value(TestEntry.bytes(String.format(Locale.ROOT, "%04d", i)), i, new byte[10]));
        }
        TestTables.write(path, TestTables.SMALL_BLOCKS, entries);
        final byte[] table = Files.readAllBytes(path);
        table[20] ^= 4;
        Files.write(path, table);
        try (SstableReader reader = SstableReader.open(path); EntryCursor cursor = reader.cursor()) {
            final CorruptTableException e =
                assertThrows(CorruptTableException.class, () -> reader.get(TestEntry.bytes("0000")));
            assertEquals(0, e.blockOffset());
            assertEquals(CorruptTableException.UNKNOWN, e.blockNumber());
            assertArrayEquals(new byte[10], reader.get(TestEntry.bytes("0099")));
            final UncheckedIOException unchecked = assertThrows(UncheckedIOException.class, cursor::first);
            assertEquals(CorruptTableException.class, unchecked.getCause().getClass());
            assertEquals(false, cursor.valid());
            assertTrue(cursor.last());
            assertThrows(UncheckedIOException.class, () -> {
                while (cursor.previous()) {
                    assertTrue(cursor.valid());
                }
            });
            assertEquals(false, cursor.valid());
        }
    }

    @Test
    void openThrowsWhenTheFileIsMissing() {
        final IOException e = assertThrows(IOException.class, () -> SstableReader.open(path));
        assertTrue(e.getMessage().contains(path.toString()));
        assertThrows(IOException.class, () -> SstableReader.open(directory));
    }
}
