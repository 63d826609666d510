/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.partitions.AbstractUnfilteredPartitionIterator;
import org.apache.cassandra.db.partitions.Partition;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.schema.TableMetadata;

/** The result of a read of a range of partitions. */
final class MemtablePartitions extends AbstractUnfilteredPartitionIterator {
    private final TableMetadata metadata;
    private final PartitionScan scan;
    private final ColumnFilter columns;
    private final DataRange range;

    MemtablePartitions(
        final TableMetadata metadata, final PartitionScan scan, final ColumnFilter columns, final DataRange range) {
        this.metadata = metadata;
        this.scan = scan;
        this.columns = columns;
        this.range = range;
    }

    @Override
    public TableMetadata metadata() {
        return metadata;
    }

    @Override
    public boolean hasNext() {
        return scan.hasNext();
    }

    @Override
    public UnfilteredRowIterator next() {
        final Partition partition = scan.next();
        return range.clusteringIndexFilter(partition.partitionKey()).getUnfilteredRowIterator(columns, partition);
    }

    @Override
    public void close() {
        scan.close();
    }
}
