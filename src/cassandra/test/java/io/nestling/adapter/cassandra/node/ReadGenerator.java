/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import io.nestling.adapter.cassandra.node.TwinTable.Column;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Generates random queries of one partition and of whole tables. */
final class ReadGenerator {
    private static final String FROM = " FROM " + TwinTable.KEYSPACE + "." + TwinTable.TABLE;
    private static final String FILTERING = " ALLOW FILTERING";

    private final Random random;
    private final boolean orderedTokens;

    /**
     * Creates a generator.
     *
     * @param random source of randomness
     * @param orderedTokens whether tokens are the keys themselves
     */
    ReadGenerator(final Random random, final boolean orderedTokens) {
        this.random = random;
        this.orderedTokens = orderedTokens;
    }

    /**
     * Returns a query of one partition.
     *
     * @param key condition that selects the partition
     */
    TwinStatement partition(final TwinTable table, final String key) {
        final StringBuilder text = new StringBuilder("SELECT ");
        if (chance(6) && !table.statics().isEmpty()) {
            final List<Column> columns = new ArrayList<>(table.partitionKey());
            columns.addAll(table.statics());
            return TwinStatement.of(text + "DISTINCT " + TwinTable.names(columns) + FROM + " WHERE " + key);
        }
        if (chance(10)) {
            return grouped(table, " WHERE " + key);
        }
        if (table.vector() != null && chance(30)) {
            return nearest(table, " WHERE " + key + " ");
        }
        text.append(selection(table)).append(FROM).append(" WHERE ").append(key);
        if (!table.searched().isEmpty() && chance(30)) {
            return TwinStatement.of(text + " AND " + search(table) + FILTERING).unordered();
        }
        if (chance(20)) {
            return TwinStatement.of(text + " AND " + filter(table) + FILTERING).paged(pick(0, 0, 1, 3, 7));
        }
        if (!table.clustering().isEmpty()) {
            if (chance(60)) {
                text.append(" AND ").append(restriction(table));
            }
            if (chance(35)) {
                final Column first = table.clustering().get(0);
                text.append(" ORDER BY ").append(first.name()).append(table.descending(0) ? " ASC" : " DESC");
            }
            if (chance(15)) {
                text.append(perPartition());
            }
            if (chance(15)) {
                text.append(" LIMIT ").append(1 + random.nextInt(10));
            }
        }
        final TwinStatement statement = TwinStatement.of(text.toString()).paged(pick(0, 0, 1, 2, 3, 7));
        return table.kind() == TwinTable.Kind.CONDITIONAL && chance(50) ? statement.atSerial() : statement;
    }

    /** Returns a scan of the whole table, page by page. */
    TwinStatement everything(final TwinTable table) {
        return TwinStatement.of("SELECT " + writeTimes(table) + FROM).paged(pick(37, 200, 1000, 5000));
    }

    /** Returns a query of many partitions. */
    TwinStatement many(final TwinTable table) {
        final int dice = random.nextInt(100);
        if (table.vector() != null && dice < 25) {
            return nearest(table, " ");
        }
        if (!table.searched().isEmpty() && dice < 50) {
            return TwinStatement.of("SELECT *" + FROM + " WHERE " + search(table) + FILTERING)
                    .paged(pick(0, 3, 50)).unordered();
        }
        if (chance(15)) {
            return grouped(table, "");
        }
        if (chance(40)) {
            return TwinStatement.of("SELECT *" + FROM + " WHERE " + filter(table) + (chance(30) ? perPartition() : "")
                    + (chance(20) ? " LIMIT 7" : "") + FILTERING).paged(pick(0, 3, 50));
        }
        if (dice < 60) {
            return TwinStatement.of("SELECT COUNT(*)" + FROM);
        }
        if (dice < 70) {
            final List<Column> columns = new ArrayList<>(table.partitionKey());
            columns.addAll(table.statics());
            return TwinStatement.of("SELECT DISTINCT " + TwinTable.names(columns) + FROM).paged(pick(0, 5, 50));
        }
        if (dice < 80) {
            return TwinStatement.of("SELECT *" + FROM + perPartition()).paged(pick(0, 5, 50));
        }
        final String token = "token(" + TwinTable.names(table.partitionKey()) + ")";
        return TwinStatement.of("SELECT *" + FROM + " WHERE " + token + pick(" > ", " >= ") + token()
                + (chance(60) ? " AND " + token + pick(" < ", " <= ") + token() : "")
                + (chance(20) ? " LIMIT 11" : "")).paged(pick(0, 5, 50));
    }

    private String token() {
        return orderedTokens ? String.format(Locale.ROOT, "0x%08x", random.nextInt(64)) : String.valueOf(random.nextLong());
    }

    private String perPartition() {
        return " PER PARTITION LIMIT " + (1 + random.nextInt(4));
    }

    /**
     * Returns a query of functions of columns and of groups of rows. It has no pages, and in tables with a clustering no limits:
     * with any memtable, Cassandra's read fails where such a page ends behind the beginning of a deleted range, and for pages of
     * groups without a clustering.
     */
    private TwinStatement grouped(final TwinTable table, final String where) {
        final List<Column> key = new ArrayList<>(table.partitionKey());
        key.addAll(table.clustering());
        final int least = table.partitionKey().size();
        final List<Column> group = key.subList(0, least + random.nextInt(key.size() - least + 1));
        final List<Column> columns = new ArrayList<>(table.regulars());
        columns.addAll(table.statics());
        final StringBuilder text = new StringBuilder("SELECT ").append(TwinTable.names(group)).append(", COUNT(*)");
        Collections.shuffle(columns, random);
        for (final Column column : columns.subList(0, Math.min(3, columns.size()))) {
            text.append(", ").append(aggregate(column));
        }
        text.append(FROM).append(where);
        if (!chance(15)) {
            text.append(" GROUP BY ").append(TwinTable.names(group));
        }
        if (!table.clustering().isEmpty()) {
            return TwinStatement.of(text.toString());
        }
        return TwinStatement.of(text.append(pick("", "", perPartition(), " LIMIT 5")).toString());
    }

    private String aggregate(final Column column) {
        final ValueType type = column.type();
        final String name = column.name();
        if (type == ValueType.INT && chance(60)) {
            return pick(TwinTable.KEYSPACE + ".spread(" + name + ")", "SUM(" + TwinTable.KEYSPACE + ".bump(" + name + "))");
        }
        if (type.summed() && chance(60)) {
            return pick("SUM(", "AVG(") + name + ")";
        }
        return pick("COUNT(", type.sliced() ? "MIN(" : "COUNT(", type.sliced() ? "MAX(" : "COUNT(") + name + ")";
    }

    /** Returns a query for all rows with a vector, of which an approximate search may miss some. */
    private TwinStatement nearest(final TwinTable table, final String where) {
        final List<Column> columns = new ArrayList<>(table.partitionKey());
        columns.addAll(table.clustering());
        columns.add(table.vector());
        final String exact = "SELECT " + TwinTable.names(columns) + FROM + where;
        return TwinStatement.approximate(exact + "ORDER BY " + table.vector().name() + " ANN OF " + table.vector().literal(random)
                + " LIMIT 1000", exact);
    }

    /** Returns a condition on a column that has no index and is no part of the partition key. */
    private String filter(final TwinTable table) {
        final List<Column> columns = new ArrayList<>(table.regulars());
        columns.addAll(table.statics());
        columns.removeIf(column -> !column.type().filtered() || table.searched().contains(column));
        final Column column = columns.get(random.nextInt(columns.size()));
        final ValueType type = column.type();
        if (type == ValueType.MAP && chance(30)) {
            return column.name() + "[" + ValueType.small(random) + "] = " + ValueType.TEXT.literal(random);
        }
        if (type.collection() || type.contains() && chance(70)) {
            return type.element(column.name(), random);
        }
        return column.name() + (type.sliced() ? pick(" = ", " > ", " <= ") : " = ") + column.literal(random);
    }

    private String search(final TwinTable table) {
        final Column column = table.searched().get(random.nextInt(table.searched().size()));
        if (chance(30)) {
            final Column other = table.searched().get(random.nextInt(table.searched().size()));
            if (other != column) {
                return search(table, column) + " AND " + other.name() + " = " + other.literal(random);
            }
        }
        return search(table, column);
    }

    private String search(final TwinTable table, final Column column) {
        final boolean sasi = table.name().equals(TwinSchema.SASI_TABLE);
        if (sasi && column.type() == ValueType.TEXT && chance(60)) {
            // With any memtable, an index for parts of words that was flushed misses prefixes that other words have elsewhere.
            final String pattern = column.name().equals(TwinSchema.PREFIXED)
                    ? pick("h%", "hh%", "h\u00e9%") : pick("%\u00e9", "%hh%", "%h\u00e9%");
            return column.name() + " LIKE '" + pattern + "'";
        }
        final boolean range = column.type() == ValueType.INT && chance(50) && (sasi || table.name().equals(TwinSchema.SAI_TABLE));
        return column.name() + (range ? pick(" > ", " <= ") : " = ") + column.literal(random);
    }

    private String selection(final TwinTable table) {
        if (chance(40)) {
            return "*";
        }
        if (chance(40)) {
            return writeTimes(table);
        }
        if (chance(10)) {
            return "COUNT(*)";
        }
        final Column called = table.regulars().get(random.nextInt(table.regulars().size()));
        if (called.type() == ValueType.INT && chance(50)) {
            return called.name() + ", " + TwinTable.KEYSPACE + ".bump(" + called.name() + ")";
        }
        final List<Column> columns = new ArrayList<>(table.regulars());
        columns.addAll(table.statics());
        Collections.shuffle(columns, random);
        return TwinTable.names(columns.subList(0, 1 + random.nextInt(columns.size())));
    }

    /** Returns all columns, with the write times of single cells unless the node chose them. */
    private String writeTimes(final TwinTable table) {
        final List<Column> columns = new ArrayList<>(table.partitionKey());
        columns.addAll(table.clustering());
        columns.addAll(table.statics());
        columns.addAll(table.regulars());
        final StringBuilder text = new StringBuilder(TwinTable.names(columns));
        if (table.kind() != TwinTable.Kind.COUNTER && table.kind() != TwinTable.Kind.CONDITIONAL) {
            for (final Column column : columns.subList(table.partitionKey().size() + table.clustering().size(), columns.size())) {
                if (column.type().singleCell()) {
                    text.append(", WRITETIME(").append(column.name()).append("), TTL(").append(column.name()).append(')');
                }
            }
        }
        return text.toString();
    }

    private String restriction(final TwinTable table) {
        final List<Column> clustering = table.clustering();
        if (clustering.size() > 1 && chance(30)) {
            return tuple(clustering);
        }
        final int equals = random.nextInt(clustering.size());
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < equals; i++) {
            text.append(equal(clustering.get(i))).append(" AND ");
        }
        final Column last = clustering.get(equals);
        if (chance(15)) {
            return text.append(last.name()).append(" IN (").append(last.literal(random)).append(", ")
                    .append(last.literal(random)).append(")").toString();
        }
        final String from = last.name() + pick(" > ", " >= ") + last.literal(random);
        final String to = last.name() + pick(" < ", " <= ") + last.literal(random);
        return text.append(pick(from, to, from + " AND " + to, equal(last))).toString();
    }

    private String tuple(final List<Column> clustering) {
        final int size = 1 + random.nextInt(clustering.size());
        final String names = "(" + TwinTable.names(clustering.subList(0, size)) + ")";
        final String from = names + pick(" > ", " >= ") + literals(clustering, size);
        final String to = names + pick(" < ", " <= ") + literals(clustering, size);
        return pick(from, to, from + " AND " + to);
    }

    private String literals(final List<Column> columns, final int size) {
        return "(" + String.join(", ", columns.subList(0, size).stream().map(column -> column.literal(random)).toList()) + ")";
    }

    private String equal(final Column column) {
        return column.name() + " = " + column.literal(random);
    }

    private boolean chance(final int percent) {
        return random.nextInt(100) < percent;
    }

    private String pick(final String... texts) {
        return texts[random.nextInt(texts.length)];
    }

    private int pick(final int... numbers) {
        return numbers[random.nextInt(numbers.length)];
    }
}
