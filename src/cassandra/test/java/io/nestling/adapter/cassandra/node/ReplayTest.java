/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.nestling.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A node that is killed during writes has every acknowledged one after its restart. */
class ReplayTest {
    private static final int VALUE_BYTES = 60;
    private static final long WRITE_MILLIS = 4000;
    private static final int LEAST_ROWS = 101;

    @Test
    void shouldLoseNoAcknowledgedWrite() {
        final Random random = Seeds.random("replay");
        final List<MemtableConfiguration> memtables = MemtableConfiguration.all();
        final List<Ledger> ledgers = new ArrayList<>();
        try (Node node = Node.start(
                "replay", new NodeOptions().memtables(memtables).forAllTables(memtables.get(0)).jvm("-XX:TieredStopAtLevel=1"))) {
            try (CqlSession session = node.connect()) {
                session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
                for (final MemtableConfiguration memtable : memtables) {
                    final Ledger ledger = new Ledger("k." + memtable.name(), DefaultConsistencyLevel.ONE, VALUE_BYTES);
                    ledger.create(session, memtable.name());
                    ledgers.add(ledger);
                }
                final AtomicBoolean stop = new AtomicBoolean();
                final List<CompletableFuture<Void>> writers = new ArrayList<>();
                for (final Ledger ledger : ledgers) {
                    writers.add(CompletableFuture.runAsync(() -> ledger.write(session, Integer.MAX_VALUE, stop),
                            task -> new Thread(task).start()));
                }
                Node.sleep(WRITE_MILLIS + random.nextInt(500));
                ledgers.forEach(ledger -> ledger.await(LEAST_ROWS));
                node.kill();
                stop.set(true);
                writers.forEach(CompletableFuture::join);
            }
            node.start();
            try (CqlSession session = node.connect()) {
                assertTrue(node.log().contains("Log replay complete"), "no replay");
                for (int i = 0; i < ledgers.size(); i++) {
                    final Ledger ledger = ledgers.get(i);
                    System.out.printf(Locale.ROOT, "replay: %s %d rows acknowledged%n", memtables.get(i).name(),
                            ledger.acknowledged());
                    assertEquals(List.of(), ledger.check(session), memtables.get(i).name());
                    assertEquals(List.of(), ledger.checkPartitions(session, 20, random), memtables.get(i).name());
                }
            }
        }
    }
}
