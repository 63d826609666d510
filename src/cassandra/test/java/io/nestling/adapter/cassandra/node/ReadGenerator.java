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
        text.append(selection(table)).append(FROM).append(" WHERE ").append(key);
        if (!table.searched().isEmpty() && chance(30)) {
            return TwinStatement.of(text + " AND " + search(table) + " ALLOW FILTERING").unordered();
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
        if (!table.searched().isEmpty() && dice < 50) {
            return TwinStatement.of("SELECT *" + FROM + " WHERE " + search(table) + " ALLOW FILTERING")
                    .paged(pick(0, 3, 50)).unordered();
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
            return TwinStatement.of("SELECT *" + FROM + " PER PARTITION LIMIT " + (1 + random.nextInt(3)))
                    .paged(pick(0, 5, 50));
        }
        final String token = "token(" + TwinTable.names(table.partitionKey()) + ")";
        return TwinStatement.of("SELECT *" + FROM + " WHERE " + token + pick(" > ", " >= ") + token()
                + (chance(60) ? " AND " + token + pick(" < ", " <= ") + token() : "")
                + (chance(20) ? " LIMIT 11" : "")).paged(pick(0, 5, 50));
    }

    private String token() {
        return orderedTokens ? String.format(Locale.ROOT, "0x%08x", random.nextInt(64)) : String.valueOf(random.nextLong());
    }

    private String search(final TwinTable table) {
        final Column column = table.searched().get(random.nextInt(table.searched().size()));
        final boolean range = table.name().equals(TwinSchema.SAI_TABLE) && column.type() == ValueType.INT && chance(50);
        final String first = column.name() + (range ? pick(" > ", " <= ") : " = ") + column.literal(random);
        if (chance(30)) {
            final Column other = table.searched().get(random.nextInt(table.searched().size()));
            if (other != column) {
                return first + " AND " + other.name() + " = " + other.literal(random);
            }
        }
        return first;
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
        if (table.kind() == TwinTable.Kind.PLAIN) {
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
