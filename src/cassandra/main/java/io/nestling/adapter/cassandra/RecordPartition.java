/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.RegularAndStaticColumns;
import org.apache.cassandra.db.partitions.ImmutableBTreePartition;
import org.apache.cassandra.db.rows.EncodingStats;
import org.apache.cassandra.schema.TableMetadata;

/** One state of a small partition, decoded from its record; it is on the heap and stays valid forever. */
final class RecordPartition extends ImmutableBTreePartition {
    RecordPartition(
        final TableMetadata metadata, final DecoratedKey key, final PartitionHead head, final Object[] rows,
        final RegularAndStaticColumns columns, final EncodingStats stats) {
        super(metadata, key, columns, head.staticRow(), rows, head.deletion(), stats);
    }

    @Override
    protected boolean canHaveShadowedData() {
        return true; // merging keeps what a deletion of the partition or of a range covers
    }
}
