/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.catalog.IndexType;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The cost of many small memtables that are open at once: microseconds to open one; of a shard, the bytes charged, the bytes that
 * the heap grew by, and the mappings of the process (negative if the system does not show them).
 */
public record ManyMemtables(double openMicros, double chargedBytes, double heapBytes, double mappings) {

    private static final Path MAPPINGS = Path.of("/proc/self/maps");
    private static final long CAPACITY_BYTES = 64L << 20;
    private static final int VALUE_BYTES = 100;
    private static final int COLLECTIONS = 3;
    private static final long PAUSE_MILLIS = 20;

    /**
     * Opens memtables, writes rows with random keys of 8 bytes and values of 100 to each, measures their cost, and closes them.
     */
    public static ManyMemtables measure(final IndexType index, final int memtables, final int shards, final int rows) {
        final MemtableOptions options =
            MemtableOptions.builder().index(index).shards(shards).capacityBytes(CAPACITY_BYTES).build();
        open(options, rows).close(); // what the process needs once
        final long heapBefore = usedHeap();
        final long mappingsBefore = countMappings();
        final List<Memtable> opened = new ArrayList<>(memtables);
        try {
            final long start = System.nanoTime();
            for (int i = 0; i < memtables; i++) {
                opened.add(Memtable.open(options));
            }
            final double nanos = System.nanoTime() - start;
            long charged = 0;
            for (int i = 0; i < memtables; i++) {
                fill(opened.get(i), rows, i);
                charged += opened.get(i).stats().reservedBytes();
            }
            final double all = (double) memtables * shards;
            final double mapped = mappingsBefore < 0 ? -1 : (countMappings() - mappingsBefore) / all;
            return new ManyMemtables(nanos / TimeUnit.MICROSECONDS.toNanos(1) / memtables, charged / all,
                (usedHeap() - heapBefore) / all, mapped);
        } finally {
            opened.forEach(Memtable::close);
        }
    }

    private static Memtable open(final MemtableOptions options, final int rows) {
        final Memtable memtable = Memtable.open(options);
        fill(memtable, rows, -1);
        return memtable;
    }

    private static void fill(final Memtable memtable, final int rows, final long seed) {
        final Random random = new Random(seed);
        final byte[] key = new byte[Long.BYTES];
        for (int i = 0; i < rows; i++) {
            random.nextBytes(key);
            memtable.put(key, new byte[VALUE_BYTES]);
        }
    }

    private static long usedHeap() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return SystemMemory.now().usedHeapBytes();
    }

    private static long countMappings() {
        try (Stream<String> lines = Files.lines(MAPPINGS)) {
            return lines.count();
        } catch (final IOException e) {
            return -1;
        }
    }
}
