/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A table of the workload in two copies: one with the tested memtable, one with a stock memtable. The name of the copy
 * replaces {@value #TABLE} in statements.
 */
final class TwinTable {
    static final String KEYSPACE = "twins";
    static final String TABLE = "$T";

    private static final String COMPACTION =
            Installation.compacts() ? "" : " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}";

    /** The kind of writes to the table. */
    enum Kind {
        PLAIN, COUNTER, CONDITIONAL, COMPACT,
        /** Not written: follows another table. */
        VIEW
    }

    /** A column; {@code few} if it has few values, so that each occurs often. */
    record Column(String name, ValueType type, boolean few) {
        String literal(final Random random) {
            return few ? type.fewLiteral(random) : type.literal(random);
        }
    }

    private final String name;
    private final Kind kind;
    private final List<Column> partitionKey = new ArrayList<>(List.of(new Column("p", ValueType.INT, true)));
    private final List<Column> clustering = new ArrayList<>();
    private final List<Boolean> descending = new ArrayList<>();
    private final List<Column> statics = new ArrayList<>();
    private final List<Column> regulars = new ArrayList<>();
    private final List<String> indexes = new ArrayList<>();
    private final List<Column> searched = new ArrayList<>();
    private final Map<String, ValueType> dropped = new TreeMap<>();
    private TwinTable view;
    private String suffix = "";
    private String options = "";
    private Column vector;
    private boolean expires = true;
    private boolean switchedBesideWrites = true;
    private boolean deletesRanges;
    private int added;
    private volatile String memtable;

    TwinTable(final String name, final Kind kind) {
        this.name = name;
        this.kind = kind;
    }

    TwinTable partitionKey(final String column, final ValueType type) {
        partitionKey.add(new Column(column, type, true));
        return this;
    }

    TwinTable clustering(final String column, final ValueType type, final boolean isDescending) {
        clustering.add(new Column(column, type, true));
        descending.add(isDescending);
        return this;
    }

    TwinTable statics(final String column, final ValueType type) {
        statics.add(new Column(column, type, false));
        return this;
    }

    TwinTable regular(final String column, final ValueType type) {
        regulars.add(new Column(column, type, false));
        return this;
    }

    /** Adds a column of few values. */
    TwinTable few(final String column, final ValueType type) {
        regulars.add(new Column(column, type, true));
        return this;
    }

    /** Adds a column of few values with an index {@code USING} the given kind, and its options. */
    TwinTable indexed(final String column, final ValueType type, final String index) {
        final Column few = new Column(column, type, true);
        regulars.add(few);
        searched.add(few);
        index(column, index);
        return this;
    }

    /** Adds a column of vectors, with an index {@code USING} the given kind. */
    TwinTable vector(final String column, final String index) {
        vector = new Column(column, ValueType.VECTOR, false);
        regulars.add(vector);
        index(column, index);
        return this;
    }

    private void index(final String column, final String index) {
        final String custom = index.startsWith("'org.") ? "CUSTOM " : "";
        indexes.add("CREATE " + custom + "INDEX ON " + KEYSPACE + "." + TABLE + " (" + column + ") USING " + index);
    }

    /** Makes rows stay until they are deleted: what else uses the node's clock, not the time of the request, would differ. */
    TwinTable neverExpires() {
        expires = false;
        return this;
    }

    /** Keeps the table's memtables from being switched while rows are written. */
    TwinTable notSwitchedBesideWrites() {
        switchedBesideWrites = false;
        return this;
    }

    /** Makes ranges of rows be deleted far more often than elsewhere, in few partitions; the second clustering is a number. */
    TwinTable deletesRanges() {
        deletesRanges = true;
        return this;
    }

    /** Adds a materialized view by a further key column, which is one of the regular columns. */
    TwinTable viewedBy(final String column) {
        view = new TwinTable(name, Kind.VIEW);
        view.suffix = "_v";
        view.partitionKey.addAll(partitionKey.subList(1, partitionKey.size()));
        for (final Column regular : regulars) {
            (regular.name.equals(column) ? view.partitionKey : view.regulars).add(regular);
        }
        view.clustering.addAll(clustering);
        view.descending.addAll(descending);
        return this;
    }

    TwinTable options(final String text) {
        options = " AND " + text;
        return this;
    }

    String name() {
        return name;
    }

    Kind kind() {
        return kind;
    }

    List<Column> partitionKey() {
        return partitionKey;
    }

    List<Column> clustering() {
        return clustering;
    }

    boolean descending(final int column) {
        return descending.get(column);
    }

    List<Column> statics() {
        return statics;
    }

    List<Column> regulars() {
        return regulars;
    }

    /** Returns the columns with an index. */
    List<Column> searched() {
        return searched;
    }

    /** Returns the column of vectors; null if there is none. */
    Column vector() {
        return vector;
    }

    boolean expires() {
        return expires;
    }

    /** Returns whether the table's memtables may be switched while rows are written. */
    boolean isSwitchedBesideWrites() {
        return switchedBesideWrites;
    }

    boolean areRangesDeleted() {
        return deletesRanges;
    }

    /** Returns the materialized view; null if there is none. */
    TwinTable view() {
        return view;
    }

    /** Returns whether the table has columns that may be dropped, which those of a view and of compact storage may not. */
    boolean isAltered() {
        return kind == Kind.PLAIN && view == null;
    }

    /** Returns the configuration of the tested copy. */
    String memtable() {
        return memtable;
    }

    /** Returns the statement that changes the memtable of the tested copy. */
    String changeMemtable(final String configuration) {
        memtable = configuration;
        return "ALTER " + (kind == Kind.VIEW ? "MATERIALIZED VIEW " : "TABLE ") + KEYSPACE + "." + tested() + " WITH memtable = '"
                + configuration + "'";
    }

    /** Returns the name of the copy with the tested memtable. */
    String tested() {
        return name + "_n" + suffix;
    }

    /** Returns the name of the copy with a stock memtable. */
    String stock() {
        return name + "_s" + suffix;
    }

    String of(final boolean tested, final String statement) {
        return statement.replace(TABLE, tested ? tested() : stock());
    }

    private String ofBase(final boolean tested, final String statement) {
        return statement.replace(TABLE, name + (tested ? "_n" : "_s"));
    }

    /** Returns the statements that create one copy and its indexes. */
    List<String> create(final boolean tested, final String configuration) {
        if (tested) {
            memtable = configuration;
        }
        if (kind == Kind.VIEW) {
            return List.of(createView(tested, configuration));
        }
        final StringBuilder text = new StringBuilder("CREATE TABLE " + KEYSPACE + "." + TABLE + " (");
        append(text, partitionKey, "");
        append(text, clustering, "");
        append(text, statics, " static");
        append(text, regulars, "");
        text.append(primaryKey()).append(") WITH ").append(kind == Kind.COMPACT ? "COMPACT STORAGE AND " : "");
        text.append("memtable = '").append(configuration).append("' AND gc_grace_seconds = 864000").append(options);
        text.append(COMPACTION);
        if (!clustering.isEmpty()) {
            text.append(" AND CLUSTERING ORDER BY (");
            for (int i = 0; i < clustering.size(); i++) {
                text.append(i == 0 ? "" : ", ").append(clustering.get(i).name).append(descending.get(i) ? " DESC" : " ASC");
            }
            text.append(")");
        }
        final List<String> statements = new ArrayList<>(List.of(text.toString()));
        statements.addAll(indexes);
        return statements.stream().map(statement -> of(tested, statement)).toList();
    }

    private String primaryKey() {
        final StringBuilder text = new StringBuilder("PRIMARY KEY ((").append(names(partitionKey)).append(")");
        clustering.forEach(column -> text.append(", ").append(column.name));
        return text.append(')').toString();
    }

    private String createView(final boolean tested, final String configuration) {
        final List<Column> key = new ArrayList<>(partitionKey);
        key.addAll(clustering);
        final String base = KEYSPACE + "." + TABLE;
        final String notNull = key.stream().map(column -> column.name + " IS NOT NULL").collect(Collectors.joining(" AND "));
        return ofBase(tested, "CREATE MATERIALIZED VIEW " + base + suffix + " AS SELECT * FROM " + base + " WHERE " + notNull
                + " " + primaryKey() + " WITH memtable = '" + configuration + "'" + COMPACTION);
    }

    /** Returns the statement that adds a column; later writes include it. */
    String addColumn(final ValueType type) {
        return addColumn(new Column("x" + added++, type, false));
    }

    /** Returns the statement that adds a dropped column again; null if there is none. */
    String addColumnAgain() {
        if (dropped.isEmpty()) {
            return null;
        }
        final String again = dropped.keySet().iterator().next();
        return addColumn(new Column(again, dropped.remove(again), false));
    }

    private String addColumn(final Column column) {
        regulars.add(column);
        return "ALTER TABLE " + KEYSPACE + "." + TABLE + " ADD " + column.name + " " + column.type.cql();
    }

    /** Returns the statement that drops the oldest added column, with all cells up to a timestamp; null if there is none. */
    String dropColumn(final long timestamp) {
        for (final Column column : regulars) {
            if (column.name.startsWith("x")) {
                regulars.remove(column);
                dropped.put(column.name, column.type);
                return "ALTER TABLE " + KEYSPACE + "." + TABLE + " DROP " + column.name + " USING TIMESTAMP " + timestamp;
            }
        }
        return null;
    }

    static String names(final List<Column> columns) {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }

    private static void append(final StringBuilder text, final List<Column> columns, final String suffix) {
        columns.forEach(column ->
                text.append(column.name).append(' ').append(column.type.cql()).append(suffix).append(", "));
    }

    @Override
    public String toString() {
        return name + suffix;
    }
}
