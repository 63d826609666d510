/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import io.nestling.catalog.IndexType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The arguments of {@link EndToEndBenchmark}: settings of the form {@code name=value}, and names of memtables. */
final class BenchmarkOptions {
    private static final List<String> ALLOCATIONS =
            List.of("unslabbed_heap_buffers", "heap_buffers", "offheap_buffers", "offheap_objects");
    private static final List<String> COLLECTORS = List.of("g1", "serial", "parallel");

    /** Names of numbers, with the default, the least and the greatest value of each. */
    private static final Map<String, long[]> NUMBERS = new LinkedHashMap<>();

    static {
        NUMBERS.put("rows", new long[] {60_000, 1, 999_999_999});
        NUMBERS.put("width", new long[] {1, 1, 1_000_000});
        NUMBERS.put("value", new long[] {32, 1, 1 << 20});
        NUMBERS.put("rounds", new long[] {5, 1, 1000});
        NUMBERS.put("warmup", new long[] {10, 1, 1000});
        NUMBERS.put("heap", new long[] {2048, 256, 65_536});
        NUMBERS.put("offheap", new long[] {1024, 1, 65_536});
        NUMBERS.put("seconds", new long[] {0, 0, 3600});
        NUMBERS.put("rate", new long[] {0, 0, 10_000_000});
    }

    private final Map<String, Long> numbers = new HashMap<>();
    private String allocation = "offheap_objects";
    private String collector = "g1";
    private final List<String> memtables = new ArrayList<>();

    /**
     * Reads arguments.
     *
     * @throws IllegalArgumentException if one is unknown or out of bounds; the message is for the user
     */
    BenchmarkOptions(final String... arguments) {
        NUMBERS.forEach((name, values) -> numbers.put(name, values[0]));
        final List<String> names = new ArrayList<>(List.of("trie", "skiplist"));
        configurations().forEach(memtable -> names.add(memtable.name()));
        for (final String argument : arguments) {
            final int sign = argument.indexOf('=');
            final String name = sign < 0 ? argument : argument.substring(0, sign);
            final String value = argument.substring(sign + 1);
            if (sign < 0) {
                final String memtable = oneOf("memtable", value, names);
                if (memtables.contains(memtable)) {
                    throw new IllegalArgumentException("memtable '" + memtable + "' is named twice");
                }
                memtables.add(memtable);
            } else if (name.equals("allocation")) {
                allocation = oneOf(name, value, ALLOCATIONS);
            } else if (name.equals("collector")) {
                collector = oneOf(name, value, COLLECTORS);
            } else {
                numbers.put(name, number(name, value));
            }
        }
        if (memtables.isEmpty()) {
            memtables.addAll(names);
        }
        if (number("width") > number("rows")) {
            throw new IllegalArgumentException("width is " + number("width") + ", more than rows, " + number("rows"));
        }
    }

    private static long number(final String name, final String text) {
        final long[] values = NUMBERS.get(name);
        if (values == null) {
            throw new IllegalArgumentException("'" + name + "' is none of allocation, collector, "
                    + String.join(", ", NUMBERS.keySet()));
        }
        if (text.matches("[0-9]{1,9}") && Long.parseLong(text) >= values[1] && Long.parseLong(text) <= values[2]) {
            return Long.parseLong(text);
        }
        throw new IllegalArgumentException(
                name + " is '" + text + "', which is no number from " + values[1] + " to " + values[2]);
    }

    private static String oneOf(final String what, final String text, final List<String> all) {
        if (all.contains(text)) {
            return text;
        }
        throw new IllegalArgumentException(what + " is '" + text + "', which is none of " + String.join(", ", all));
    }

    private static List<MemtableConfiguration> configurations() {
        final List<MemtableConfiguration> all = new ArrayList<>(List.of(MemtableConfiguration.NESTLING));
        for (final IndexType index : MemtableConfiguration.ordered()) {
            all.add(MemtableConfiguration.of(index, "off_heap"));
            all.add(MemtableConfiguration.of(index, "partitions_on_heap"));
        }
        return all;
    }

    /** Returns the value of a number that may be set, or its default. */
    int number(final String name) {
        return numbers.get(name).intValue();
    }

    /** Returns the names of the memtables, in the order in which they were given. */
    List<String> memtables() {
        return memtables;
    }

    /** Returns the options of the node: a quarter of its heap for memtables, as Cassandra has it, and its options for G1. */
    NodeOptions node() {
        final List<String> jvm = new ArrayList<>(List.of("-Dio.nestling.checks=false", "-XX:-UseDynamicNumberOfCompilerThreads",
                "-XX:-UseSerialGC"));
        switch (collector) {
            case "g1" -> jvm.addAll(List.of("-XX:+UseG1GC", "-XX:+ParallelRefProcEnabled", "-XX:MaxTenuringThreshold=1",
                    "-XX:G1HeapRegionSize=16m", "-XX:MaxGCPauseMillis=300", "-XX:InitiatingHeapOccupancyPercent=70"));
            case "serial" -> jvm.set(jvm.size() - 1, "-XX:+UseSerialGC");
            default -> jvm.add("-XX:+UseParallelGC");
        }
        final int heap = number("heap");
        return new NodeOptions().memtables(configurations()).allocation(allocation)
                .memtableSpace(heap / 4 + "MiB", number("offheap") + "MiB").periodicCommitLog().commitLogSpace("4096MiB")
                .heap(heap + "m").compiledWell().jvm(jvm.toArray(String[]::new));
    }
}
