/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Three nodes of a cluster on loopback addresses, which begin with the memtables of Cassandra alone. */
final class ClusterNodes implements AutoCloseable {
    static final int NODES = 3;

    private static final String HEAP = "512m";
    /** Memory of a node: heap, memtables, and buffers and code of Cassandra off the heap beside them. */
    private static final int NODE_MIB = 1000;
    private static final int KIB_PER_MIB = 1024;
    private static final int SCHEMA_SECONDS = 30;

    private final String table;
    private final List<Node> nodes = new ArrayList<>();
    private final List<NodeOptions> options = new ArrayList<>();

    /**
     * Creates the nodes without starting them.
     *
     * @param net the first three bytes of their addresses, below 127
     * @param table the table of which {@link #status} tells, with its keyspace
     * @throws IllegalStateException if a port is taken or memory is short, with a message for operators
     */
    ClusterNodes(final String net, final String table) {
        this.table = table;
        checkMemory(NODES * NODE_MIB);
        final List<String> seeds = List.of(net + ".1");
        for (int i = 1; i <= NODES; i++) {
            final String address = net + "." + i;
            checkPorts(address);
            options.add(new NodeOptions().heap(HEAP));
            nodes.add(new Node(Installation.tested(), "node-" + i, address, seeds, options.get(i - 1)));
        }
    }

    private static void checkPorts(final String address) {
        for (final int port : new int[] {Node.STORAGE_PORT, Node.CQL_PORT}) {
            if (!Node.Addresses.isFree(address, port)) {
                throw new IllegalStateException(address + ":" + port + " is taken, perhaps by another cluster:"
                        + " end what uses it, or set NESTLING_CLUSTER_NET to a net other than "
                        + address.substring(0, address.lastIndexOf('.')));
            }
        }
    }

    private static void checkMemory(final int neededMib) {
        final Path file = Path.of("/proc/meminfo");
        if (!Files.isReadable(file)) {
            return;
        }
        try {
            final long available = Files.readAllLines(file).stream().filter(line -> line.startsWith("MemAvailable:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElse(Long.MAX_VALUE)
                    / KIB_PER_MIB;
            if (available < neededMib) {
                throw new IllegalStateException(NODES + " nodes need " + neededMib + " MiB of memory, but " + available
                        + " MiB are available: end other programs");
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void start() {
        nodes.forEach(Node::start);
    }

    /** Returns a node by its number from 1. */
    Node node(final int number) {
        return nodes.get(number - 1);
    }

    CqlSession connect() {
        return Sessions.connect(nodes.stream().map(Node::address).toList());
    }

    /** Stops a node, which drains it, adds the configuration of Nestling to its file, and starts it again. */
    void restartWithNestling(final int number) {
        final Node node = node(number);
        try (NodeManagement management = node.manage()) {
            management.drain();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        node.stop();
        options.get(number - 1).memtable(MemtableConfiguration.NESTLING);
        node.start();
    }

    /** Returns a line for each node: what it has of the table in memory, and how often that was flushed. */
    List<String> status(final CqlSession session) {
        final List<String> lines = new ArrayList<>();
        for (int i = 1; i <= NODES; i++) {
            lines.add("node " + i + "  " + node(i).address() + "  " + (node(i).isRunning() ? running(node(i), session) : "down"));
        }
        return lines;
    }

    private String running(final Node node, final CqlSession session) {
        final String[] name = table.split("\\.");
        try (NodeManagement management = node.manage()) {
            return String.format(Locale.ROOT,
                    "up  memtable '%s' with %,d bytes off the heap and %,d on it, %d flushes  (JMX port %d)",
                    memtable(node, session), management.tableMetric(name[0], name[1], "MemtableOffHeapDataSize", "Value"),
                    management.tableMetric(name[0], name[1], "MemtableOnHeapDataSize", "Value"),
                    management.tableMetric(name[0], name[1], "MemtableSwitchCount", "Count"), node.managementPort());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the name of the table's configuration, as a node knows it. */
    private String memtable(final Node node, final CqlSession session) {
        final String[] name = table.split("\\.");
        final String query = "SELECT memtable FROM system_schema.tables WHERE keyspace_name = '" + name[0]
                + "' AND table_name = '" + name[1] + "'";
        final SimpleStatement statement = SimpleStatement.newInstance(query);
        return session.getMetadata().getNodes().values().stream()
                .filter(other -> other.getEndPoint().toString().contains(node.address() + ":"))
                .findFirst().map(other -> session.execute(statement.setNode(other)).one().getString(0)).orElse("unknown");
    }

    /** Waits until all running nodes know that the table has a configuration. */
    void awaitMemtable(final CqlSession session, final String configuration) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SCHEMA_SECONDS);
        for (final Node node : nodes) {
            while (node.isRunning() && !memtable(node, session).equals(configuration)) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError(node.address() + " does not know '" + configuration + "' after " + SCHEMA_SECONDS
                            + " s");
                }
                Node.sleep(100);
            }
        }
    }

    @Override
    public void close() {
        nodes.forEach(Node::close);
    }
}
