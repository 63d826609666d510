/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.architecture;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who may import whom. A component is a package below {@code io.nestling} with all that is below it; each
 * adapter is a component of its own. Components are listed from the lowest layer to the highest.
 */
final class PackageRules {
    /** The package that holds every component. */
    static final String ROOT = "io.nestling";

    private static final String ADAPTERS = "adapter";
    private static final Set<String> INDEXES =
            Set.of("trie", "cuckootrie", "wormhole", "mlpindex", "cocuckoo", "skiplist");

    private static final Map<String, Set<String>> ALLOWED = new HashMap<>();

    static {
        allow("bytes");
        allow("bridge");
        allow("key", "bytes");
        allow("memory", "bytes");
        allow("offheap", "memory", "bytes", "bridge");
        allow("netty", "offheap", "memory");
        allow("index", "bytes", "offheap", "memory");
        INDEXES.forEach(index -> allow(index, "index", "offheap", "memory", "bytes", "bridge"));
        allow("memtable", "index", "offheap", "memory", "key", "bytes", "bridge");
        allow("micrometer", "memtable");
        allow("sstable", "index", "bytes");
        allow("caffeine", "sstable");
        allow("workload", "key", "bytes");
        allow("catalog", "index", "offheap", "memory");
        ALLOWED.get("catalog").addAll(INDEXES);
        for (final String adapter : List.of("adapter.cassandra", "adapter.rocksdb")) {
            allow(adapter, "catalog", "memtable", "sstable", "index", "offheap", "memory", "key", "bytes");
        }
        allow("bench", "catalog", "memtable", "sstable", "index", "offheap", "memory", "key", "bytes", "bridge", "workload");
        allow("cli", "bytes", "bridge", "key", "offheap", "memory", "index", "memtable", "sstable", "workload",
                "catalog", "bench", "adapter.rocksdb");
    }

    /** Libraries by the beginning of their class names, and the components that may use them. */
    private static final Map<String, Set<String>> LIBRARIES = Map.ofEntries(
            Map.entry("net.jpountz.", Set.of("sstable")),
            Map.entry("picocli.", Set.of("cli")),
            Map.entry("org.HdrHistogram.", Set.of("bench")),
            Map.entry("io.netty.", Set.of("netty")),
            Map.entry("io.micrometer.", Set.of("micrometer")),
            Map.entry("com.github.benmanes.caffeine.", Set.of("caffeine")),
            Map.entry("org.apache.cassandra.", Set.of("adapter.cassandra")),
            Map.entry("org.slf4j.", Set.of("adapter.cassandra")),
            Map.entry("com.codahale.metrics.", Set.of("adapter.cassandra")), // of Cassandra
            Map.entry("com.google.common.collect.", Set.of("adapter.cassandra")), // types of Cassandra's fields
            Map.entry("org.rocksdb.", Set.of("adapter.rocksdb")),
            Map.entry("org.agrona.", Set.of("offheap", "index", "memtable", "sstable", "workload", "bench", "catalog", "cli",
                    "trie", "cuckootrie", "wormhole", "mlpindex", "cocuckoo", "skiplist", "adapter.cassandra",
                    "adapter.rocksdb")),
            Map.entry("sun.misc.", Set.of("offheap")));

    private static final List<String> JDK = List.of("java.", "javax.", "jdk.jfr.", "jdk.net.", "com.sun.management.");

    /** Packages inside a component that do not use its own package. */
    private static final Set<String> INNER = Set.of(ROOT + ".memtable.order");

    private PackageRules() {
    }

    /** One class that uses another. */
    record Edge(String from, String to) {
        @Override
        public String toString() {
            return from + " -> " + to;
        }
    }

    /** The edges that break a rule, each with the rule, in order. */
    static List<String> violations(final Collection<Edge> edges) {
        final Set<String> found = new TreeSet<>();
        for (final Edge edge : edges) {
            final String broken = brokenRule(edge);
            if (broken != null) {
                found.add(edge + "   (" + broken + ")");
            }
        }
        return new ArrayList<>(found);
    }

    private static String brokenRule(final Edge edge) {
        final String from = component(edge.from);
        final Set<String> allowed = ALLOWED.get(from);
        if (allowed == null) {
            return "no rule for package '" + from + "'";
        }
        if (edge.to.startsWith(ROOT + ".")) {
            final String to = component(edge.to);
            final String inner = edge.from.substring(0, edge.from.lastIndexOf('.'));
            if (INNER.contains(inner) && edge.to.startsWith(ROOT + '.' + from + '.') && !edge.to.startsWith(inner + '.')) {
                return "'" + inner + "' may not use the package around it";
            }
            return to.equals(from) || allowed.contains(to) ? null : "'" + from + "' may not use '" + to + "'";
        }
        if (JDK.stream().anyMatch(edge.to::startsWith)) {
            return null;
        }
        for (final Map.Entry<String, Set<String>> library : LIBRARIES.entrySet()) {
            if (edge.to.startsWith(library.getKey())) {
                return library.getValue().contains(from) ? null
                        : "'" + from + "' may not use " + library.getKey() + "*";
            }
        }
        return "no rule for this library";
    }

    /**
     * The component of a class: {@code trie} of {@code io.nestling.trie.view.TrieCursor}; empty for another root.
     */
    static String component(final String className) {
        if (!className.startsWith(ROOT + ".")) {
            return "";
        }
        final String[] parts = className.substring(ROOT.length() + 1).split("\\.");
        if (parts.length < 2) {
            return "";
        }
        return parts[0].equals(ADAPTERS) && parts.length > 2 ? parts[0] + "." + parts[1] : parts[0];
    }

    private static void allow(final String component, final String... used) {
        ALLOWED.put(component, new TreeSet<>(List.of(used)));
    }
}
