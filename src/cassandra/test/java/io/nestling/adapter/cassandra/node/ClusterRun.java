/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The program of {@code bin/cassandra-cluster}: starts three nodes as they are without Nestling, and a load on a table, then
 * obeys commands from its input, or those of a demonstration. Exits with 0 if no answer was wrong, else with 1.
 */
public final class ClusterRun {
    private static final String TABLE = "shop.orders";
    private static final int VALUE_BYTES = 200;
    private static final int RATE = 300;
    private static final int MAX_RATE = 100_000;
    private static final int MAX_SECONDS = 3600;
    private static final String HELP = String.join("\n",
            "  load N            N writes a second, and reads beside them; 0 for none",
            "  roll              restarts one node after another, with the configuration of Nestling in its cassandra.yaml",
            "  memtable NAME     ALTER TABLE " + TABLE + " WITH memtable = 'NAME': skiplist, trie or, after roll, nestling",
            "  kill N, start N   kills node N, from 1 to 3, without a flush; starts it again",
            "  status            what each node has in memory of the table",
            "  check             reads the whole table: is each acknowledged row present and right?",
            "  wait SECONDS      does nothing meanwhile",
            "  help, quit");
    private static final List<String> DEMONSTRATION = List.of(
            "load " + RATE, "wait 6", "status", "roll", "memtable nestling", "wait 6", "status", "kill 2", "wait 6", "start 2",
            "wait 6", "status", "load 0", "check", "memtable skiplist", "check", "quit");

    private final ClusterNodes cluster;
    private final CqlSession session;
    private final Ledger ledger;
    private final ClusterLoad load;
    private boolean hasNestling;

    private ClusterRun(final ClusterNodes cluster, final CqlSession session) {
        this.cluster = cluster;
        this.session = session;
        this.ledger = new Ledger(TABLE, DefaultConsistencyLevel.QUORUM, VALUE_BYTES).neverGivingUp();
        session.execute("CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}");
        ledger.create(session, "skiplist");
        this.load = new ClusterLoad(session, ledger);
    }

    /**
     * Runs the program.
     *
     * @param arguments {@code demo} for the demonstration, else none
     */
    public static void main(final String[] arguments) {
        boolean passed = false;
        try (ClusterNodes cluster = new ClusterNodes(System.getProperty("nestling.cluster.net"), TABLE)) {
            say("starting three nodes, one after another");
            cluster.start();
            try (CqlSession session = cluster.connect()) {
                final ClusterRun run = new ClusterRun(cluster, session);
                say("created " + TABLE + " WITH memtable = 'skiplist', three replicas; writes and reads ask for QUORUM");
                passed = arguments.length == 0 ? run.obeyInput() : run.obey(DEMONSTRATION);
            }
        } catch (final AssertionError | RuntimeException | IOException e) {
            System.err.println("FAILED: " + e.getMessage());
        }
        System.out.println(passed ? "PASSED" : "logs are in " + Installation.tested().nodes());
        System.exit(passed ? 0 : 1);
    }

    private boolean obey(final List<String> commands) {
        for (final String command : commands) {
            System.out.println("> " + command);
            obey(command);
        }
        return end();
    }

    private boolean obeyInput() throws IOException {
        System.out.println(HELP);
        final BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null && !line.strip().equals("quit"); line = input.readLine()) {
            try {
                obey(line.strip());
            } catch (final IllegalArgumentException | DriverException e) {
                say(e.getMessage());
            }
        }
        return end();
    }

    private boolean end() {
        load.close();
        return load.wrong() == null;
    }

    private void obey(final String command) {
        final String[] words = command.split(" +");
        final String argument = words.length > 1 ? words[1] : "";
        switch (words[0]) {
            case "load" -> load.setRate(number("load", argument, 0, MAX_RATE));
            case "roll" -> roll();
            case "memtable" -> changeMemtable(argument);
            case "kill" -> kill(number("kill", argument, 1, ClusterNodes.NODES));
            case "start" -> start(number("start", argument, 1, ClusterNodes.NODES));
            case "status" -> cluster.status(session).forEach(ClusterRun::say);
            case "check" -> check();
            case "wait" -> Node.sleep(1000L * number("wait", argument, 0, MAX_SECONDS));
            case "help" -> System.out.println(HELP);
            case "", "quit" -> {
            }
            default -> throw new IllegalArgumentException(
                    "expected load, roll, memtable, kill, start, status, check, wait, help or quit but was '" + command + "'");
        }
    }

    private static int number(final String command, final String text, final int least, final int most) {
        if (text.matches("[0-9]{1,9}") && Integer.parseInt(text) >= least && Integer.parseInt(text) <= most) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException(
                command + ": expected a number from " + least + " to " + most + " but was '" + text + "'");
    }

    private void roll() {
        if (hasNestling) {
            throw new IllegalArgumentException("all nodes have the configuration 'nestling'");
        }
        for (int i = 1; i <= ClusterNodes.NODES; i++) {
            if (!cluster.node(i).isRunning()) {
                throw new IllegalArgumentException("node " + i + " is down: start it first");
            }
        }
        for (int i = 1; i <= ClusterNodes.NODES; i++) {
            say("node " + i + ": drain, stop, add the configuration 'nestling', start");
            cluster.restartWithNestling(i);
        }
        hasNestling = true;
        say("all nodes have the configuration; the table still has its memtable");
    }

    private void changeMemtable(final String name) {
        if (!name.matches("[a-z_]+")) {
            throw new IllegalArgumentException("memtable: expected the name of a configuration but was '" + name + "'");
        }
        session.execute("ALTER TABLE " + TABLE + " WITH memtable = '" + name + "'");
        cluster.awaitMemtable(session, name);
        say("each node has flushed the table's memtable and goes on in one of '" + name + "'");
    }

    private void kill(final int number) {
        if (!cluster.node(number).isRunning()) {
            throw new IllegalArgumentException("node " + number + " is down");
        }
        cluster.node(number).kill();
        say("killed node " + number + " without a flush; the others keep hints of its writes");
    }

    private void start(final int number) {
        final Node node = cluster.node(number);
        if (node.isRunning()) {
            throw new IllegalArgumentException("node " + number + " is up");
        }
        node.start();
        node.log().lines().filter(line -> line.contains("Log replay complete")).findFirst().ifPresent(
                line -> say("node " + number + " says: " + line.substring(line.indexOf("Log replay"))));
    }

    private void check() {
        final List<String> problems = ledger.check(session);
        if (!problems.isEmpty()) {
            throw new AssertionError(problems.toString());
        }
        say("read the whole table: all " + ledger.acknowledged() + " acknowledged rows are present and right");
    }

    private static void say(final String text) {
        System.out.println("- " + text);
    }
}
