/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A table of the workload in two copies: one with the tested memtable, one with a stock memtable. The name of the copy
 * replaces {@value #TABLE} in statements.
 */
final class TwinTable {
    static final String KEYSPACE = "twins";
    static final String TABLE = "$T";

    /** The kind of writes to the table. */
    enum Kind {
        PLAIN, COUNTER, CONDITIONAL
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
    private String options = "";
    private int added;

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

    /** Adds a column of few values with an index {@code USING} the given kind. */
    TwinTable indexed(final String column, final ValueType type, final String index) {
        final Column few = new Column(column, type, true);
        regulars.add(few);
        searched.add(few);
        indexes.add("CREATE INDEX ON " + KEYSPACE + "." + TABLE + " (" + column + ") USING '" + index + "'");
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

    /** Returns the name of the copy with the tested memtable. */
    String tested() {
        return name + "_n";
    }

    /** Returns the name of the copy with a stock memtable. */
    String stock() {
        return name + "_s";
    }

    String of(final boolean tested, final String statement) {
        return statement.replace(TABLE, tested ? tested() : stock());
    }

    /** Returns the statements that create one copy and its indexes. */
    List<String> create(final boolean tested, final String memtable) {
        final StringBuilder text = new StringBuilder("CREATE TABLE " + KEYSPACE + "." + TABLE + " (");
        append(text, partitionKey, "");
        append(text, clustering, "");
        append(text, statics, " static");
        append(text, regulars, "");
        text.append("PRIMARY KEY ((").append(names(partitionKey)).append(")");
        clustering.forEach(column -> text.append(", ").append(column.name));
        text.append(")) WITH memtable = '").append(memtable).append("' AND gc_grace_seconds = 864000").append(options);
        if (!Installation.compacts()) {
            text.append(" AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
        }
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

    /** Returns the statement that adds a column; later writes include it. */
    String addColumn(final ValueType type) {
        final Column column = new Column("x" + added++, type, false);
        regulars.add(column);
        return "ALTER TABLE " + KEYSPACE + "." + TABLE + " ADD " + column.name + " " + type.cql();
    }

    /** Returns the statement that drops the oldest added column; null if there is none. */
    String dropColumn() {
        for (final Column column : regulars) {
            if (column.name.startsWith("x")) {
                regulars.remove(column);
                return "ALTER TABLE " + KEYSPACE + "." + TABLE + " DROP " + column.name;
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
        return name;
    }
}
