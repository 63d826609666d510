/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableWriter;
import io.nestling.workload.KeySet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes entries in order to a table file with LZ4 blocks, each with a value of eight bytes: all entries, or the first
 * ones of very many. This includes forcing the file to the device.
 */
final class FlushWorkload implements Workload {
    /* Greatest number of entries of a repeated flush. */
    private static final int MAX_ENTRIES = 1 << 20;

    private final WorkloadType type;
    private final SortedKeys sorted;
    private final int entries;
    private final long keyBytes;

    /**
     * Prepares a flush.
     *
     * @param sorted all loaded keys, at least one
     * @param type a first flush writes all entries, a repeated one only the first of very many
     */
    FlushWorkload(final SortedKeys sorted, final WorkloadType type) {
        this.type = type;
        this.sorted = sorted;
        final KeySet keys = sorted.keys();
        this.entries = type == WorkloadType.FIRST_FLUSH ? keys.size() : Math.min(keys.size(), MAX_ENTRIES);
        this.keyBytes = keys.slice(0, entries).keyBytes();
    }

    @Override
    public int chunks() {
        return 1;
    }

    @Override
    public int operations(final int thread, final int chunk) {
        return entries;
    }

    @Override
    public long expected(final int thread, final int chunk) {
        return sorted.digest(0, entries);
    }

    @Override
    public ChunkRunner open(final Target target, final int thread) {
        return chunk -> {
            try {
                return write(target);
            } catch (final IOException e) {
                throw new BenchmarkException(type.workloadName() + " of " + target.name() + " failed: " + e.getMessage(), e);
            }
        };
    }

    private long write(final Target target) throws IOException {
        final Path directory = Files.createTempDirectory("nestling-bench");
        final Path table = directory.resolve("table.sst");
        try (EntryCursor cursor = target.ordered().cursor();
            SstableWriter writer = SstableWriter.create(table, SstableOptions.defaults())) {
            final ValueView view = new ValueView(cursor);
            writer.begin(entries, keyBytes + (long) entries * Long.BYTES, 0);
            int left = entries;
            for (boolean valid = cursor.first(); valid; valid = --left > 0 && cursor.next()) {
                writer.entry(view);
            }
            writer.end();
            return view.sum;
        } catch (final IllegalStateException e) {
            throw new BenchmarkException(
                target.name() + " gave a wrong answer in " + type.workloadName() + ": " + e.getMessage(), e);
        } finally {
            Files.deleteIfExists(table);
            Files.delete(directory);
        }
    }

    /** The entry of a cursor, with its payload as a value of eight bytes. */
    private static final class ValueView extends ForwardedCursor {
        private long sum;

        ValueView(final EntryCursor cursor) {
            super(cursor);
        }

        @Override
        public int valueLength() {
            return Long.BYTES;
        }

        @Override
        public int copyValue(final byte[] destination, final int offset) {
            sum += Payloads.digest(cursor());
            final long payload = cursor().payload();
            for (int i = 0; i < Long.BYTES; i++) {
                destination[offset + i] = (byte) (payload >>> i * Byte.SIZE);
            }
            return Long.BYTES;
        }

        @Override
        public long sequence() {
            return 1;
        }

        @Override
        public EntryKind kind() {
            return EntryKind.VALUE;
        }
    }
}
