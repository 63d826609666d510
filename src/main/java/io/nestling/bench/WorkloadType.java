/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The workloads that there are, in the order in which they run: those that add keys come last. */
public enum WorkloadType {
    /** Puts of ascending keys into an empty index. */
    LOAD_SORTED("load-sorted", "insert in ascending order", false),
    /** Puts of descending keys into an empty index. */
    LOAD_REVERSED("load-reversed", "insert in descending order", false),
    /** Puts in random order into an empty index. */
    LOAD("load", "insert in random order", false),
    /** Lookups of keys that are there: YCSB C. */
    C("c", "get", false),
    /** Lookups of keys that are not there. */
    GET_MISS("get-miss", "get of absent keys", false),
    /** Lookups of which each waits for the answer before. */
    GET_DEPENDENT("get-dependent", "get, the next key depending on the last answer", false),
    /** Lookups of 32 keys together. */
    GETALL("getall", "get in batches of 32", false),
    /** Seeks, with the entry found. */
    SEEK("seek", "seek and read one entry", true),
    /** Scans of 50 entries. */
    SCAN("scan", "seek and read 50 entries", true),
    /** All entries in order. */
    ITERATE("iterate", "read all entries in order", true),
    /** Entries written to a table file. */
    FLUSH("flush", "write all entries to a table file", true),
    /** Half reads, half updates: YCSB A. */
    A("a", "50 % get, 50 % update", false),
    /** Few updates: YCSB B. */
    B("b", "95 % get, 5 % update", false),
    /** Half reads, half reads with an update: YCSB F. */
    F("f", "50 % get, 50 % get and update", false),
    /** Reads of what was inserted last: YCSB D. */
    D("d", "95 % get of the latest keys, 5 % insert", false),
    /** Short scans with inserts: YCSB E. */
    E("e", "95 % scans of 1 to 100 entries, 5 % insert", true);

    private final String workloadName;
    private final String description;
    private final boolean ordered;

    WorkloadType(final String workloadName, final String description, final boolean ordered) {
        this.workloadName = workloadName;
        this.description = description;
        this.ordered = ordered;
    }

    /**
     * The workload with a name.
     *
     * @param name as {@link #workloadName()} gives it, in either case; {@code get} and {@code dependent}
     *     stand for {@code c} and {@code get-dependent}
     * @return the workload
     * @throws IllegalArgumentException that lists the names, if there is no such workload
     */
    public static WorkloadType ofName(final String name) {
        final String wanted = name.toLowerCase(Locale.ROOT).replace('_', '-');
        if (wanted.equals("get")) {
            return C;
        }
        if (wanted.equals("dependent")) {
            return GET_DEPENDENT;
        }
        return Arrays.stream(values()).filter(type -> type.workloadName.equals(wanted)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("unknown workload '" + name + "', there is: "
                + Arrays.stream(values()).map(WorkloadType::workloadName).collect(Collectors.joining(", "))));
    }

    /**
     * Name for users.
     *
     * @return lower case with hyphens
     */
    public String workloadName() {
        return workloadName;
    }

    /**
     * What it does.
     *
     * @return a few words for people
     */
    public String description() {
        return description;
    }

    /**
     * Tells whether it needs cursors.
     *
     * @return true if only ordered indexes can do it
     */
    public boolean ordered() {
        return ordered;
    }

    /**
     * Tells whether it fills an empty index.
     *
     * @return true for the loads
     */
    public boolean loads() {
        return this == LOAD || this == LOAD_SORTED || this == LOAD_REVERSED;
    }

    /**
     * What an operation is.
     *
     * @return {@code keys}, {@code entries} or {@code operations}
     */
    public String unit() {
        final boolean entries = this == SCAN || this == ITERATE || this == FLUSH;
        return entries ? "entries" : loads() || this == GETALL ? "keys" : "operations";
    }

    /** In the order in which they run, each once. */
    static List<WorkloadType> inOrder(final List<WorkloadType> types) {
        return Arrays.stream(values()).filter(types::contains).toList();
    }
}
