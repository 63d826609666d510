/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.offheap.SlabAllocator;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.concurrent.OpOrder;

import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

/** A table for tests, with operations on its memtables. */
final class MemtableFixture {
    final TableMetadata metadata;
    final TableMetadataRef ref;
    final CassandraProcess.Owner owner = new CassandraProcess.Owner(Murmur3Partitioner.instance);
    final RandomUpdates updates;
    private final OpOrder order = new OpOrder();

    MemtableFixture(final TableMetadata metadata, final Random random, final int partitions, final int rows) {
        CassandraProcess.start();
        this.metadata = metadata;
        this.ref = CassandraProcess.ref(metadata);
        this.updates = new RandomUpdates(random, metadata, partitions, rows);
    }

    NestlingMemtable nestling(final String... parameters) {
        return CassandraProcess.nestling(ref, owner, parameters);
    }

    NestlingMemtable nestling(final SlabAllocator slabs, final String... parameters) {
        return CassandraProcess.nestling(slabs, ref, owner, parameters);
    }

    long put(final Memtable memtable, final PartitionUpdate update) {
        return put(memtable, update, UpdateTransaction.NO_OP);
    }

    long put(final Memtable memtable, final PartitionUpdate update, final UpdateTransaction indexer) {
        try (OpOrder.Group group = order.start()) {
            return memtable.put(update, indexer, group);
        }
    }

    UnfilteredRowIterator read(
        final Memtable memtable, final DecoratedKey key, final Slices slices, final boolean reversed) {
        return memtable.rowIterator(
            key, slices, ColumnFilter.all(metadata), reversed, SSTableReadsListener.NOOP_LISTENER);
    }

    static void discard(final Memtable memtable) {
        memtable.switchOut(new OpOrder().newBarrier(), new AtomicReference<>());
        memtable.discard();
    }
}
