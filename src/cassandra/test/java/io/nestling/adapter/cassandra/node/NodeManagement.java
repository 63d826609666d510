/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** The operations of {@code nodetool} over JMX: flush, snapshot, drain, and metrics of a node. */
final class NodeManagement implements AutoCloseable {
    private static final String STORAGE_SERVICE = "org.apache.cassandra.db:type=StorageService";

    private final JMXConnector connector;
    private final MBeanServerConnection beans;

    NodeManagement(final int port) throws IOException {
        connector = JMXConnectorFactory.connect(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"));
        beans = connector.getMBeanServerConnection();
    }

    void flush(final String keyspace, final String... tables) {
        invoke(STORAGE_SERVICE, "forceKeyspaceFlush", new Object[] {keyspace, tables},
                new String[] {String.class.getName(), String[].class.getName()});
    }

    void compact(final String keyspace) {
        invoke(STORAGE_SERVICE, "forceKeyspaceCompaction", new Object[] {false, keyspace, new String[0]},
                new String[] {"boolean", String.class.getName(), String[].class.getName()});
    }

    void snapshot(final String tag, final String keyspace, final String... tables) {
        final String[] names = Stream.of(tables).map(table -> keyspace + "." + table).toArray(String[]::new);
        invoke(STORAGE_SERVICE, "takeSnapshot", new Object[] {tag, Map.of(), names},
                new String[] {String.class.getName(), Map.class.getName(), String[].class.getName()});
    }

    Set<?> snapshots() {
        return ((Map<?, ?>) attribute(STORAGE_SERVICE, "SnapshotDetails")).keySet();
    }

    /** Returns whether the node has noticed that another one is down. */
    boolean misses(final String address) {
        return ((List<?>) attribute(STORAGE_SERVICE, "UnreachableNodes")).stream()
                .anyMatch(node -> node.toString().startsWith(address));
    }

    void drain() {
        invoke(STORAGE_SERVICE, "drain", new Object[0], new String[0]);
    }

    /** Returns the attribute {@code Value} or {@code Count} of a table's metric, such as {@code MemtableSwitchCount}. */
    long tableMetric(final String keyspace, final String table, final String metric, final String attribute) {
        return metric("Table", keyspace, table, metric, attribute);
    }

    /** Returns the attribute of a metric of a secondary index with a table of its own. */
    long indexMetric(
            final String keyspace, final String table, final String index, final String metric, final String attribute) {
        return metric("IndexTable", keyspace, table + "." + index, metric, attribute);
    }

    private long metric(
            final String type, final String keyspace, final String scope, final String metric, final String attribute) {
        return ((Number) attribute("org.apache.cassandra.metrics:type=" + type + ",keyspace=" + keyspace + ",scope=" + scope
                + ",name=" + metric, attribute)).longValue();
    }

    /** Returns the stack traces of all threads of the node. */
    String threads() {
        try {
            final StringBuilder text = new StringBuilder();
            final ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(
                    beans, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
            for (final ThreadInfo thread : threads.dumpAllThreads(true, true)) {
                text.append('"').append(thread.getThreadName()).append("\" ").append(thread.getThreadState()).append('\n');
                for (final StackTraceElement element : thread.getStackTrace()) {
                    text.append("    ").append(element).append('\n');
                }
            }
            return text.toString();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the total time of all collectors in milliseconds. */
    long collectionMillis() {
        return ofCollectors("CollectionTime");
    }

    /** Returns the number of collections. */
    long collections() {
        return ofCollectors("CollectionCount");
    }

    private long ofCollectors(final String attribute) {
        try {
            long sum = 0;
            for (final ObjectName name : beans.queryNames(
                    new ObjectName(ManagementFactory.GARBAGE_COLLECTOR_MXBEAN_DOMAIN_TYPE + ",*"), null)) {
                sum += ((Number) beans.getAttribute(name, attribute)).longValue();
            }
            return sum;
        } catch (final IOException | JMException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the number of bytes in use on the heap after a full collection. */
    long heapAfterCollection() {
        // The second collection frees objects to which, after the first one, only the collector refers.
        invoke(ManagementFactory.MEMORY_MXBEAN_NAME, "gc", new Object[0], new String[0]);
        invoke(ManagementFactory.MEMORY_MXBEAN_NAME, "gc", new Object[0], new String[0]);
        return (Long) ((CompositeData) attribute(ManagementFactory.MEMORY_MXBEAN_NAME, "HeapMemoryUsage")).get("used");
    }

    private Object attribute(final String bean, final String name) {
        try {
            return beans.getAttribute(new ObjectName(bean), name);
        } catch (final IOException | JMException e) {
            throw new AssertionError(bean + " " + name, e);
        }
    }

    private void invoke(final String bean, final String operation, final Object[] arguments, final String[] types) {
        try {
            beans.invoke(new ObjectName(bean), operation, arguments, types);
        } catch (final IOException | JMException e) {
            throw new AssertionError(bean + " " + operation, e);
        }
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
