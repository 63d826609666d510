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
    LOAD_SORTED("load-sorted", "insert in ascending order", false, 1, 0),
    /** Puts of descending keys into an empty index. */
    LOAD_REVERSED("load-reversed", "insert in descending order", false, 1, 0),
    /** Three puts to each lookup, from an empty index on. */
    INSERT_75("insert-75", "75 % insert, 25 % get, from an empty index on", false, 3, 1),
    /** As many lookups as puts, from an empty index on. */
    INSERT_50("insert-50", "50 % insert, 50 % get, from an empty index on", false, 1, 1),
    /** Three lookups to each put, from an empty index on. */
    INSERT_25("insert-25", "25 % insert, 75 % get, from an empty index on", false, 1, 3),
    /** Puts in random order into an empty index, some at once. */
    LOAD_BATCHED("load-batched", "insert in random order, in batches of 32", false, 1, 0),
    /** All entries of an index that was just filled, written to a table file. */
    FIRST_FLUSH("first-flush", "write all entries of a newly filled index to a table file", true, 1, 0),
    /** Puts in random order into an empty index. */
    LOAD("load", "insert in random order", false, 1, 0),
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
    /** Updates, every second one of one key. */
    HOT("hot", "update, half of them of one key", false),
    /** Reads of what was inserted last: YCSB D. */
    D("d", "95 % get of the latest keys, 5 % insert", false),
    /** Short scans with inserts: YCSB E. */
    E("e", "95 % scans of 1 to 100 entries, 5 % insert", true);

    private final String workloadName;
    private final String description;
    private final boolean ordered;
    private final int inserts;
    private final int lookups;

    WorkloadType(final String workloadName, final String description, final boolean ordered) {
        this(workloadName, description, ordered, 0, 0);
    }

    WorkloadType(
        final String workloadName, final String description, final boolean ordered, final int inserts, final int lookups) {
        this.workloadName = workloadName;
        this.description = description;
        this.ordered = ordered;
        this.inserts = inserts;
        this.lookups = lookups;
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
            .orElseThrow(() -> new IllegalArgumentException("expected one of "
                + Arrays.stream(values()).map(WorkloadType::workloadName).collect(Collectors.joining(", "))
                + " but was '" + name + "'"));
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
     * @return true for those that begin with an empty index
     */
    public boolean loads() {
        return inserts > 0;
    }

    /** Puts in a group of operations of a load; 0 if this is none. */
    int inserts() {
        return inserts;
    }

    /** Lookups of keys that are there, in the same group. */
    int lookups() {
        return lookups;
    }

    /**
     * What an operation is.
     *
     * @return {@code keys}, {@code entries} or {@code operations}
     */
    public String unit() {
        if (this == SCAN || this == ITERATE || this == FLUSH || this == FIRST_FLUSH) {
            return "entries";
        }
        return loads() && lookups == 0 || this == GETALL ? "keys" : "operations";
    }

    /** In the order in which they run, each once. */
    static List<WorkloadType> inOrder(final List<WorkloadType> types) {
        return Arrays.stream(values()).filter(types::contains).toList();
    }
}
