/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.index.LookupResult;
import io.nestling.index.RangeTombstone;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableRangeTombstonesTest {
    @TempDir
    Path directory;

    @Test
    void shouldFindTheNewestRangeAroundAKey() {
        final Random random = Seeds.random("TableRangeTombstonesTest");
        for (int size = 0; size < 60; size++) {
            final List<RangeTombstone> ranges = TestTables.randomRanges(random, size, 50);
            final TableRangeTombstones index = new TableRangeTombstones(ranges);
            for (int i = 0; i < 200; i++) {
                final byte[] key = TestTables.randomKey(random, List.of());
                final long limit = random.nextInt(60);
                long expected = TableRangeTombstones.NONE;
                for (final RangeTombstone range : ranges) {
                    if (range.covers(key) && range.sequence() <= limit) {
                        expected = Math.max(expected, range.sequence());
                    }
                }
                final byte[] padded = Arrays.copyOf(key, key.length + 5);
                assertEquals(expected, index.newestCovering(padded, key.length, limit), Arrays.toString(key));
            }
        }
    }

    @Test
    void shouldComeBackFromATable() throws IOException {
        final Random random = Seeds.random("TableRangeTombstonesTest table");
        for (final int size : new int[] {1, 16, 17, 300}) {
            final List<RangeTombstone> ranges = TestTables.randomRanges(random, size, 1L << 50);
            final Path path = directory.resolve(size + ".sst");
            TestTables.write(path, TestTables.SMALL_BLOCKS, List.of(TestEntry.value("b", 1L << 55, "c")),
                ranges);
            try (SstableReader reader = SstableReader.open(path)) {
                reader.verify();
                assertEquals(ranges, reader.rangeTombstones());
                assertEquals(1L << 55, reader.properties().greatestSequence());
            }
        }
    }

    @Test
    void shouldHideOlderVersionsOnly() throws IOException {
        final Path path = directory.resolve("hide.sst");
        TestTables.write(path, SstableOptions.defaults(),
            List.of(TestEntry.value("k", 30, "new"), TestEntry.value("k", 20, "same"),
            TestEntry.value("k", 10, "old")),
            List.of(new RangeTombstone(TestEntry.bytes("k"), TestEntry.bytes("l"), 20)));
        try (SstableReader reader = SstableReader.open(path)) {
            final byte[] key = TestEntry.bytes("k");
            assertEquals("new", new String(reader.get(key)));
            assertEquals("same", new String(reader.get(key, 29)));
            assertEquals("old", new String(reader.get(key, 19)));
            assertEquals(LookupResult.ABSENT, reader.lookup(key, 9));
            assertEquals(LookupResult.ABSENT, reader.lookup(TestEntry.bytes("l")));
            assertEquals(LookupResult.Kind.TOMBSTONE, reader.lookup(TestEntry.bytes("kk")).kind());
            assertEquals(20, reader.lookup(TestEntry.bytes("kk")).sequence());
        }
    }
}
