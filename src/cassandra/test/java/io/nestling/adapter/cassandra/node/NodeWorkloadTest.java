/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A random workload on a real node: tables with the tested memtable give the same results as their copies with a stock memtable.
 */
class NodeWorkloadTest {
    private static final double SECONDS = Double.parseDouble(System.getProperty(
            "cassandra.workload.seconds", Effort.current() == Effort.LONG ? "1800" : "24"));
    /** Statements of each configuration, at least. */
    private static final int STATEMENTS = Integer.getInteger("cassandra.workload.statements", 1500);

    /** The least part of the vectors that approximate searches of stock copies find, to be found in the tested ones. */
    private static final double LEAST_FOUND = 0.9;

    @Test
    void shouldAnswerAsAStockMemtableDoes() throws IOException {
        final List<MemtableConfiguration> memtables = MemtableConfiguration.all();
        runWorkload("node-workload", new NodeOptions().periodicCommitLog().memtables(memtables), memtables, SECONDS, false);
    }

    @Test
    void shouldAnswerAsAStockMemtableDoesWithAPartitionerThatKeepsOrder() throws IOException {
        final List<MemtableConfiguration> memtables = List.of(MemtableConfiguration.NESTLING);
        runWorkload("node-workload-ordered",
                new NodeOptions().periodicCommitLog().partitioner("ByteOrderedPartitioner").allocation("heap_buffers")
                        .memtables(memtables),
                memtables, SECONDS / 5, true);
    }

    private static void runWorkload(final String name, final NodeOptions options, final List<MemtableConfiguration> memtables,
            final double seconds, final boolean orderedTokens) throws IOException {
        final long seed = Seeds.seed(name);
        try (Node node = Node.start(name, options);
                TwinWorkload workload = new TwinWorkload(
                        node, memtables.stream().map(MemtableConfiguration::name).toList(), seed, orderedTokens)) {
            Files.writeString(node.directory().resolve("seed"), Long.toString(seed));
            workload.createSchema();
            workload.run(seconds / 2, STATEMENTS / 2);
            workload.compareAll();
            if (!orderedTokens) {
                workload.killAndReplay();
                workload.compareAll();
                workload.run(seconds / 2, STATEMENTS);
                workload.flush();
                workload.compareAll();
                workload.round();
                workload.drainAndRestart();
                workload.compareAll();
            }
            System.out.println(name + ": " + workload.summary());
            workload.refused().forEach((message, count) -> System.out.println("  " + count + " times " + message));
            assertTrue(workload.rounds() >= 2, workload.summary());
            final TwinSession.Found found = workload.found();
            assertTrue(found.tested().sum() >= found.stock().sum() * LEAST_FOUND, "nearest vectors: " + found);
            assertEquals(workload.snapshots(), workload.management().snapshots().size());
            assertFalse(node.log().contains("memtable is still read"), "an iterator was not closed");
        }
    }
}
