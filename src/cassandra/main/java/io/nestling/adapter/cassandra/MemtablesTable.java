/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.virtual.AbstractVirtualTable;
import org.apache.cassandra.db.virtual.SimpleDataSet;
import org.apache.cassandra.db.virtual.VirtualKeyspace;
import org.apache.cassandra.db.virtual.VirtualKeyspaceRegistry;
import org.apache.cassandra.dht.LocalPartitioner;
import org.apache.cassandra.schema.TableMetadata;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** The virtual table {@code nestling.memtables}: a row for each table whose memtables are Nestling's, with its statistics. */
final class MemtablesTable extends AbstractVirtualTable {
    static final String KEYSPACE = "nestling";
    static final String NAME = "memtables";

    private static final String TABLE_KEYSPACE = "keyspace_name";
    private static final String TABLE = "table_name";
    private static final String INDEX = "index_type";
    private static final String STORAGE = "storage";
    private static final String SHARDS = "shards";
    private static final String PARTITIONS = "partitions";
    private static final AtomicBoolean REGISTERED = new AtomicBoolean();

    MemtablesTable() {
        super(definition());
    }

    private static TableMetadata definition() {
        final TableMetadata.Builder builder = TableMetadata.builder(KEYSPACE, NAME)
            .comment("memtables of Nestling")
            .kind(TableMetadata.Kind.VIRTUAL)
            .partitioner(new LocalPartitioner(UTF8Type.instance))
            .addPartitionKeyColumn(TABLE_KEYSPACE, UTF8Type.instance)
            .addClusteringColumn(TABLE, UTF8Type.instance)
            .addRegularColumn(INDEX, UTF8Type.instance)
            .addRegularColumn(STORAGE, UTF8Type.instance)
            .addRegularColumn(SHARDS, Int32Type.instance)
            .addRegularColumn(PARTITIONS, LongType.instance);
        for (final MemtableStatistic statistic : MemtableStatistic.values()) {
            builder.addRegularColumn(statistic.column(), LongType.instance);
        }
        return builder.build();
    }

    /** Shows the table to clients; called again, it does nothing. */
    static void register() {
        if (REGISTERED.compareAndSet(false, true)) {
            VirtualKeyspaceRegistry.instance.register(new VirtualKeyspace(KEYSPACE, List.of(new MemtablesTable())));
        }
    }

    @Override
    public DataSet data() {
        final SimpleDataSet rows = new SimpleDataSet(metadata());
        for (final TableStatistics table : TableStatistics.all()) {
            final List<NestlingMemtable> present = table.present();
            if (present.isEmpty()) {
                continue;
            }
            final NestlingMemtable memtable = present.get(0);
            rows.row(memtable.metadata().keyspace, memtable.metadata().name)
                .column(INDEX, memtable.parameters().index().indexName())
                .column(STORAGE, memtable.parameters().storage().parameterValue())
                .column(SHARDS, memtable.shards().length)
                .column(PARTITIONS, present.stream().mapToLong(NestlingMemtable::partitionCount).sum());
            for (final MemtableStatistic statistic : MemtableStatistic.values()) {
                rows.column(statistic.column(), table.get(statistic));
            }
        }
        return rows;
    }
}
