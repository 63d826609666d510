/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.memtable.AbstractAllocatorMemtable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Warns, once each, of limits of the system and of Cassandra that do not fit the number of shards in the node.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
final class NodeLimits {
    private static final Logger LOGGER = LoggerFactory.getLogger(NodeLimits.class);
    private static final Path MOST_MAPPINGS = Path.of("/proc/sys/vm/max_map_count");
    private static final long MAPPINGS_PER_SHARD = 8;
    private static final long FIRST_BYTES_PER_SHARD = 8 << 10;
    /* Above this number of shards few are large at once. */
    private static final long LARGE_SHARDS = 4096;
    private static final NodeLimits OF_NODE = new NodeLimits(mostMappings(), AbstractAllocatorMemtable.MEMORY_POOL.offHeap.limit);

    private final long mostMappings;
    private final long offHeapBytes;
    private final AtomicBoolean mappingsWarned = new AtomicBoolean();
    private final AtomicBoolean memoryWarned = new AtomicBoolean();

    NodeLimits(final long mostMappings, final long offHeapBytes) {
        this.mostMappings = mostMappings;
        this.offHeapBytes = offHeapBytes;
    }

    private static long mostMappings() {
        try {
            return Long.parseLong(Files.readAllLines(MOST_MAPPINGS).get(0).strip());
        } catch (final IOException | NumberFormatException | IndexOutOfBoundsException e) {
            return Long.MAX_VALUE; // another system
        }
    }

    /** Checks the limits of this node for the memtables that it has now. */
    static void check() {
        final long shards = TableStatistics.shards();
        OF_NODE.warnOfMappings(shards);
        OF_NODE.warnOfMemory(shards);
    }

    /** Returns the warning about the limit of mappings, if it is due and was not given before; else null. */
    String warnOfMappings(final long shards) {
        final long needed = Math.min(shards, LARGE_SHARDS) * MAPPINGS_PER_SHARD;
        if (needed <= mostMappings / 2 || !mappingsWarned.compareAndSet(false, true)) {
            return null;
        }
        return log("vm.max_map_count is " + mostMappings + ": the " + shards + " shards of all memtables of Nestling may need "
            + needed + " mappings when they are large; expected a limit of at least " + 2 * needed + ", or fewer shards");
    }

    /** Returns the warning about the space of memtables off heap, if it is due and was not given before; else null. */
    String warnOfMemory(final long shards) {
        final long needed = shards * FIRST_BYTES_PER_SHARD;
        final boolean isForbidden = offHeapBytes == 0;
        if (!isForbidden && needed <= offHeapBytes / 4 || !memoryWarned.compareAndSet(false, true)) {
            return null;
        }
        return log(isForbidden
            ? "memtable_allocation_type gives memtables no memory off the heap: what memtables of Nestling take there counts as"
                + " heap; expected offheap_objects or offheap_buffers"
            : "memtable_offheap_space is " + offHeapBytes + " bytes: the " + shards + " shards of all memtables of Nestling take "
                + needed + " with a row each; expected at least " + 4 * needed + ", or fewer shards");
    }

    private static String log(final String warning) {
        LOGGER.warn(warning);
        return warning;
    }
}
