/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.caffeine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.sstable.LiveTableSet;
import io.nestling.sstable.MergeOptions;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableReader;
import io.nestling.sstable.SstableWriter;
import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaffeineBlockCacheTest {
    private static final int KEYS = 2_000;
    private static final SstableOptions SMALL_BLOCKS = SstableOptions.defaults().withBlockBytes(1_000);

    @TempDir
    Path directory;

    private static byte[] key(final int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static byte[] value(final int number, final int table) {
        return ByteBuffer.allocate(100).putInt(number).putInt(table).array();
    }

    private void add(final LiveTableSet live, final int table) throws IOException {
        final Path path = live.nextTable();
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(IndexType.TRIE)
            .firstSequence(live.directory().greatestSequence() + 1).build());
            SstableWriter writer = SstableWriter.create(path, SMALL_BLOCKS)) {
            for (int i = 0; i < KEYS; i++) {
                memtable.put(key(i), value(i, table));
            }
            memtable.flush(writer);
        }
        live.add(path);
    }

    private static void check(final TableSet tables, final int table) throws IOException {
        for (int i = 0; i < KEYS; i++) {
            assertArrayEquals(value(i, table), tables.get(key(i)));
        }
    }

    @Test
    void shouldServeBlocksToAllSetsWithinItsBytes() throws IOException {
        final CaffeineBlockCache cache = CaffeineBlockCache.ofBytes(10 << 20);
        try (LiveTableSet live = LiveTableSet.open(directory, cache)) {
            add(live, 1);
            try (TableSet tables = live.acquire()) {
                check(tables, 1);
                final CaffeineBlockCache.Stats first = cache.stats();
                final long blocks = tables.readers().get(0).properties().dataBlockCount();
                assertEquals(blocks, first.misses(), "each block is read once");
                assertTrue(first.bytes() > KEYS * 100L && first.bytes() <= 10 << 20, first.toString());
                check(tables, 1);
                assertEquals(blocks, cache.stats().misses());
                assertTrue(cache.stats().hitRate() >= 0.5, cache.stats().toString());
            }
            try (TableSet other = TableSet.open(directory, cache); EntryCursor cursor = other.scan()) {
                int shown = 0;
                for (boolean more = cursor.last(); more; more = cursor.previous()) {
                    assertArrayEquals(value(KEYS - ++shown, 1), cursor.value());
                }
                assertEquals(KEYS, shown);
            }
            add(live, 2);
            final CaffeineBlockCache.Stats before = cache.stats();
            try (TableSet tables = live.acquire()) {
                live.merge(tables.readers(), MergeOptions.defaults().withTables(SMALL_BLOCKS), bytes -> { });
                tables.readers().get(0).verify();
                assertEquals(before, cache.stats(), "merges and verification read past it");
            }
            try (TableSet tables = live.acquire()) {
                check(tables, 2);
            }
        }
    }

    @Test
    void shouldStayWithinItsBytes() throws IOException {
        final long most = 20_000;
        final CaffeineBlockCache cache = CaffeineBlockCache.ofBytes(most);
        try (LiveTableSet live = LiveTableSet.open(directory, cache)) {
            add(live, 1);
            try (TableSet tables = live.acquire()) {
                for (int i = 0; i < KEYS; i++) {
                    assertArrayEquals(value(i, 1), tables.get(key(i)));
                    assertTrue(cache.stats().bytes() <= most, cache.stats().toString());
                }
                assertTrue(cache.stats().evictions() > 0);
            }
        }
        assertEquals("expected bytes of at least 1 but was 0",
            assertThrows(IllegalArgumentException.class, () -> CaffeineBlockCache.ofBytes(0)).getMessage());
        assertEquals(0, CaffeineBlockCache.ofBytes(1).stats().hitRate());
    }

    @Test
    void shouldRefuseReadsOfAClosedTableWhoseBlocksItHas() throws IOException {
        final CaffeineBlockCache cache = CaffeineBlockCache.ofBytes(10 << 20);
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            add(live, 1);
        }
        final SstableReader reader = SstableReader.open(directory.resolve("000001.sst"), cache);
        final EntryCursor cursor = reader.cursor();
        assertTrue(cursor.first());
        assertArrayEquals(value(7, 1), reader.get(key(7)));
        cursor.close();
        reader.close();
        assertThrows(IllegalStateException.class, () -> reader.get(key(7)));
        assertThrows(IllegalStateException.class, cursor::first);
        assertFalse(cursor.valid());
    }
}
