/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import io.nestling.adapter.cassandra.node.TwinTable.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;

/** Generates random writes to partitions of one worker, which no other worker writes, so that their content is certain. */
final class WriteGenerator {
    private static final long FIRST_TIMESTAMP = 1_700_000_000_000_000L;
    private static final int TICK = 10;
    private static final int PARTITIONS = 10;
    private static final int FEW_PARTITIONS = 2;
    private static final int LONG_TTL = 100_000;
    private static final int[] TTLS = {1, 2, 3, 5, LONG_TTL};
    private static final String AND_TTL = " AND TTL ";
    private static final String FROM = " FROM " + TwinTable.KEYSPACE + "." + TwinTable.TABLE;
    private static final String UPDATE = "UPDATE " + TwinTable.KEYSPACE + "." + TwinTable.TABLE;
    private static final String INSERT = "INSERT INTO " + TwinTable.KEYSPACE + "." + TwinTable.TABLE;

    private final Random random;
    private final IntUnaryOperator partitions;
    private long clock = FIRST_TIMESTAMP;
    private int retired;

    /**
     * Creates a generator.
     *
     * @param random source of randomness
     * @param partitions returns the number of a partition to write to, out of so many
     */
    WriteGenerator(final Random random, final IntUnaryOperator partitions) {
        this.random = random;
        this.partitions = partitions;
    }

    TwinStatement next(final TwinTable table) {
        switch (table.kind()) {
            case COUNTER:
                return TwinStatement.of(counter(table, key(table)));
            case CONDITIONAL:
                return TwinStatement.of(conditional(table, key(table)));
            case PLAIN:
            case COMPACT:
                if (chance(table.areRangesDeleted() ? 40 : 8)) {
                    return TwinStatement.of(batch(table));
                }
                final List<String> statements = plain(table, key(table));
                return TwinStatement.of(statements.size() == 1
                        ? statements.get(0) : "BEGIN UNLOGGED BATCH " + String.join("; ", statements) + "; APPLY BATCH");
            default:
                throw new AssertionError(table.kind());
        }
    }

    /** Returns a timestamp that all written cells have reached, and only some of later ones pass. */
    long clock() {
        return clock;
    }

    /** Returns a condition that selects one partition. */
    String key(final TwinTable table) {
        final StringBuilder text = new StringBuilder("p = ").append(
                partitions.applyAsInt(table.areRangesDeleted() ? FEW_PARTITIONS : PARTITIONS));
        for (final Column column : table.partitionKey().subList(1, table.partitionKey().size())) {
            text.append(" AND ").append(column.name()).append(" = ").append(column.type().fewLiteral(random));
        }
        return text.toString();
    }

    private String batch(final TwinTable table) {
        final boolean manyPartitions = chance(10);
        final StringBuilder text = new StringBuilder(manyPartitions || chance(50) ? "BEGIN BATCH " : "BEGIN UNLOGGED BATCH ");
        final String key = key(table);
        final int size = 2 + random.nextInt(chance(10) || table.areRangesDeleted() ? 40 : 6);
        for (int i = 0; i < size; i++) {
            text.append(String.join("; ", plain(table, manyPartitions ? key(table) : key))).append("; ");
        }
        return text.append("APPLY BATCH").toString();
    }

    private List<String> plain(final TwinTable table, final String key) {
        if (table.areRangesDeleted() && chance(50)) {
            return List.of("DELETE" + FROM + using() + " WHERE " + key + " AND " + narrowRange(table));
        }
        final int dice = random.nextInt(100);
        return dice < 37 ? insertion(table, key) : List.of(change(table, key, dice));
    }

    /**
     * Returns an INSERT, which deletes the row first if it will expire soon. Otherwise an older cell could outlive the row's
     * liveness: whether a read of other cells then shows the row depends on whether both are in one memtable or table file.
     */
    private List<String> insertion(final TwinTable table, final String key) {
        final String row = row(table, key);
        final long timestamp = timestamp();
        final int ttl = ttl(table);
        final String insert = insert(table, row, true) + " USING TIMESTAMP " + timestamp + (ttl == 0 ? "" : AND_TTL + ttl);
        return ttl == 0 || ttl == LONG_TTL
                ? List.of(insert)
                : List.of("DELETE" + FROM + " USING TIMESTAMP " + (timestamp - 1) + " WHERE " + row, insert);
    }

    private String change(final TwinTable table, final String key, final int dice) {
        if (dice < 60) {
            return UPDATE + usingAndTtl(table) + " SET " + assignments(table.regulars()) + where(table, key);
        }
        if (dice < 70 && !table.statics().isEmpty()) {
            return UPDATE + usingAndTtl(table) + " SET " + assignments(table.statics()) + " WHERE " + key;
        }
        if (dice < 78) {
            return "DELETE " + cells(table.regulars()) + FROM + using() + where(table, key);
        }
        if (dice < 80 && !table.statics().isEmpty()) {
            return "DELETE " + cells(table.statics()) + FROM + using() + " WHERE " + key;
        }
        if (dice < 88) {
            return "DELETE" + FROM + using() + where(table, key);
        }
        if (dice < 97 && !table.clustering().isEmpty()) {
            return "DELETE" + FROM + using() + " WHERE " + key + " AND " + range(table);
        }
        if (table.areRangesDeleted() && chance(80)) {
            return "DELETE" + FROM + using() + " WHERE " + key + " AND " + narrowRange(table);
        }
        return "DELETE" + FROM + using() + " WHERE " + key;
    }

    private String insert(final TwinTable table, final String row, final boolean withStatics) {
        final List<String> names = new ArrayList<>();
        final List<String> values = new ArrayList<>();
        for (final String equal : row.split(" AND ")) {
            names.add(equal.substring(0, equal.indexOf(" = ")));
            values.add(equal.substring(equal.indexOf(" = ") + 3));
        }
        for (final Column column : table.regulars()) {
            if (chance(60) || table.kind() == TwinTable.Kind.COMPACT) {
                names.add(column.name());
                values.add(chance(8) ? "null" : column.literal(random));
            }
        }
        for (final Column column : table.statics()) {
            if (withStatics && chance(10)) {
                names.add(column.name());
                values.add(column.literal(random));
            }
        }
        return INSERT + " (" + String.join(", ", names) + ") VALUES (" + String.join(", ", values) + ")";
    }

    /** Returns a timestamp that is mostly later than all previous ones, sometimes earlier or equal. */
    private String using() {
        return " USING TIMESTAMP " + timestamp();
    }

    private String usingAndTtl(final TwinTable table) {
        final String text = using();
        final int ttl = ttl(table);
        return ttl == 0 ? text : text + AND_TTL + ttl;
    }

    private long timestamp() {
        clock += TICK;
        return clock - (chance(25) ? TICK * random.nextInt(30) : 0);
    }

    /**
     * Returns a time to live or 0. Rows of some tables do not expire: their indexes or views use the node's clock and not the
     * time of the request, so that one of two copies may show a row that the other does not.
     */
    private int ttl(final TwinTable table) {
        final int ttl = chance(12) ? TTLS[random.nextInt(TTLS.length)] : 0;
        return ttl > 0 && !table.expires() ? LONG_TTL : ttl;
    }

    private String where(final TwinTable table, final String key) {
        return " WHERE " + row(table, key);
    }

    /** Returns a condition that selects one row. */
    private String row(final TwinTable table, final String key) {
        final StringBuilder text = new StringBuilder(key);
        for (final Column column : table.clustering()) {
            text.append(" AND ").append(column.name()).append(" = ").append(column.literal(random));
        }
        return text.toString();
    }

    private String assignments(final List<Column> columns) {
        final List<String> all = new ArrayList<>();
        final Column sure = columns.get(random.nextInt(columns.size()));
        for (final Column column : columns) {
            if (column == sure || chance(15)) {
                all.add(assignment(column));
            }
        }
        return String.join(", ", all);
    }

    private String assignment(final Column column) {
        final String name = column.name();
        final String whole = name + " = " + (chance(10) ? "null" : column.literal(random));
        switch (column.type()) {
            case LIST:
                return pick(whole, name + " = " + name + " + " + column.literal(random),
                        name + " = " + column.literal(random) + " + " + name,
                        name + " = " + name + " - " + column.literal(random),
                        name + "[" + random.nextInt(3) + "] = " + ValueType.small(random));
            case SET:
                return pick(whole, name + " = " + name + " + " + column.literal(random),
                        name + " = " + name + " - " + column.literal(random));
            case MAP:
                return pick(whole, name + " = " + name + " + " + column.literal(random),
                        name + " = " + name + " - {" + ValueType.small(random) + "}",
                        name + "[" + ValueType.small(random) + "] = " + ValueType.TEXT.literal(random),
                        name + "[" + ValueType.small(random) + "] = null");
            case UDT:
                return pick(whole, name + ".street = " + ValueType.TEXT.literal(random),
                        name + ".number = " + ValueType.small(random), name + ".tags = null");
            default:
                return whole;
        }
    }

    private String cells(final List<Column> columns) {
        final List<String> all = new ArrayList<>();
        final Column sure = columns.get(random.nextInt(columns.size()));
        for (final Column column : columns) {
            if (column == sure || chance(10)) {
                all.add(cell(column));
            }
        }
        return String.join(", ", all);
    }

    private String cell(final Column column) {
        final String name = column.name();
        switch (column.type()) {
            case LIST:
                return pick(name, name, name + "[" + random.nextInt(2) + "]");
            case SET:
                return pick(name, name + "[" + ValueType.smallText(random) + "]");
            case MAP:
                return pick(name, name + "[" + ValueType.small(random) + "]");
            case UDT:
                return pick(name, name + ".number");
            default:
                return name;
        }
    }

    /** Returns a condition on clustering columns that may select many rows. */
    private String range(final TwinTable table) {
        final int equals = random.nextInt(table.clustering().size());
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < equals; i++) {
            final Column column = table.clustering().get(i);
            text.append(column.name()).append(" = ").append(column.literal(random)).append(" AND ");
        }
        final Column last = table.clustering().get(equals);
        final String from = last.name() + pick(" > ", " >= ") + last.literal(random);
        final String to = last.name() + pick(" < ", " <= ") + last.literal(random);
        return text.append(pick(from, to, from + " AND " + to)).toString();
    }

    /** Returns a condition on a few rows that differ in a number, so that many such ranges lie side by side. */
    private String narrowRange(final TwinTable table) {
        final Column first = table.clustering().get(0);
        final String number = table.clustering().get(1).name();
        final int from = random.nextInt(16) - 6;
        return first.name() + " = " + first.literal(random) + " AND " + number + " >= " + from + " AND " + number + " < "
                + (from + 1);
    }

    private String counter(final TwinTable table, final String key) {
        if (chance(4)) {
            // A deleted counter is not reused: its value would be undefined.
            final String row = " WHERE " + key + " AND " + table.clustering().get(0).name() + " = " + (1000 + retired / 2);
            return retired++ % 2 == 0 ? UPDATE + " SET n1 = n1 + 1" + row : "DELETE" + FROM + row;
        }
        if (chance(15)) {
            return UPDATE + " SET " + increment(table.statics().get(0)) + " WHERE " + key;
        }
        if (chance(10)) {
            return "BEGIN COUNTER BATCH " + UPDATE + " SET " + increment(table.regulars().get(0)) + where(table, key) + "; "
                    + UPDATE + " SET " + increment(table.regulars().get(1)) + where(table, key) + "; APPLY BATCH";
        }
        return UPDATE + " SET " + increment(table.regulars().get(0))
                + (chance(30) ? ", " + increment(table.regulars().get(1)) : "") + where(table, key);
    }

    private String increment(final Column column) {
        return column.name() + " = " + column.name() + " + " + column.literal(random);
    }

    private String conditional(final TwinTable table, final String key) {
        final int dice = random.nextInt(100);
        if (dice < 35) {
            return insert(table, row(table, key), false) + " IF NOT EXISTS";
        }
        if (dice < 70) {
            return UPDATE + " SET " + assignments(table.regulars()) + where(table, key) + " IF " + condition();
        }
        if (dice < 80) {
            return UPDATE + " SET s1 = " + ValueType.small(random) + " WHERE " + key + " IF s1 "
                    + pick("= null", "!= " + ValueType.small(random));
        }
        if (dice < 92) {
            return "DELETE" + FROM + where(table, key) + " IF " + condition();
        }
        return "BEGIN BATCH " + insert(table, row(table, key), true) + " IF NOT EXISTS; " + UPDATE + " SET s1 = "
                + ValueType.small(random) + " WHERE " + key + "; APPLY BATCH";
    }

    private String condition() {
        return pick("EXISTS", "v1 > 0", "v1 IN (1, 2, 3, null)", "v2 != 'x'", "m[1] = null");
    }

    private boolean chance(final int percent) {
        return random.nextInt(100) < percent;
    }

    private String pick(final String... texts) {
        return texts[random.nextInt(texts.length)];
    }
}
