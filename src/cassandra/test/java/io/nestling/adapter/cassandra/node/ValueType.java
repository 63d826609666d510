/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Types of CQL columns, with random literals. */
enum ValueType {
    INT("int", r -> String.valueOf(r.nextInt())),
    BIGINT("bigint", r -> String.valueOf(r.nextLong())),
    TEXT("text", r -> quote(text(r, r.nextInt(50) == 0 ? 3000 : 20))),
    BLOB("blob", r -> blob(r, r.nextInt(50) == 0 ? 3000 : 20)),
    DOUBLE("double", r -> String.valueOf(r.nextInt(1000) / 8.0)),
    DECIMAL("decimal", r -> String.valueOf(r.nextInt(2000) / 100.0 - 10)),
    BOOLEAN("boolean", r -> String.valueOf(r.nextBoolean())),
    COUNTER("counter", r -> String.valueOf(r.nextInt(200) - 100)),
    LIST("list<int>", r -> list(r, ValueType::small)),
    SET("set<text>", r -> set(r)),
    MAP("map<int, text>", r -> map(r)),
    FROZEN_LIST("frozen<list<int>>", r -> list(r, ValueType::small)),
    FROZEN_SET("frozen<set<text>>", r -> set(r)),
    FROZEN_MAP("frozen<map<int, text>>", r -> map(r)),
    TUPLE("frozen<tuple<int, text>>", r -> "(" + small(r) + ", " + smallText(r) + ")"),
    UDT("place", r -> place(r)),
    FROZEN_UDT("frozen<place>", r -> place(r)),
    ASCII("ascii", n -> "'" + Integer.toString(n, 2) + "'", true),
    DATE("date", n -> String.format(Locale.ROOT, "'%d-05-17'", 1000 + n), true),
    DURATION("duration", n -> n % 2 == 0 ? n + "d" : "-" + n + "mo3s", false),
    FLOAT("float", n -> String.valueOf(n / 4f - 1), true),
    INET("inet", n -> String.format(Locale.ROOT, n % 2 == 0 ? "'10.0.0.%d'" : "'2001:db8::%x'", n % 256), true),
    SMALLINT("smallint", n -> String.valueOf(n - 3), true),
    TIME("time", n -> String.format(Locale.ROOT, "'%02d:%02d:00.123456789'", n / 60, n % 60), true),
    TIMESTAMP("timestamp", n -> String.valueOf(1_000_000_000_000L * (n - 3)), true),
    TIMEUUID("timeuuid", n -> String.format(Locale.ROOT, "%08x-0000-1000-8000-%012x", n / 2, n % 2), true),
    TINYINT("tinyint", n -> String.valueOf(n % 200 - 100), true),
    UUID("uuid", n -> String.format(Locale.ROOT, "0000000%d-0000-%d000-8000-%012x", n % 2, n % 3 == 0 ? 1 : 4, n), true),
    VARINT("varint", n -> (n % 2 == 0 ? "" : "-") + "1" + "0".repeat(n % 40), true),
    VECTOR("vector<float, 3>", n -> "[" + n + ", " + (n * 7 % 5) + ".5, " + (n * 3 % 7) + "]", false);

    /** The definition of the type {@link #UDT}. */
    static final String PLACE = "place (street text, number int, tags frozen<set<text>>)";

    private static final int SMALL = 8;
    private static final int MANY = 1000;
    private static final String LETTERS = "abcdefgh'\u00e9\u4e2d\uffee\u0001 ";

    private final String cql;
    private final Function<Random, String> literal;
    private final IntFunction<String> numbered;
    private final boolean sliced;

    ValueType(final String cql, final Function<Random, String> literal) {
        this(cql, literal, null, true);
    }

    /** Creates a type whose literals are made of numbers from 0 to 999; {@code sliced} if {@code <} accepts it. */
    ValueType(final String cql, final IntFunction<String> numbered, final boolean sliced) {
        this(cql, random -> numbered.apply(random.nextInt(MANY)), numbered, sliced);
    }

    ValueType(
            final String cql, final Function<Random, String> literal, final IntFunction<String> numbered, final boolean sliced) {
        this.cql = cql;
        this.literal = literal;
        this.numbered = numbered;
        this.sliced = sliced;
    }

    String cql() {
        return cql;
    }

    /** Returns a random literal out of very many. */
    String literal(final Random random) {
        return literal.apply(random);
    }

    /** Returns a random literal out of few, so that statements affect the same rows. */
    String fewLiteral(final Random random) {
        final int n = random.nextInt(SMALL);
        switch (this) {
            case INT:
            case BIGINT:
                return String.valueOf(n - 2);
            case TEXT:
                return quote("h".repeat(n / 2) + "\u00e9".repeat(n % 2));
            case BLOB:
                return "0x" + "00".repeat(n / 3) + "ff".repeat(n % 3);
            case DECIMAL:
                return new String[] {"0", "0.0", "-1", "1E+3", "1000.5", "-0.001", "12345678901234567890", "7"}[n];
            default:
                return numbered == null ? literal(random) : numbered.apply(n);
        }
    }

    /** Returns whether values have more than one cell. */
    boolean collection() {
        return this == LIST || this == SET || this == MAP;
    }

    /** Returns whether {@code WRITETIME} and {@code TTL} accept the type. */
    boolean singleCell() {
        return !collection() && this != UDT && this != COUNTER;
    }

    /** Returns whether {@code CONTAINS} accepts the type. */
    boolean contains() {
        return collection() || this == FROZEN_LIST || this == FROZEN_SET || this == FROZEN_MAP;
    }

    /** Returns whether a query may filter by the type. */
    boolean filtered() {
        return this != UDT && this != VECTOR;
    }

    /** Returns whether {@code <} accepts the type. */
    boolean sliced() {
        return sliced && this != UDT && this != FROZEN_UDT && this != TUPLE && !contains();
    }

    /** Returns whether {@code SUM} accepts the type. */
    boolean summed() {
        return List.of(INT, BIGINT, SMALLINT, TINYINT, VARINT, DECIMAL, COUNTER).contains(this);
    }

    /** Returns a condition on one element of a collection. */
    String element(final String column, final Random random) {
        switch (this) {
            case LIST:
            case FROZEN_LIST:
                return column + " CONTAINS " + small(random);
            case SET:
            case FROZEN_SET:
                return column + " CONTAINS " + smallText(random);
            default:
                return random.nextInt(4) == 0
                        ? column + " CONTAINS " + TEXT.literal(random) : column + " CONTAINS KEY " + small(random);
        }
    }

    static String small(final Random random) {
        return String.valueOf(random.nextInt(SMALL));
    }

    static String smallText(final Random random) {
        return "'" + (char) ('a' + random.nextInt(SMALL)) + "'";
    }

    private static String list(final Random random, final Function<Random, String> element) {
        final StringBuilder text = new StringBuilder("[");
        final int size = random.nextInt(4);
        for (int i = 0; i < size; i++) {
            text.append(i == 0 ? "" : ", ").append(element.apply(random));
        }
        return text.append(']').toString();
    }

    private static String set(final Random random) {
        final String list = list(random, ValueType::smallText);
        return "{" + list.substring(1, list.length() - 1) + "}";
    }

    private static String map(final Random random) {
        final StringBuilder text = new StringBuilder("{");
        final int size = random.nextInt(4);
        for (int i = 0; i < size; i++) {
            text.append(i == 0 ? "" : ", ").append(i * 2 + random.nextInt(2)).append(": ").append(TEXT.literal(random));
        }
        return text.append('}').toString();
    }

    private static String place(final Random random) {
        return "{street: " + TEXT.literal(random) + (random.nextBoolean() ? ", number: " + small(random) : "")
                + (random.nextBoolean() ? ", tags: " + set(random) : "") + "}";
    }

    private static String text(final Random random, final int bound) {
        final int length = bound > 100 ? bound - random.nextInt(100) : random.nextInt(bound);
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return text.toString();
    }

    private static String blob(final Random random, final int bound) {
        final int length = bound > 100 ? bound - random.nextInt(100) : random.nextInt(bound);
        final StringBuilder text = new StringBuilder("0x");
        for (int i = 0; i < length; i++) {
            text.append(String.format(Locale.ROOT, "%02x", random.nextInt(256)));
        }
        return text.toString();
    }

    private static String quote(final String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
