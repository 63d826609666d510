/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import java.util.ArrayList;
import java.util.List;

/** The tables of the workload, which together use every feature that affects a memtable. */
final class TwinSchema {
    /** The table with storage-attached indexes. */
    static final String SAI_TABLE = "sai";
    /** The table with SASI indexes. */
    static final String SASI_TABLE = "sasi";
    /** The definition of a function that queries call on columns of the type {@code int}. */
    static final String FUNCTION = "FUNCTION $K.bump (n int) RETURNS NULL ON NULL INPUT RETURNS int LANGUAGE java AS"
            + " 'return n * 3 + 1;'";
    /** The definitions of an aggregate's steps, and of the aggregate: the largest less the least number. */
    static final List<String> AGGREGATE = List.of(
            "FUNCTION $K.widen (s frozen<tuple<int, int>>, n int) CALLED ON NULL INPUT RETURNS frozen<tuple<int, int>>"
                    + " LANGUAGE java AS 'if (n == null) return s;"
                    + " s.setInt(0, Math.min(s.getInt(0), n)); s.setInt(1, Math.max(s.getInt(1), n)); return s;'",
            "FUNCTION $K.width (s frozen<tuple<int, int>>) CALLED ON NULL INPUT RETURNS bigint LANGUAGE java AS"
                    + " 'return (long) s.getInt(1) - s.getInt(0);'",
            "AGGREGATE $K.spread (int) SFUNC widen STYPE frozen<tuple<int, int>> FINALFUNC width"
                    + " INITCOND (2147483647, -2147483648)");
    /** The column of that table whose index is for prefixes. */
    static final String PREFIXED = "d";
    private static final String LEGACY = "'legacy_local_table'";
    private static final String SAI = "'sai'";
    private static final String EUCLIDEAN = SAI + " WITH OPTIONS = {'similarity_function': 'euclidean'}";
    private static final String SASI = "'org.apache.cassandra.index.sasi.SASIIndex'";
    private static final String SASI_CONTAINS = SASI + " WITH OPTIONS = {'mode': 'CONTAINS'}";

    private TwinSchema() {
    }

    /**
     * Returns new tables.
     *
     * @param withTokenIndexes whether to include SASI and storage-attached indexes, which not every partitioner allows
     */
    static List<TwinTable> tables(final boolean withTokenIndexes) {
        final List<TwinTable> tables = new ArrayList<>(List.of(rows(), single(), reversed(), legacy(), counters(), conditional(),
                types(), statics(), dense(), sparse(), viewed()));
        if (withTokenIndexes) {
            tables.addAll(List.of(sai(), vectors(), sasi()));
        }
        for (final TwinTable table : List.copyOf(tables)) {
            if (table.view() != null) {
                tables.add(table.view());
            }
        }
        return tables;
    }

    /** Returns a table with static columns, collections, user types, and a clustering in mixed order. */
    private static TwinTable rows() {
        return new TwinTable("rows", TwinTable.Kind.PLAIN)
                .clustering("c1", ValueType.TEXT, false).clustering("c2", ValueType.INT, true)
                .statics("s1", ValueType.TEXT).statics("s2", ValueType.MAP).statics("s3", ValueType.BIGINT)
                .regular("v1", ValueType.TEXT).regular("v2", ValueType.BIGINT).regular("v3", ValueType.BLOB)
                .regular("l", ValueType.LIST).regular("st", ValueType.SET).regular("m", ValueType.MAP)
                .regular("fl", ValueType.FROZEN_LIST).regular("u", ValueType.UDT).regular("fu", ValueType.FROZEN_UDT);
    }

    /** Returns a table with one row per partition and a key of two columns. */
    private static TwinTable single() {
        return new TwinTable("single", TwinTable.Kind.PLAIN).partitionKey("q", ValueType.TEXT)
                .regular("v1", ValueType.BLOB).regular("v2", ValueType.INT).regular("b", ValueType.BOOLEAN)
                .regular("m", ValueType.MAP).regular("t", ValueType.TUPLE);
    }

    /** Returns a table with clustering columns of varying length, two of them reversed, and a row cache. */
    private static TwinTable reversed() {
        return new TwinTable("reversed", TwinTable.Kind.PLAIN)
                .clustering("c1", ValueType.TEXT, true).clustering("c2", ValueType.BLOB, false)
                .clustering("c3", ValueType.DECIMAL, true)
                .statics("s1", ValueType.INT)
                .regular("d", ValueType.DOUBLE).regular("v1", ValueType.TEXT)
                .options("caching = {'keys': 'ALL', 'rows_per_partition': '10'}");
    }

    private static TwinTable legacy() {
        return new TwinTable("legacy", TwinTable.Kind.PLAIN).clustering("c1", ValueType.INT, false)
                .statics("s1", ValueType.TEXT)
                .indexed("a", ValueType.INT, LEGACY).indexed("b", ValueType.TEXT, LEGACY)
                .regular("v1", ValueType.TEXT);
    }

    private static TwinTable sai() {
        return new TwinTable(SAI_TABLE, TwinTable.Kind.PLAIN).clustering("c1", ValueType.INT, true)
                .statics("s1", ValueType.TEXT)
                .indexed("a", ValueType.INT, SAI).indexed("b", ValueType.TEXT, SAI)
                .regular("v1", ValueType.TEXT)
                .neverExpires();
    }

    private static TwinTable counters() {
        return new TwinTable("counters", TwinTable.Kind.COUNTER).clustering("c1", ValueType.INT, false)
                .statics("s1", ValueType.COUNTER)
                .regular("n1", ValueType.COUNTER).regular("n2", ValueType.COUNTER);
    }

    private static TwinTable conditional() {
        return new TwinTable("conditional", TwinTable.Kind.CONDITIONAL).clustering("c1", ValueType.INT, false)
                .statics("s1", ValueType.INT)
                .regular("v1", ValueType.INT).regular("v2", ValueType.TEXT).regular("m", ValueType.MAP);
    }

    /** Returns a table with a storage-attached index of vectors beside one of numbers. */
    private static TwinTable vectors() {
        return new TwinTable("vectors", TwinTable.Kind.PLAIN).clustering("c1", ValueType.INT, false)
                .indexed("a", ValueType.INT, SAI).vector("ve", EUCLIDEAN)
                .regular("v1", ValueType.TEXT)
                .neverExpires();
    }

    /**
     * Returns a table with SASI indexes. Such an index loses words that are written while the memtable is switched, with any
     * memtable, until their rows are flushed.
     */
    private static TwinTable sasi() {
        return new TwinTable(SASI_TABLE, TwinTable.Kind.PLAIN).clustering("c1", ValueType.INT, false)
                .indexed("a", ValueType.INT, SASI).indexed("b", ValueType.TEXT, SASI_CONTAINS)
                .indexed(PREFIXED, ValueType.TEXT, SASI)
                .regular("v1", ValueType.TEXT)
                .neverExpires().notSwitchedBesideWrites();
    }

    /** Returns a table with a column of each further type, for queries that filter. */
    private static TwinTable types() {
        return new TwinTable("types", TwinTable.Kind.PLAIN)
                .clustering("c1", ValueType.TIMEUUID, true).clustering("c2", ValueType.SMALLINT, false)
                .statics("s1", ValueType.FROZEN_MAP)
                .few("v1", ValueType.ASCII).few("v2", ValueType.DATE).few("v3", ValueType.DURATION).few("v4", ValueType.FLOAT)
                .few("v5", ValueType.INET).few("v6", ValueType.TIME).few("v7", ValueType.TIMESTAMP).few("v8", ValueType.TINYINT)
                .few("v9", ValueType.UUID).few("w1", ValueType.VARINT).few("w2", ValueType.FROZEN_SET)
                .few("w3", ValueType.BOOLEAN).few("w4", ValueType.DECIMAL).few("w5", ValueType.BLOB);
    }

    /** Returns a table with large static rows and many deleted ranges. */
    private static TwinTable statics() {
        return new TwinTable("statics", TwinTable.Kind.PLAIN)
                .clustering("c1", ValueType.INT, false).clustering("c2", ValueType.BIGINT, true)
                .statics("s1", ValueType.MAP).statics("s2", ValueType.LIST).statics("s3", ValueType.UDT)
                .statics("s4", ValueType.TEXT).statics("s5", ValueType.SET)
                .regular("v1", ValueType.INT)
                .deletesRanges();
    }

    /** Returns a table of compact storage whose clustering names its cells. */
    private static TwinTable dense() {
        return new TwinTable("dense", TwinTable.Kind.COMPACT)
                .clustering("c1", ValueType.INT, false).clustering("c2", ValueType.TEXT, false)
                .regular("v1", ValueType.TEXT);
    }

    /** Returns a table of compact storage without clustering, whose columns Cassandra keeps as static ones. */
    private static TwinTable sparse() {
        return new TwinTable("sparse", TwinTable.Kind.COMPACT)
                .regular("a", ValueType.INT).regular("v1", ValueType.TEXT).regular("v2", ValueType.BLOB);
    }

    /** Returns a table with a materialized view, and with few rows, so that these come back to where they were in the view. */
    private static TwinTable viewed() {
        return new TwinTable("viewed", TwinTable.Kind.PLAIN).clustering("c1", ValueType.BOOLEAN, false)
                .few("a", ValueType.BOOLEAN).regular("v1", ValueType.TEXT).regular("v2", ValueType.MAP)
                .neverExpires()
                .viewedBy("a");
    }
}
