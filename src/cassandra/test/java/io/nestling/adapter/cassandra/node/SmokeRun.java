/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * The program of {@code bin/cassandra-smoke}: writes and reads a table with Nestling on one node, flushes it, kills the node, and
 * reads everything again, with a line for each step. Exits with 0 if everything is right, else with 1.
 */
public final class SmokeRun {
    private static final int ROWS = 20_000;
    private static final int MORE_ROWS = 5_000;
    private static final int VALUE_BYTES = 50;
    private static final int PARTITIONS = 200;

    private final Node node;
    private final Ledger ledger = new Ledger("smoke.test", DefaultConsistencyLevel.ONE, VALUE_BYTES);

    private SmokeRun(final Node node) {
        this.node = node;
    }

    /**
     * Runs the program.
     *
     * @param arguments none
     */
    public static void main(final String[] arguments) {
        final Installation installation = Installation.tested();
        final NodeOptions options = new NodeOptions().memtable(MemtableConfiguration.NESTLING);
        boolean passed = false;
        try (Node node = new Node(installation, "node", Node.Addresses.next(), List.of(), options)) {
            new SmokeRun(node).run();
            passed = true;
        } catch (final AssertionError | RuntimeException e) {
            System.err.println("FAILED: " + e.getMessage());
        }
        System.out.println(passed ? "PASSED" : "logs are in " + installation.nodes());
        System.exit(passed ? 0 : 1);
    }

    private void run() {
        say("starting a node");
        node.start();
        try (CqlSession session = node.connect(); NodeManagement management = node.manage()) {
            session.execute("CREATE KEYSPACE smoke WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            ledger.create(session, "nestling");
            say("created smoke.test WITH memtable = 'nestling'");
            write(session, ROWS);
            check(session, "from the memtable");
            management.flush("smoke", "test");
            say("flushed: " + tableFiles() + " table files in " + node.directory().resolve("data"));
            check(session, "from the table files");
            session.execute("ALTER TABLE smoke.test WITH memtable = 'skiplist'");
            session.execute("ALTER TABLE smoke.test WITH memtable = 'nestling'");
            say("changed to the memtable 'skiplist' and back");
            write(session, MORE_ROWS);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        node.kill();
        say("killed the node; starting it again");
        node.start();
        node.log().lines().filter(line -> line.contains("Log replay complete")).findFirst().ifPresentOrElse(
                line -> say("the node says: " + line.substring(line.indexOf("Log replay"))),
                () -> {
                    throw new AssertionError("the commit log was not replayed");
                });
        try (CqlSession session = node.connect()) {
            check(session, "after the replay");
        }
        node.stop();
        say("stopped the node");
    }

    private void write(final CqlSession session, final int rows) {
        final long begin = System.nanoTime();
        final int before = ledger.acknowledged();
        ledger.write(session, rows, new AtomicBoolean());
        if (ledger.acknowledged() - before != rows) {
            throw new AssertionError((rows - ledger.acknowledged() + before) + " writes failed: " + ledger.firstError());
        }
        say(String.format(Locale.ROOT, "wrote %d rows in %.1f s", rows, (System.nanoTime() - begin) / 1e9));
    }

    private void check(final CqlSession session, final String where) {
        final List<String> wrong = ledger.check(session);
        wrong.addAll(ledger.checkPartitions(session, PARTITIONS, new Random(1)));
        if (!wrong.isEmpty()) {
            throw new AssertionError(where + ": " + wrong);
        }
        say("read all " + ledger.acknowledged() + " rows " + where + ": right");
    }

    private long tableFiles() {
        try (Stream<Path> files = Files.walk(node.directory().resolve("data").resolve("smoke"))) {
            return files.filter(file -> file.toString().endsWith("-Data.db")).count();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void say(final String text) {
        System.out.println("- " + text);
    }
}
