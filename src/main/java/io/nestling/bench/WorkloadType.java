/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The workloads in the order in which they run: those that add keys come last. */
public enum WorkloadType {
    /** Puts of ascending keys into an empty index. */
    LOAD_SORTED("load-sorted", "insert in ascending order", false, 1, 0),
    /** Puts of descending keys into an empty index. */
    LOAD_REVERSED("load-reversed", "insert in descending order", false, 1, 0),
    /** Three puts per lookup, into an empty index. */
    INSERT_75("insert-75", "75 % insert, 25 % get, from an empty index on", false, 3, 1),
    /** As many lookups as puts, into an empty index. */
    INSERT_50("insert-50", "50 % insert, 50 % get, from an empty index on", false, 1, 1),
    /** Three lookups per put, into an empty index. */
    INSERT_25("insert-25", "25 % insert, 75 % get, from an empty index on", false, 1, 3),
    /** Puts in random order into an empty index, in batches. */
    LOAD_BATCHED("load-batched", "insert in random order, in batches of 32", false, 1, 0),
    /** All entries of a newly filled index, written to a table file. */
    FIRST_FLUSH("first-flush", "write all entries of a newly filled index to a table file", true, 1, 0),
    /** Puts at a fixed rate, with gets, and flushes of the full subjects, beside them. */
    SUSTAINED_PUT("sustained-put", "put at a fixed rate, with as many gets, and flushes, going on", true),
    /** The gets of the same run. */
    SUSTAINED_GET("sustained-get", "get at a fixed rate, with as many puts, and flushes, going on", true),
    /** Puts in random order into an empty index. */
    LOAD("load", "insert in random order", false, 1, 0),
    /** Lookups of present keys: YCSB C. */
    C("c", "get", false),
    /** Lookups of absent keys. */
    GET_MISS("get-miss", "get of absent keys", false),
    /** Lookups that each depend on the previous answer. */
    GET_DEPENDENT("get-dependent", "get, the next key depending on the last answer", false),
    /** Lookups in batches of 32 keys. */
    GETALL("getall", "get in batches of 32", false),
    /** Seeks that read the entry found. */
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
    /** Reads of the keys inserted last: YCSB D. */
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
     * Returns the workload with a {@link #workloadName()} in any case, with hyphens or underscores; {@code get} and {@code
     * dependent} stand for {@code c} and {@code get-dependent}, and {@code sustained} for {@code sustained-put}, which is
     * measured with its gets. Throws, with the list of names, if there is no such workload.
     */
    public static WorkloadType ofName(final String name) {
        final String wanted = name.toLowerCase(Locale.ROOT).replace('_', '-');
        if (wanted.equals("get")) {
            return C;
        }
        if (wanted.equals("sustained")) {
            return SUSTAINED_PUT;
        }
        if (wanted.equals("dependent")) {
            return GET_DEPENDENT;
        }
        return Arrays.stream(values()).filter(type -> type.workloadName.equals(wanted)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("expected one of "
                + Arrays.stream(values()).map(WorkloadType::workloadName).collect(Collectors.joining(", "))
                + " but was '" + name + "'"));
    }

    /** Returns the name for users, lower case with hyphens. */
    public String workloadName() {
        return workloadName;
    }

    /** Returns the description, a few words for people. */
    public String description() {
        return description;
    }

    /** Returns whether the workload needs cursors, so that only ordered indexes can run it. */
    public boolean ordered() {
        return ordered;
    }

    /** Returns whether the workload fills an empty index. */
    public boolean loads() {
        return inserts > 0;
    }

    /** Returns whether the workload is a half of that with a fixed rate. */
    boolean sustained() {
        return this == SUSTAINED_PUT || this == SUSTAINED_GET;
    }

    /** Returns the number of puts in a group of operations of a load; 0 if this is not a load. */
    int inserts() {
        return inserts;
    }

    /** Returns the number of lookups of present keys in the same group. */
    int lookups() {
        return lookups;
    }

    /** Returns the unit of the throughput: {@code keys}, {@code entries} or {@code operations}. */
    public String unit() {
        if (this == SCAN || this == ITERATE || this == FLUSH || this == FIRST_FLUSH) {
            return "entries";
        }
        return loads() && lookups == 0 || this == GETALL ? "keys" : "operations";
    }

    /** Returns workloads in the order in which they run, each once; of that with a fixed rate, both halves. */
    static List<WorkloadType> inOrder(final List<WorkloadType> types) {
        final boolean sustained = types.stream().anyMatch(WorkloadType::sustained);
        return Arrays.stream(values()).filter(type -> type.sustained() ? sustained : types.contains(type)).toList();
    }
}
