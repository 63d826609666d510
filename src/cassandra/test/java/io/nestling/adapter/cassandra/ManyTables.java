/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.testing.Seeds;
import org.apache.cassandra.db.memtable.AbstractAllocatorMemtable;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.TrieMemtable;
import org.apache.cassandra.dht.Murmur3Partitioner;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The program of {@code bin/cassandra-smoke many}: fills the memtables of many small tables and prints what a shard takes, for
 * Cassandra's trie memtable and for Nestling.
 */
public final class ManyTables {
    private static final int TABLES = 2000;
    private static final int SHARDS = 16;
    private static final int ROWS = 64;

    private final MemtableFixture fixture = new MemtableFixture(
        TestTables.narrow(Murmur3Partitioner.instance), Seeds.random("many"), 5, 1);
    private final int tables;
    private final int shards;
    private final int rows;

    private ManyTables(final int tables, final int shards, final int rows) {
        this.tables = tables;
        this.shards = shards;
        this.rows = rows;
    }

    /**
     * Runs the program.
     *
     * @param arguments numbers of tables, of shards of each, and of rows of each, which are spread over the shards
     */
    public static void main(final String[] arguments) throws IOException {
        final int[] numbers = {TABLES, SHARDS, ROWS};
        for (int i = 0; i < arguments.length; i++) {
            numbers[i] = Integer.parseInt(arguments[i]);
        }
        final ManyTables program = new ManyTables(numbers[0], numbers[1], numbers[2]);
        final String parameter = String.valueOf(program.shards);
        System.out.printf(
            Locale.ROOT, "%d tables of %d shards, %d rows each%n%-12s %20s %20s %20s%n", program.tables, program.shards,
            program.rows,
            "memtable", "off heap, bytes/shard", "heap, bytes/shard", "mappings/shard");
        program.measure("trie", () -> CassandraProcess.create(
            TrieMemtable.factory(new HashMap<>(Map.of("shards", parameter))), program.fixture.ref, program.fixture.owner));
        program.measure("nestling", () -> program.fixture.nestling("shards", parameter));
        System.exit(0);
    }

    private void measure(final String name, final Supplier<Memtable> source) throws IOException {
        fill(source.get()); // loads classes, and allocates what all memtables share
        final long offHeap = AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used();
        final long heap = usedHeap();
        final long mappings = mappings();
        final List<Memtable> memtables = new ArrayList<>(tables);
        for (int i = 0; i < tables; i++) {
            memtables.add(fill(source.get()));
        }
        final double all = (double) tables * shards;
        System.out.printf(Locale.ROOT, "%-12s %20.0f %20.0f %20.4f%n", name,
            (AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used() - offHeap) / all, (usedHeap() - heap) / all,
            (mappings() - mappings) / all);
        memtables.forEach(MemtableFixture::discard);
    }

    private Memtable fill(final Memtable memtable) {
        for (int i = 0; i < rows; i++) {
            fixture.put(memtable, MemtableComparison.update(fixture.metadata, i));
        }
        return memtable;
    }

    static long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.count();
        }
    }

    static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
