/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three nodes with three replicas: one is killed and restarted, and all writes that a majority acknowledged stay. */
class ClusterTest {
    private static final int NODES = 3;
    private static final int ROWS = Integer.getInteger("cassandra.cluster.rows", 4000);
    private static final int VALUE_BYTES = 100;
    private static final int BURST_ROWS = 50;
    private static final int BURST_PAUSE_MILLIS = 50;
    private static final int HINT_SECONDS = 60;
    private static final int NOTICE_SECONDS = 60;

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void killAll() {
        nodes.forEach(Node::close);
    }

    @Test
    void shouldKeepWhatAMajorityAcknowledgedWhenANodeIsKilledAndComesBack() {
        startNodes();
        final Ledger ledger = new Ledger("k.ledger", DefaultConsistencyLevel.QUORUM, VALUE_BYTES);
        try (CqlSession session = Sessions.connect(nodes.stream().map(Node::address).toList())) {
            session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}");
            ledger.create(session, "nestling");
            final AtomicBoolean stop = new AtomicBoolean();
            ledger.write(session, ROWS, stop);
            assertEquals(ROWS, ledger.acknowledged(), ledger.firstError());

            final CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                while (!stop.get()) {
                    ledger.write(session, BURST_ROWS, stop);
                    Node.sleep(BURST_PAUSE_MILLIS); // leaves processor time for the restart of the node
                }
            });
            Node.sleep(1000);
            nodes.get(1).kill();
            Node.sleep(3000);
            final int beforeReturn = ledger.acknowledged();
            assertTrue(beforeReturn > ROWS, "no writes while a node was away: " + ledger.firstError());
            nodes.get(1).start();
            Node.sleep(2000);
            stop.set(true);
            writer.join();
            assertEquals(List.of(), ledger.check(session), "all nodes");
            assertTrue(nodes.get(1).log().contains("Log replay complete"), "no replay");
            awaitHints();
        }
        // Now a majority needs the node that was away.
        nodes.get(2).kill();
        awaitNoticed(nodes.get(0), nodes.get(2).address());
        awaitNoticed(nodes.get(1), nodes.get(2).address());
        try (CqlSession session = Sessions.connect(List.of(nodes.get(0).address(), nodes.get(1).address()))) {
            assertEquals(List.of(), ledger.check(session), "without the third node");
            System.out.printf(Locale.ROOT, "cluster: %d rows acknowledged, %d not, longest write %.1f s%n",
                    ledger.acknowledged(), ledger.failed(), ledger.longestSeconds());
        }
    }

    private void startNodes() {
        final String seed = Node.Addresses.next();
        for (int i = 0; i < NODES; i++) {
            final NodeOptions options = new NodeOptions().memtable(MemtableConfiguration.NESTLING)
                    .forAllTables(MemtableConfiguration.NESTLING).heap("640m");
            final Node node = new Node(Installation.tested(), "cluster-" + (i + 1), i == 0 ? seed : Node.Addresses.next(),
                    List.of(seed), options);
            nodes.add(node);
            node.start();
        }
    }

    private static void awaitNoticed(final Node node, final String away) {
        final long deadline = System.nanoTime() + NOTICE_SECONDS * 1_000_000_000L;
        try (NodeManagement management = node.manage()) {
            while (!management.misses(away)) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError(node.address() + " has not noticed after " + NOTICE_SECONDS + " s");
                }
                Node.sleep(200);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until a node has handed over its hints for the one that was away. */
    private void awaitHints() {
        final long deadline = System.nanoTime() + HINT_SECONDS * 1_000_000_000L;
        while (!handedOver()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("no hints handed over after " + HINT_SECONDS + " s");
            }
            Node.sleep(500);
        }
    }

    private boolean handedOver() {
        return nodes.get(0).log().contains("Finished hinted handoff") || nodes.get(2).log().contains("Finished hinted handoff");
    }
}
