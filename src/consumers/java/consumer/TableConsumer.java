/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package consumer;

import io.nestling.catalog.IndexType;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableWriter;
import io.nestling.sstable.TableSet;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Flushes a memtable into a table and reads that. */
public final class TableConsumer {
    private TableConsumer() {
    }

    public static void main(final String[] args) throws Exception {
        final Path directory = Files.createTempDirectory("nestling-consumer");
        final Path file;
        try (TableSet tables = TableSet.open(directory)) {
            file = tables.path(tables.nextNumber());
        }
        final MemtableOptions options = MemtableOptions.builder().index(IndexType.TRIE).capacityBytes(16 << 20).build();
        try (Memtable memtable = Memtable.open(options);
            SstableWriter table = SstableWriter.create(file, SstableOptions.defaults())) {
            memtable.put(bytes("key"), bytes("value"));
            memtable.flush(table);
        }
        try (TableSet tables = TableSet.open(directory)) {
            if (!"value".equals(new String(tables.get(bytes("key")), StandardCharsets.UTF_8))) {
                throw new AssertionError("the table lost a key");
            }
        }
        Files.delete(file);
        System.out.println("tables module=" + TableSet.class.getModule().getName());
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
