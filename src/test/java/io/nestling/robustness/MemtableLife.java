/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.Snapshot;
import io.nestling.memtable.WriteBatch;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableWriter;
import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** One life of a memtable: opened, filled, read in every way, flushed, and closed with a cursor and a snapshot left. */
final class MemtableLife {
    private static final int KEYS = 400;
    private static final int LIVES_IN_FULL = 4;

    private MemtableLife() {
    }

    private static byte[] key(final int i) {
        return ("key of some length " + i * 7919 % KEYS).getBytes(UTF_8);
    }

    /**
     * Lives once.
     *
     * @param directory where the table is, for a while
     * @param number number of the life; some write no table to its end
     */
    static void live(final IndexType index, final Path directory, final int number) throws IOException {
        final MemtableOptions options =
            MemtableOptions.builder().index(index).shards(2).capacityBytes(4 << 20).build();
        final Path path = TableSet.path(directory, 1);
        final Snapshot left;
        final EntryCursor cursor;
        try (Memtable memtable = Memtable.open(options);
            SstableWriter table = SstableWriter.create(path, SstableOptions.defaults())) {
            for (int i = 0; i < KEYS; i++) {
                memtable.put(key(i), new byte[100]);
            }
            left = memtable.snapshot();
            cursor = left.cursor();
            check(cursor.seek(key(1)), "a cursor finds its key");
            final WriteBatch batch = new WriteBatch();
            batch.put(key(1), new byte[10]);
            batch.delete(key(2));
            memtable.write(batch);
            memtable.deleteRange("a".getBytes(UTF_8), "b".getBytes(UTF_8));
            read(memtable);
            if (number % LIVES_IN_FULL != 0) {
                memtable.flush(table);
                try (TableSet tables = TableSet.open(directory)) {
                    check(tables.get(key(1)).length == 10, "a table has the key");
                    check(tables.get(key(2)) == null, "a table does not have the key that was deleted");
                }
            }
        }
        Files.deleteIfExists(path);
        check(!left.isClosed() || cursor != null, "the snapshot and the cursor are there until here");
    }

    private static void read(final Memtable memtable) {
        check(memtable.get(key(1)).length == 10, "a get finds its key");
        final byte[][] keys = new byte[KEYS][];
        Arrays.setAll(keys, MemtableLife::key);
        check(memtable.getAll(keys, new byte[KEYS][]) == KEYS - 1, "a batch finds its keys");
        int entries = 0;
        try (EntryCursor all = memtable.cursor()) {
            for (boolean valid = all.first(); valid; valid = all.next()) {
                entries += all.kind() == EntryKind.VALUE ? 1 : 0;
            }
        }
        check(entries == KEYS - 1, "a cursor shows all keys");
    }

    static void check(final boolean right, final String what) {
        if (!right) {
            throw new AssertionError("not so: " + what);
        }
    }
}
