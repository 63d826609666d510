/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import io.nestling.catalog.IndexType;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A node that gets no memory off the heap, and what operators see of it. */
class HardTimesTest {
    private static final int ROWS = 12_000;
    private static final int VALUE_BYTES = 2000;
    private static final double LONGEST_SECONDS = 20;

    /** No native helper, and temporary files in memory: what is left are direct buffers, of which there are too few. */
    @Test
    void shouldGoOnWithoutMemoryOffTheHeapAndShowIt() throws IOException {
        final Path shared = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(shared), "no " + shared);
        final Path inMemory = Files.createTempDirectory(shared, "nestling");
        final MemtableConfiguration memtable = MemtableConfiguration.of(IndexType.MLP_INDEX, "off_heap");
        final NodeOptions options = new NodeOptions().memtable(memtable).memtableSpace("64MiB", "64MiB").periodicCommitLog()
                .jvm("-Dio.nestling.bridge=java", "-Djava.io.tmpdir=" + inMemory, "-XX:MaxDirectMemorySize=64m");
        final Ledger ledger = new Ledger("k.t", DefaultConsistencyLevel.ONE, VALUE_BYTES);
        try (Node node = Node.start("hard-times", options);
                CqlSession session = node.connect();
                NodeManagement management = node.manage()) {
            session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            ledger.create(session, memtable.name());
            ledger.write(session, ROWS, new AtomicBoolean());
            assertEquals(ROWS, ledger.acknowledged(), ledger.firstError());
            assertTrue(ledger.longestSeconds() < LONGEST_SECONDS, "a write took " + ledger.longestSeconds() + " s");
            assertEquals(List.of(), ledger.check(session));
            final String log = node.log();
            assertTrue(log.contains("Memory cannot be mapped"), "not warned at the start");
            assertTrue(log.contains("Memory off the heap was refused: writes to k.t go on in "), "not warned of the refusal");
            assertTrue(management.tableMetric("k", "t", "NestlingOverflowedWrites", "Value") > 0);
            final Row row = session.execute(
                    "SELECT * FROM nestling.memtables WHERE keyspace_name = 'k' AND table_name = 't'").one();
            assertEquals(management.tableMetric("k", "t", "MemtableOffHeapDataSize", "Value"), row.getLong("off_heap_bytes"));
            assertEquals("mlp_index", row.getString("index_type"));
            session.execute("DROP TABLE k.t");
            final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (session.execute("SELECT * FROM nestling.memtables WHERE keyspace_name = 'k'").one() != null) {
                assertTrue(System.nanoTime() < deadline, "the memtable of a dropped table stays");
                Node.sleep(50);
            }
        } finally {
            try (Stream<Path> files = Files.walk(inMemory)) {
                files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
            }
        }
    }
}
