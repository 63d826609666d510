/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.RangeSize;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Estimates against what was written. A planted fault that was seen: a bound above all keys that stops at the last block. */
class RangeSizeTest {
    private static final int ENTRIES = 3000;
    /** Blocks of 200 bytes have fewer entries, of 40 bytes each. */
    private static final int MOST_IN_A_BLOCK = 8;
    private static final int MOST_BYTES_OF_A_BLOCK = 230;

    @TempDir
    Path directory;

    private static byte[] key(final int number) {
        return TestEntry.bytes(String.format(Locale.ROOT, "key%06d", number));
    }

    private void write(final long table, final int first, final int count) throws IOException {
        final List<TestEntry> entries = new ArrayList<>();
        final Random random = new Random(table);
        for (int i = first; i < first + count; i++) {
            final byte[] value = new byte[30];
            random.nextBytes(value);
            entries.add(TestEntry.value(key(i), 10_000 * table + i, value));
        }
        TestTables.write(TableSet.path(directory, table), TestTables.SMALL_BLOCKS, entries);
    }

    @Test
    void shouldBeOffByFewBlocks() throws IOException {
        final Random random = Seeds.random("RangeSizeTest");
        write(1, 0, ENTRIES);
        try (SstableReader reader = SstableReader.open(TableSet.path(directory, 1))) {
            final RangeSize all = reader.approximateSize(null, null);
            assertEquals(ENTRIES, all.entries());
            assertTrue(all.bytes() > ENTRIES * 30 && all.bytes() < reader.fileBytes(), all.toString());
            assertEquals(all, reader.approximateSize(key(0), key(ENTRIES)));
            final double each = (double) all.bytes() / ENTRIES;
            for (int i = 0; i < 2000; i++) {
                final int from = random.nextInt(ENTRIES);
                final int to = from + random.nextInt(ENTRIES - from);
                final RangeSize size = reader.approximateSize(key(from), key(to));
                final String what = from + " to " + to + ": " + size;
                assertTrue(Math.abs(size.entries() - (to - from)) <= 2 * MOST_IN_A_BLOCK, what);
                assertTrue(Math.abs(size.bytes() - each * (to - from)) <= 3 * MOST_BYTES_OF_A_BLOCK, what); // one of the index
                assertEquals(all.bytes(), reader.approximateSize(null, key(from)).bytes() + size.bytes()
                    + reader.approximateSize(key(to), null).bytes(), what);
            }
        }
    }

    @Test
    void shouldCountNothingOutsideAndInEmptyRanges() throws IOException {
        write(1, 100, 50);
        final SstableReader reader = SstableReader.open(TableSet.path(directory, 1));
        assertEquals(RangeSize.ZERO, reader.approximateSize(null, key(100)));
        assertEquals(RangeSize.ZERO, reader.approximateSize(key(150), null));
        assertEquals(RangeSize.ZERO, reader.approximateSize(key(140), key(110)));
        assertEquals(50, reader.approximateSize(new byte[0], key(1000)).entries());
        reader.close();
        assertThrows(IllegalStateException.class, () -> reader.approximateSize(null, null));
        TestTables.write(TableSet.path(directory, 2), TestTables.SMALL_BLOCKS, List.of());
        try (SstableReader empty = SstableReader.open(TableSet.path(directory, 2))) {
            assertEquals(RangeSize.ZERO, empty.approximateSize(null, null));
            assertEquals(RangeSize.ZERO, empty.approximateSize(key(1), key(2)));
        }
    }

    @Test
    void shouldAddTheTablesOfASet() throws IOException {
        write(1, 0, 100);
        write(2, 50, 100);
        final TableSet tables = TableSet.open(directory);
        assertEquals(200, tables.approximateSize(null, null).entries());
        assertEquals(100, tables.approximateSize(null, null).entries() - tables.approximateSize(key(100), null).entries()
            - tables.approximateSize(null, key(50)).entries(), 4 * MOST_IN_A_BLOCK);
        tables.close();
        assertThrows(IllegalStateException.class, () -> tables.approximateSize(null, null));
    }
}
