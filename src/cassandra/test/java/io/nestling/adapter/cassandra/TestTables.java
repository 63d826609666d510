/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.cql3.FieldIdentifier;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.CounterColumnType;
import org.apache.cassandra.db.marshal.DecimalType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.ListType;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.MapType;
import org.apache.cassandra.db.marshal.ReversedType;
import org.apache.cassandra.db.marshal.SetType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.marshal.UserType;
import org.apache.cassandra.dht.IPartitioner;
import org.apache.cassandra.schema.TableMetadata;

import java.util.List;

/** Tables with all features of rows. */
final class TestTables {
    static final String KEYSPACE = "ks";

    static {
        CassandraProcess.start();
    }

    private TestTables() {
    }

    static UserType person(final boolean multiCell) {
        return new UserType(
            KEYSPACE, UTF8Type.instance.decompose("person"),
            List.of(FieldIdentifier.forInternalString("name"), FieldIdentifier.forInternalString("age")),
            List.of(UTF8Type.instance, Int32Type.instance), multiCell);
    }

    /** Returns a table with two clusterings, the second one reversed, and static, simple, collection and user-type columns. */
    static TableMetadata wide(final IPartitioner partitioner) {
        return TableMetadata.builder(KEYSPACE, "wide").partitioner(partitioner)
            .addPartitionKeyColumn("pk", BytesType.instance)
            .addClusteringColumn("c1", Int32Type.instance)
            .addClusteringColumn("c2", ReversedType.getInstance(UTF8Type.instance))
            .addStaticColumn("s1", UTF8Type.instance)
            .addStaticColumn("s2", SetType.getInstance(Int32Type.instance, true))
            .addRegularColumn("b", BytesType.instance)
            .addRegularColumn("d", DecimalType.instance)
            .addRegularColumn("f", person(false))
            .addRegularColumn("l", ListType.getInstance(LongType.instance, true))
            .addRegularColumn("m", MapType.getInstance(UTF8Type.instance, BytesType.instance, true))
            .addRegularColumn("n", LongType.instance)
            .addRegularColumn("u", person(true))
            .build();
    }

    /** Returns a table without clustering. */
    static TableMetadata narrow(final IPartitioner partitioner) {
        return TableMetadata.builder(KEYSPACE, "narrow").partitioner(partitioner)
            .addPartitionKeyColumn("pk", BytesType.instance)
            .addRegularColumn("b", BytesType.instance)
            .addRegularColumn("n", LongType.instance)
            .addRegularColumn("t", UTF8Type.instance)
            .build();
    }

    /** Returns a table with one clustering column. */
    static TableMetadata series(final IPartitioner partitioner) {
        return TableMetadata.builder(KEYSPACE, "series").partitioner(partitioner)
            .addPartitionKeyColumn("pk", BytesType.instance)
            .addClusteringColumn("c1", Int32Type.instance)
            .addRegularColumn("b", BytesType.instance)
            .addRegularColumn("n", LongType.instance)
            .addRegularColumn("t", UTF8Type.instance)
            .build();
    }

    /** Returns a table of counters. */
    static TableMetadata counters(final IPartitioner partitioner) {
        return TableMetadata.builder(KEYSPACE, "counters").partitioner(partitioner).isCounter(true)
            .addPartitionKeyColumn("pk", BytesType.instance)
            .addClusteringColumn("c1", Int32Type.instance)
            .addStaticColumn("s", CounterColumnType.instance)
            .addRegularColumn("x", CounterColumnType.instance)
            .addRegularColumn("y", CounterColumnType.instance)
            .build();
    }
}
