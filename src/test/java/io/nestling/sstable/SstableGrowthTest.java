/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.RangeTombstone;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks of every type that outgrow the buffers that they are built in, several times and at every distance. */
class SstableGrowthTest {
    private static final SstableOptions LARGE_BLOCKS = SstableOptions.defaults()
        .withBlockBytes(SstableOptions.MAX_BLOCK_BYTES).withCompression(Compression.NONE);

    @TempDir
    Path directory;
    private int tables;

    private void check(
        final SstableOptions options, final List<TestEntry> entries, final List<RangeTombstone> ranges)
        throws IOException {
        final Path path = directory.resolve(tables++ + ".sst");
        TestTables.write(path, options, entries, ranges);
        try (SstableReader reader = SstableReader.open(path); EntryCursor cursor = reader.cursor()) {
            reader.verify();
            assertEquals(ranges, reader.rangeTombstones());
            TestTables.assertWalks(entries, cursor);
        }
    }

    private static byte[] key(final int number, final int length, final int filling) {
        final byte[] key = new byte[Math.max(4, length)];
        Arrays.fill(key, (byte) filling);
        for (int i = 0; i < 4; i++) {
            key[i] = (byte) (number >>> 24 - 8 * i);
        }
        return key;
    }

    @Test
    void shouldHoldDataBlocksOfEveryLength() throws IOException {
        for (final int step : new int[] {1, 777, 60_000}) {
            final List<TestEntry> entries = new ArrayList<>();
            for (int i = 0; i < Math.min(1200, 2_000_000 / step); i++) {
                entries.add(i % 7 == 6 ? TestEntry.tombstone(key(i, step % 500, 'k'), i)
                    : TestEntry.value(key(i, step % 500, 'k'), i, key(i, step + i % 300, 'v')));
            }
            check(LARGE_BLOCKS, entries, List.of());
        }
    }

    @Test
    void shouldHoldIndexBlocksOfEveryLength() throws IOException {
        for (final int keyLength : new int[] {40, 1000, 65_535}) {
            final List<TestEntry> entries = new ArrayList<>();
            for (int i = 0; i < Math.min(1000, 8_000_000 / keyLength); i++) {
                // The keys of two blocks differ in their last byte, which the bounds need.
                final byte[] key = key(i / 2, keyLength, 'k');
                key[keyLength - 1] = (byte) (i % 2);
                entries.add(TestEntry.value(key, i, new byte[i % 5]));
            }
            check(LARGE_BLOCKS.withBlockBytes(Math.max(64, 3 * keyLength / 2)), entries, List.of());
            check(TestTables.SMALL_BLOCKS, entries, List.of());
        }
    }

    @Test
    void shouldHoldRangeTombstonesWithEndsMuchLongerThanTheirBeginnings() throws IOException {
        for (int length = 4040; length < 4100; length++) {
            check(SstableOptions.defaults(), List.of(TestEntry.value("k", 1, "v")), List.of(
                new RangeTombstone(TestEntry.bytes("a"), key('b' << 24, length, 'b'), length)));
        }
        for (final int length : new int[] {100, 6000, 10_000, 65_535}) {
            for (final SstableOptions options : List.of(SstableOptions.defaults(), LARGE_BLOCKS, TestTables.SMALL_BLOCKS)) {
                final List<RangeTombstone> ranges = new ArrayList<>();
                for (int i = 0; i < Math.min(1000, 2_000_000 / length); i++) {
                    ranges.add(new RangeTombstone(key(i, 4, 0), key(i + 1, length - i % 90, 'e'), i));
                }
                check(options, List.of(), ranges);
            }
        }
    }

    @Test
    void shouldHoldPropertiesFiltersAndDirectoriesOfManyChunks() throws IOException {
        final String name = "n".repeat(SstableOptions.MAX_NAME_LENGTH);
        check(SstableOptions.defaults().withIndexKind(name).withCreator(name), List.of(
            TestEntry.value(key(1, 65_535, 'k'), 1, new byte[0]), TestEntry.value(key(2, 65_535, 'k'), 2, new byte[0])),
            List.of());
        final List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < 220_000; i++) {
            entries.add(TestEntry.tombstone(key(i, 4, 0), i));
        }
        checkChunks(SstableOptions.defaults(), entries, TableProperties::filter);
        entries.clear();
        for (int i = 0; i < 23_000; i++) {
            entries.add(TestEntry.tombstone(String.format(Locale.ROOT, "%064d", i), i));
        }
        checkChunks(SstableOptions.defaults().withBlockBytes(64), entries, TableProperties::directory);
    }

    private void checkChunks(
        final SstableOptions options, final List<TestEntry> entries, final Function<TableProperties, ChunkedHandle> what)
        throws IOException {
        final Path path = directory.resolve(tables++ + ".sst");
        TestTables.write(path, options, entries);
        try (SstableReader reader = SstableReader.open(path)) {
            reader.verify();
            assertTrue(what.apply(reader.properties()).rawLength() > TableBlockLayout.CHUNK_BYTES);
        }
    }

    @Test
    void shouldFlushMemtablesWithManyRangeDeletes() throws IOException {
        final Random random = Seeds.random("SstableGrowthTest");
        final MemtableOptions options =
            MemtableOptions.builder().index(IndexType.TRIE).shards(1).capacityBytes(4 << 20).build();
        for (int round = 0; round < 100; round++) {
            final Path path = directory.resolve("flush" + round + ".sst");
            final List<RangeTombstone> ranges = new ArrayList<>();
            try (Memtable memtable = Memtable.open(options);
                SstableWriter writer = SstableWriter.create(path, SstableOptions.defaults())) {
                for (int i = 0; i < 400; i++) {
                    final String from = new UUID(random.nextLong(), random.nextLong()).toString();
                    final String to = from.substring(0, 35) + "g".repeat(1 + random.nextInt(5) * random.nextInt(20));
                    final long sequence = memtable.deleteRange(TestEntry.bytes(from), TestEntry.bytes(to));
                    ranges.add(new RangeTombstone(TestEntry.bytes(from), TestEntry.bytes(to), sequence));
                }
                memtable.flush(writer);
            }
            ranges.sort((left, right) -> Arrays.compareUnsigned(left.fromInclusive(), right.fromInclusive()));
            try (SstableReader reader = SstableReader.open(path)) {
                reader.verify();
                assertEquals(ranges, reader.rangeTombstones());
            }
        }
    }
}
