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
    private static final String LEGACY = "legacy_local_table";
    private static final String SAI = "sai";

    private TwinSchema() {
    }

    /**
     * Returns new tables.
     *
     * @param withSai whether to include storage-attached indexes, which not every partitioner allows
     */
    static List<TwinTable> tables(final boolean withSai) {
        final List<TwinTable> tables =
                new ArrayList<>(List.of(rows(), single(), reversed(), legacy(), counters(), conditional()));
        if (withSai) {
            tables.add(sai());
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
                .regular("v1", ValueType.TEXT);
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
}
