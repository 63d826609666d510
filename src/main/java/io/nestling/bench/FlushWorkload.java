/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableWriter;
import io.nestling.workload.KeySet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes all entries in order to a table file with LZ4 blocks and forces it to the device. The result is the number of entries;
 * the table's writer checks that their keys ascend and are as long as those announced.
 */
record FlushWorkload(WorkloadType type, KeySet keys) implements Workload {
    @Override
    public int chunks() {
        return 1;
    }

    @Override
    public int operations(final int thread, final int chunk) {
        return keys.size();
    }

    @Override
    public long expected(final int thread, final int chunk) {
        return keys.size();
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
        try (SstableWriter writer = SstableWriter.create(table, SstableOptions.defaults())) {
            if (type != WorkloadType.FLUSH) {
                target.subject().freeze();
            }
            return target.subject().flush(writer, keys.keyBytes());
        } catch (final IllegalStateException e) {
            throw new BenchmarkException(
                target.name() + " gave a wrong answer in " + type.workloadName() + ": " + e.getMessage(), e);
        } finally {
            Files.deleteIfExists(table);
            Files.delete(directory);
        }
    }
}
