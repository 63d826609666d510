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
import io.nestling.index.RangeTombstone;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limit of deleted keys of a scan over tables. */
class TableScanLimitTest {
    private static final int[] LIMITS = {1, 3, 33, 1_000};

    @TempDir
    Path directory;

    private final TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);

    /** Three tables with versions, mostly deletes, and with a range that deletes keys of older tables. */
    private void writeTables(final Random random) throws IOException {
        for (int table = 1; table <= 3; table++) {
            final TreeSet<TestEntry> entries = new TreeSet<>(TestEntry.ORDER);
            for (int i = 0; i < 200; i++) {
                final String key = String.format(Locale.ROOT, "%03d", random.nextInt(300));
                final long sequence = 1_000L * table + i;
                entries.add(random.nextInt(4) > 0 ? TestEntry.tombstone(key, sequence) : TestEntry.value(key, sequence, key));
                keys.add(TestEntry.bytes(key));
            }
            TestTables.write(TableSet.path(directory, table), TestTables.SMALL_BLOCKS, new ArrayList<>(entries),
                List.of(new RangeTombstone(TestEntry.bytes("07"), TestEntry.bytes("09"), 1_000L * table)));
        }
    }

    @Test
    void shouldStopAtTheLimitAndShowEachLiveKeyOnce() throws IOException {
        writeTables(Seeds.random("TableScanLimitTest"));
        try (TableSet tables = TableSet.open(directory)) {
            final TreeSet<byte[]> live = new TreeSet<>(Arrays::compareUnsigned);
            try (EntryCursor all = tables.scan()) {
                while (live.isEmpty() ? all.first() : all.next()) {
                    live.add(all.key());
                }
            }
            assertTrue(live.size() > 20 && keys.size() > 2 * live.size());
            for (final int limit : LIMITS) {
                scan(tables, live, limit, true);
                scan(tables, live, limit, false);
            }
            assertThrows(IllegalArgumentException.class, () -> tables.scan(0));
        }
    }

    private void scan(final TableSet tables, final TreeSet<byte[]> live, final int limit, final boolean forward) {
        final List<byte[]> expected = new ArrayList<>(keys);
        if (!forward) {
            Collections.reverse(expected);
        }
        EntryCursor cursor = tables.scan(limit);
        boolean found = forward ? cursor.first() : cursor.last();
        int passed = 0;
        for (final byte[] key : expected) {
            if (live.contains(key)) {
                assertTrue(found);
                assertFalse(cursor.isIncomplete());
                assertArrayEquals(key, cursor.key());
                assertArrayEquals(key, cursor.value());
                assertEquals(EntryKind.VALUE, cursor.kind());
                found = forward ? cursor.next() : cursor.previous();
                passed = 0;
            } else if (passed++ == limit) {
                assertFalse(found);
                assertTrue(cursor.isIncomplete());
                final byte[] from = cursor.continuationKey();
                assertArrayEquals(forward ? key : Arrays.copyOf(key, key.length + 1), from);
                if (key[2] % 2 == 0) {
                    cursor.close();
                    cursor = tables.scan(limit);
                }
                found = forward ? cursor.seek(from) : cursor.seekLowerThan(from);
                passed = 1;
            }
        }
        assertFalse(found);
        assertFalse(cursor.isIncomplete());
        cursor.close();
    }
}
