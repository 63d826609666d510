/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import io.nestling.testing.Effort;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The options of a node: the variables of the template {@code cassandra.yaml}, and options of its virtual machine. */
final class NodeOptions {
    static final int COMMIT_LOG_PERIOD_MILLIS = 500;
    /* A node that runs for a minute takes longer to compile well than it saves. */
    private static final String QUICK_COMPILER = "-XX:TieredStopAtLevel=1";

    private final Map<String, String> variables = new HashMap<>();
    private final StringBuilder memtables = new StringBuilder();
    private final List<String> jvm = new ArrayList<>();

    NodeOptions() {
        variables.put("num_tokens", "4");
        variables.put("partitioner", "Murmur3Partitioner");
        variables.put("allocation", "offheap_objects");
        variables.put("commitlog_sync", "commitlog_sync: batch");
        variables.put("commitlog_space", "512MiB");
        variables.put("heap_space", "128MiB");
        variables.put("offheap_space", "128MiB");
        heap("768m");
        if (Effort.current() != Effort.LONG) {
            jvm.add(QUICK_COMPILER);
        }
    }

    /** Makes the node compile as usual, however short it runs. */
    NodeOptions compiledWell() {
        jvm.remove(QUICK_COMPILER);
        return this;
    }

    /** Sets the partitioner by the name of its class in {@code org.apache.cassandra.dht}. */
    NodeOptions partitioner(final String name) {
        variables.put("partitioner", name);
        // Tokens of an ordered partitioner are keys, so random ones would not divide the data.
        variables.put("num_tokens", "1");
        return this;
    }

    NodeOptions allocation(final String type) {
        variables.put("allocation", type);
        return this;
    }

    /** Makes the node write the commit log twice a second: faster, but a crash loses the latest acknowledged writes. */
    NodeOptions periodicCommitLog() {
        variables.put("commitlog_sync", "commitlog_sync: periodic\ncommitlog_sync_period: " + COMMIT_LOG_PERIOD_MILLIS + "ms");
        return this;
    }

    /** Sets the size of the commit log from which on memtables are flushed to shorten it. */
    NodeOptions commitLogSpace(final String size) {
        variables.put("commitlog_space", size);
        return this;
    }

    /** Sets the bounds of all memtables together, as sizes in YAML form. */
    NodeOptions memtableSpace(final String onHeap, final String offHeap) {
        variables.put("commitlog_sync", "commitlog_sync: batch");
        variables.put("heap_space", onHeap);
        variables.put("offheap_space", offHeap);
        return this;
    }

    NodeOptions heap(final String maximum) {
        jvm.removeIf(option -> option.startsWith("-Xm"));
        jvm.add("-Xms256m");
        jvm.add("-Xmx" + maximum);
        return this;
    }

    NodeOptions jvm(final String... options) {
        jvm.addAll(List.of(options));
        return this;
    }

    /** Adds an entry of {@code memtable: configurations:}. */
    NodeOptions memtable(final MemtableConfiguration configuration) {
        memtables.append(configuration.yaml("    "));
        return this;
    }

    NodeOptions memtables(final List<MemtableConfiguration> configurations) {
        configurations.forEach(this::memtable);
        return this;
    }

    /** Makes an entry the memtable of all tables that do not name one, including system tables. */
    NodeOptions forAllTables(final MemtableConfiguration configuration) {
        memtables.append("    default:\n      inherits: ").append(configuration.name()).append('\n');
        return this;
    }

    List<String> jvm() {
        return jvm;
    }

    /** Returns the template with its variables replaced. */
    String yaml(final String template, final String address, final String seeds, final String directory) {
        final Map<String, String> all = new HashMap<>(variables);
        all.put("address", address);
        all.put("seeds", seeds);
        all.put("directory", directory);
        all.put("memtables", memtables.toString().stripTrailing());
        String yaml = template.substring(template.indexOf("\ncluster_name"));
        for (final Map.Entry<String, String> variable : all.entrySet()) {
            yaml = yaml.replace("${" + variable.getKey() + "}", variable.getValue());
        }
        final int left = yaml.indexOf("${");
        if (left >= 0) {
            throw new IllegalArgumentException("not filled in: " + yaml.substring(left, Math.min(yaml.length(), left + 30)));
        }
        return yaml;
    }
}
