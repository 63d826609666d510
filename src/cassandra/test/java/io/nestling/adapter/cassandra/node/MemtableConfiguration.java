/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import io.nestling.catalog.IndexType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An entry of {@code memtable: configurations:} in {@code cassandra.yaml}.
 *
 * @param name the name in {@code WITH memtable = '...'}
 * @param className class of the memtable
 * @param parameters its parameters
 */
record MemtableConfiguration(String name, String className, Map<String, String> parameters) {
    static final String NESTLING_CLASS = "io.nestling.adapter.cassandra.NestlingMemtable";
    static final MemtableConfiguration NESTLING = new MemtableConfiguration("nestling", NESTLING_CLASS, Map.of());

    /** System property: a class that replaces Nestling's, without parameters, to run the tests on a stock memtable. */
    private static final String SUBSTITUTE = System.getProperty("nestling.cassandra.substitute");
    /** System property: names of the configurations to test, separated by commas; by default all. */
    private static final String SELECTED = System.getProperty("cassandra.memtables");
    private static final List<String> STORAGES = List.of("off_heap", "partitions_on_heap");

    /** Returns the configuration of Nestling with an index and a storage. */
    static MemtableConfiguration of(final IndexType index, final String storage) {
        return new MemtableConfiguration("nestling_" + index.indexName() + "_" + storage, NESTLING_CLASS,
                Map.of("index", index.indexName(), "storage", storage));
    }

    /** Returns the indexes that the memtable supports. */
    static List<IndexType> ordered() {
        return Arrays.stream(IndexType.values()).filter(IndexType::ordered).toList();
    }

    /** Returns all configurations: the default, then every index with every storage. */
    static List<MemtableConfiguration> all() {
        final List<MemtableConfiguration> all = new ArrayList<>(List.of(NESTLING));
        for (final IndexType index : ordered()) {
            for (final String storage : STORAGES) {
                all.add(of(index, storage));
            }
        }
        if (SELECTED != null) {
            final List<String> names = List.of(SELECTED.split(","));
            all.removeIf(configuration -> !names.contains(configuration.name()));
        }
        return all;
    }

    String yaml(final String indent) {
        final StringBuilder yaml = new StringBuilder();
        yaml.append(indent).append(name).append(":\n");
        if (SUBSTITUTE != null) {
            return yaml.append(indent).append("  class_name: ").append(SUBSTITUTE).append('\n').toString();
        }
        yaml.append(indent).append("  class_name: ").append(className).append('\n');
        if (!parameters.isEmpty()) {
            yaml.append(indent).append("  parameters:\n");
            new TreeMap<>(parameters).forEach((key, value) ->
                    yaml.append(indent).append("    ").append(key).append(": ").append(value).append('\n'));
        }
        return yaml.toString();
    }
}
