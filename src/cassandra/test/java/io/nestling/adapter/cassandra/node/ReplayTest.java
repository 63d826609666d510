/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A node that is killed during writes has every acknowledged one after its restart. */
class ReplayTest {
    private static final int VALUE_BYTES = 60;
    private static final int KILLS = Effort.count(1, 1, 200);
    /** Kills after which tables are made anew, so that reading them takes no longer and longer. */
    private static final int KILLS_OF_A_KEYSPACE = 10;
    private static final int WRITE_MILLIS = Effort.count(4000, 4000, 1000);
    private static final int LEAST_ROWS = 101;

    private final Random random = Seeds.random("replay");
    private final List<MemtableConfiguration> memtables = MemtableConfiguration.all();
    private final List<Ledger> ledgers = new ArrayList<>();

    @Test
    void shouldLoseNoAcknowledgedWrite() {
        final NodeOptions options = new NodeOptions().memtables(memtables).forAllTables(memtables.get(0));
        try (Node node = Node.start("replay", options)) {
            for (int kill = 0; kill < KILLS; kill++) {
                try (CqlSession session = node.connect()) {
                    if (kill % KILLS_OF_A_KEYSPACE == 0) {
                        create(session);
                    }
                    writeAndKill(session, node);
                }
                node.start();
                try (CqlSession session = node.connect()) {
                    assertTrue(node.log().contains("Log replay complete"), "no replay");
                    check(session, "kill " + (kill + 1) + " of " + KILLS + ", ");
                }
            }
        }
    }

    private void create(final CqlSession session) {
        ledgers.clear();
        session.execute("DROP KEYSPACE IF EXISTS k");
        session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        for (final MemtableConfiguration memtable : memtables) {
            final Ledger ledger =
                    new Ledger("k." + memtable.name(), DefaultConsistencyLevel.ONE, VALUE_BYTES).neverGivingUp();
            ledger.create(session, memtable.name());
            ledgers.add(ledger);
        }
    }

    private void writeAndKill(final CqlSession session, final Node node) {
        final int[] before = ledgers.stream().mapToInt(Ledger::acknowledged).toArray();
        final AtomicBoolean stop = new AtomicBoolean();
        final List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (final Ledger ledger : ledgers) {
            writers.add(CompletableFuture.runAsync(() -> ledger.write(session, Integer.MAX_VALUE, stop),
                    task -> new Thread(task).start()));
        }
        Node.sleep(WRITE_MILLIS + random.nextInt(500));
        for (int i = 0; i < ledgers.size(); i++) {
            ledgers.get(i).await(before[i] + LEAST_ROWS);
        }
        node.kill();
        stop.set(true);
        writers.forEach(CompletableFuture::join);
    }

    private void check(final CqlSession session, final String kill) {
        int acknowledged = 0;
        for (int i = 0; i < ledgers.size(); i++) {
            final Ledger ledger = ledgers.get(i);
            acknowledged += ledger.acknowledged();
            assertEquals(List.of(), ledger.check(session), kill + memtables.get(i).name());
            assertEquals(List.of(), ledger.checkPartitions(session, 20, random), kill + memtables.get(i).name());
        }
        System.out.println("replay: " + kill + acknowledged + " rows acknowledged, all are there");
    }
}
