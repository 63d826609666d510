/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.testing.Seeds;
import org.apache.cassandra.db.memtable.AbstractAllocatorMemtable;
import org.apache.cassandra.dht.Murmur3Partitioner;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Fills memtables in a process without a native helper, whose temporary files are in memory, and prints what they took. */
final class DirectMemoryRun {
    static final int MEMTABLES = 20;
    static final int PARTITIONS = 2000;

    private DirectMemoryRun() {
    }

    /** Prints the seconds, the bytes of direct buffers, the charged bytes off heap, and the writes to the heap. */
    public static void main(final String[] arguments) {
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.narrow(Murmur3Partitioner.instance), Seeds.random("direct"), 5, 1);
        final BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();
        final long before = direct.getTotalCapacity();
        final long start = System.nanoTime();
        final List<NestlingMemtable> memtables = new ArrayList<>();
        long overflowed = 0;
        for (int i = 0; i < MEMTABLES; i++) {
            final NestlingMemtable memtable = fixture.nestling("shards", "4");
            memtables.add(memtable);
            for (int j = 0; j < PARTITIONS; j++) {
                fixture.put(memtable, MemtableComparison.update(fixture.metadata, j));
            }
            overflowed += memtable.overflowedWrites();
        }
        System.out.println("result " + (System.nanoTime() - start) / 1_000_000_000L + " " + (direct.getTotalCapacity() - before)
            + " " + AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used() + " " + overflowed);
        System.exit(memtables.stream().allMatch(memtable -> memtable.partitionCount() == PARTITIONS) ? 0 : 1);
    }
}
