/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.LookupResult;
import io.nestling.index.RangeTombstone;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables at the edges of what can be written: nothing, one entry, the longest keys, large values. */
class SstableBoundaryTest {
    @TempDir
    Path directory;

    private Path write(final SstableOptions options, final List<TestEntry> entries) throws IOException {
        final Path path = directory.resolve("table.sst");
        Files.deleteIfExists(path);
        TestTables.write(path, options, entries);
        return path;
    }

    private void check(final SstableOptions options, final List<TestEntry> entries) throws IOException {
        try (SstableReader reader = SstableReader.open(write(options,
            entries)); EntryCursor cursor = reader.cursor()) {
            reader.verify();
            TestTables.assertWalks(entries, cursor);
            for (final TestEntry entry : entries) {
                TestTables.assertLookup(TestTables.expected(entries, List.of(), entry.key(),
                    entry.sequence()),
                    reader.lookup(entry.key(), entry.sequence()), entry.toString());
            }
        }
    }

    @Test
    void shouldHoldNothing() throws IOException {
        try (SstableReader reader = SstableReader.open(write(SstableOptions.defaults(), List.of()));
            EntryCursor cursor = reader.cursor()) {
            reader.verify();
            assertEquals(0, reader.entryCount());
            assertNull(reader.get(new byte[0]));
            assertNull(reader.get(new byte[] {1}));
            assertFalse(cursor.first());
            assertFalse(cursor.last());
            assertFalse(cursor.seek(new byte[0]));
            assertFalse(cursor.seekLowerThan(new byte[] {1}));
            assertNull(reader.properties().smallestKey());
            assertNull(reader.properties().greatestKey());
            assertEquals(-1, reader.properties().smallestSequence());
            assertEquals(-1, reader.properties().greatestSequence());
        }
    }

    @Test
    void shouldHoldRangeTombstonesOnly() throws IOException {
        final Path path = directory.resolve("ranges.sst");
        final List<RangeTombstone> ranges =
            List.of(new RangeTombstone(TestEntry.bytes("b"), TestEntry.bytes("d"), 5));
        TestTables.write(path, SstableOptions.defaults(), List.of(), ranges);
        try (SstableReader reader = SstableReader.open(path)) {
            reader.verify();
            assertEquals(ranges, reader.rangeTombstones());
            assertEquals(LookupResult.Kind.TOMBSTONE, reader.lookup(TestEntry.bytes("c")).kind());
            assertEquals(LookupResult.Kind.ABSENT, reader.lookup(TestEntry.bytes("c"), 4).kind());
            assertEquals(LookupResult.Kind.ABSENT, reader.lookup(TestEntry.bytes("d")).kind());
            assertEquals(5, reader.properties().smallestSequence());
        }
    }

    @Test
    void shouldHoldARangeTombstoneWithoutEnd() throws IOException {
        final Path path = directory.resolve("endless.sst");
        final List<RangeTombstone> ranges = List.of(new RangeTombstone(new byte[0], TestEntry.bytes("b"), 4),
            new RangeTombstone(TestEntry.bytes("b"), null, 5), new RangeTombstone(TestEntry.bytes("c"), TestEntry.bytes("d"), 3));
        TestTables.write(path, SstableOptions.defaults(), List.of(TestEntry.value("c", 2, "v")), ranges);
        try (SstableReader reader = SstableReader.open(path)) {
            reader.verify();
            assertEquals(ranges, reader.rangeTombstones());
            final byte[] greatest = new byte[TableEntryLayout.MAX_KEY_BYTES];
            Arrays.fill(greatest, (byte) 0xFF);
            assertEquals(5, reader.lookup(greatest).sequence());
            assertEquals(5, reader.lookup(TestEntry.bytes("c")).sequence());
            assertEquals(3, reader.lookup(TestEntry.bytes("c"), 4).sequence());
            assertEquals(4, reader.lookup(new byte[0]).sequence());
        }
    }

    @Test
    void shouldHoldOneEntry() throws IOException {
        check(SstableOptions.defaults(), List.of(TestEntry.value("key", 1, "value")));
        check(SstableOptions.defaults(), List.of(TestEntry.value("", 0, "")));
        check(SstableOptions.defaults(), List.of(TestEntry.tombstone("", (1L << 56) - 1)));
    }

    @Test
    void shouldHoldTheLongestKeys() throws IOException {
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            final byte[] key = new byte[65_535 - i % 3];
            Arrays.fill(key, (byte) 'k');
            key[0] = (byte) i;
            key[key.length - 1] = (byte) (i * 37);
            entries.add(TestEntry.value(key, i, new byte[] {(byte) i}));
            entries.add(TestEntry.value(Arrays.copyOf(key, 10 + i), i, new byte[3]));
        }
        entries.sort(TestEntry.ORDER);
        check(SstableOptions.defaults(), entries);
        check(SstableOptions.defaults().withBlockBytes(SstableOptions.MIN_BLOCK_BYTES), entries);
        check(SstableOptions.defaults().withBlockBytes(SstableOptions.MAX_BLOCK_BYTES), entries);
    }

    @Test
    void shouldHoldTheLongestKeysThatDifferInTheLastByteOnly() throws IOException {
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            final byte[] key = new byte[65_535];
            key[key.length - 1] = (byte) (4 * i);
            entries.add(TestEntry.value(key, i, new byte[i]));
        }
        check(SstableOptions.defaults(), entries);
        check(TestTables.SMALL_BLOCKS, entries);
    }

    @Test
    void shouldHoldRunsOfZerosAndOnes() throws IOException {
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            final byte[] key = new byte[i % 150];
            Arrays.fill(key, i < 150 ? 0 : (byte) 0xFF);
            if (i != 150) {
                entries.add(TestEntry.value(key, i, key));
            }
        }
        entries.sort(TestEntry.ORDER);
        check(TestTables.SMALL_BLOCKS, entries);
    }

    @Test
    void shouldHoldValuesOfEverySizeAroundTheLimits() throws IOException {
        final Random random = Seeds.random("SstableBoundaryTest values");
        final List<TestEntry> entries = new ArrayList<>();
        final int[] sizes = {0, 1, 16 << 10, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, (256 << 10) - 1,
            256 << 10,
            (256 << 10) + 1, 512 << 10, 5 << 20};
        for (int i = 0; i < sizes.length; i++) {
            final byte[] noise = new byte[sizes[i]];
            random.nextBytes(noise);
            entries.add(TestEntry.value(TestEntry.bytes(String.format(Locale.ROOT, "noise %03d", i)), 100 + i, noise));
            entries.add(TestEntry.value(TestEntry.bytes(String.format(Locale.ROOT, "zeros %03d", i)), i,
                new byte[sizes[i]]));
        }
        entries.sort(TestEntry.ORDER);
        check(SstableOptions.defaults(), entries);
        check(SstableOptions.defaults().withCompression(Compression.NONE), entries);
    }

    @Test
    void shouldCompressLargeValues() throws IOException {
        final Path path = write(SstableOptions.defaults(),
            List.of(TestEntry.value(TestEntry.bytes("zeros"), 1, new byte[5 << 20])));
        assertTrue(Files.size(path) < 40_000, () -> path + " is large");
        try (SstableReader reader = SstableReader.open(path)) {
            assertArrayEquals(new byte[5 << 20], reader.get(TestEntry.bytes("zeros")));
            assertEquals(5 << 20, reader.properties().valueBytes());
        }
    }

    @Test
    void shouldStoreNoiseAsItIs() throws IOException {
        final Random random = Seeds.random("SstableBoundaryTest noise");
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            final byte[] noise = new byte[1000];
            random.nextBytes(noise);
            entries.add(TestEntry.value(TestEntry.bytes(String.format(Locale.ROOT, "%08d", i)), i, noise));
        }
        final Path path = write(SstableOptions.defaults(), entries);
        assertTrue(Files.size(path) < 1_050_000);
        check(SstableOptions.defaults(), entries);
    }

    @Test
    void shouldFillBlocksUpToTheTargetOnly() throws IOException {
        final Random random = Seeds.random("SstableBoundaryTest blocks");
        for (final int blockBytes : new int[] {64, 500, 4096}) {
            final List<TestEntry> entries = TestTables.randomEntries(random, 2000);
            final Path path = write(
                SstableOptions.defaults().withCompression(Compression.NONE).withBlockBytes(blockBytes),
                entries);
            final byte[] file = Files.readAllBytes(path);
            int offset = 0;
            int blocks = 0;
            while (offset < file.length - Footer.BYTES) {
                final int raw = LittleEndian.getInt(file, offset + TableBlockLayout.RAW_LENGTH_OFFSET);
                if (file[offset] == BlockType.DATA.code() && raw > blockBytes) {
                    final int restarts = LittleEndian.getInt(file, offset + TableBlockLayout.HEADER_BYTES
                        + raw - 4);
                    final BlockCursor cursor = BlockCursor.ofEntries(Footer.VERSION);
                    cursor.load(Arrays.copyOfRange(file, offset + TableBlockLayout.HEADER_BYTES,
                        offset + TableBlockLayout.HEADER_BYTES + raw), raw);
                    cursor.first();
                    assertEquals(1, restarts);
                    assertFalse(cursor.next(), "a block of " + raw + " bytes has two entries");
                }
                offset += TableBlockLayout.HEADER_BYTES
                    + LittleEndian.getInt(file, offset + TableBlockLayout.STORED_LENGTH_OFFSET);
                blocks++;
            }
            assertTrue(blocks > 10);
        }
    }

    @Test
    void shouldWorkWithAHundredThousandBlocks() throws IOException {
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < 400_000; i++) {
            entries.add(TestEntry.value(TestEntry.bytes(String.format(Locale.ROOT, "key%09d", i * 7L)), i,
                new byte[] {(byte) i}));
        }
        final Path path = write(SstableOptions.defaults().withBlockBytes(64), entries);
        try (SstableReader reader = SstableReader.open(path); EntryCursor cursor = reader.cursor()) {
            assertTrue(reader.properties().dataBlockCount() >= 100_000);
            assertTrue(reader.indexHandles().size() > 1000);
            final Random random = Seeds.random("SstableBoundaryTest many blocks");
            for (int i = 0; i < 1000; i++) {
                final int at = random.nextInt(entries.size());
                assertArrayEquals(entries.get(at).value(), reader.get(entries.get(at).key()));
                assertTrue(cursor.seek(TestEntry.bytes(String.format(Locale.ROOT, "key%09d", at * 7L - 3))));
                assertArrayEquals(entries.get(at).key(), cursor.key());
            }
            long count = 0;
            for (boolean found = cursor.last(); found; found = cursor.previous()) {
                count++;
            }
            assertEquals(entries.size(), count);
        }
    }
}
