/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.index.EntryCursor;
import io.nestling.offheap.SlabAllocator;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.EmptyIterators;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.db.RegularAndStaticColumns;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.memtable.AbstractAllocatorMemtable;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.ShardBoundaries;
import org.apache.cassandra.db.partitions.Partition;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.EncodingStats;
import org.apache.cassandra.db.rows.LazilyInitializedUnfilteredRowIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.NoSpamLogger;
import org.apache.cassandra.utils.concurrent.OpOrder;
import org.apache.cassandra.utils.memory.MemtableAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;

/**
 * A memtable for Cassandra that finds partitions with an index of Nestling. In {@code cassandra.yaml}:
 * <pre>
 * memtable:
 *   configurations:
 *     nestling:
 *       class_name: io.nestling.adapter.cassandra.NestlingMemtable
 *       parameters:
 *         index: mlp_index         # of partitions: any ordered index
 *         row_index: trie          # of the rows of wide partitions
 *         storage: off_heap        # or partitions_on_heap
 *         shards: 4                # default: number of cores
 *         wide_partition_bytes: 2048
 * </pre>
 * It runs on Cassandra 5.0 and 6.0.
 * <h2>Thread safety</h2> As Cassandra requires: any number of threads write and read.
 */
public final class NestlingMemtable extends AbstractAllocatorMemtable {
    private static final Logger LOGGER = LoggerFactory.getLogger(NestlingMemtable.class);

    static {
        HelperDirectory.set();
    }

    private final MemtableParameters parameters;
    private final PartitionKeys keys;
    private final ShardBoundaries boundaries;
    private final MemtableShard[] shards;
    private final MemtableAllocator.SubAllocator account;
    private final ColumnNumbers columnNumbers = new ColumnNumbers();
    private final CollectedColumns collectedColumns = new CollectedColumns();
    private volatile boolean canSplitRows = true;
    private final AtomicBoolean switchRequested = new AtomicBoolean();
    private final SlabAllocator slabs;

    NestlingMemtable(
        final AtomicReference<CommitLogPosition> commitLogLowerBound, final TableMetadataRef metadata,
        final Owner owner, final MemtableParameters parameters, final SlabAllocator slabs) {
        super(commitLogLowerBound, metadata, owner);
        this.parameters = parameters;
        this.slabs = slabs;
        this.keys = PartitionKeys.of(metadata.get().partitioner);
        this.boundaries = owner.localRangeSplits(parameters.shards());
        // If Cassandra allows memtables no memory off the heap, a charge there would wait forever.
        this.account = MEMORY_POOL.offHeap.limit > 0 ? allocator.offHeap() : allocator.onHeap();
        this.shards = new MemtableShard[boundaries.shardCount()];
        for (int i = 0; i < shards.length; i++) {
            shards[i] = parameters.storage() == Storage.OFF_HEAP ? new RecordShard(this) : new ObjectShard(this);
        }
        TableStatistics.add(this);
        NodeLimits.check();
    }

    /**
     * Returns the factory for Cassandra and removes the known parameters from the map.
     *
     * @param options parameters of the configuration; {@code index}, {@code row_index}, {@code storage},
     *     {@code shards} and {@code wide_partition_bytes} are removed from it
     * @return a factory that equals others with the same parameters
     * @throws org.apache.cassandra.exceptions.ConfigurationException if a value is unknown or out of range
     */
    public static Memtable.Factory factory(final Map<String, String> options) {
        final MemtableParameters parameters = MemtableParameters.takeFrom(options);
        LOGGER.info("Memtables of Nestling with {}", parameters);
        if (!SlabAllocator.direct().lazy()) {
            LOGGER.warn("Memory cannot be mapped: memtables take direct buffers up to three quarters of -XX:MaxDirectMemorySize,"
                + " then heap; -Djna.tmpdir names a directory for the native helper");
        }
        MemtablesTable.register();
        return new NestlingMemtableFactory(parameters);
    }

    MemtableParameters parameters() {
        return parameters;
    }

    PartitionKeys keys() {
        return keys;
    }

    /** Returns whether the table of this memtable exists. */
    boolean isOfTable() {
        return !(owner instanceof ColumnFamilyStore) || ((ColumnFamilyStore) owner).isValid();
    }

    SlabAllocator slabs() {
        return slabs;
    }

    MemtableShard[] shards() {
        return shards;
    }

    /** Charges allocated memory on the heap. */
    void chargeHeap(final long bytes, final OpOrder.Group group) {
        if (bytes != 0) {
            allocator.onHeap().adjust(bytes, group);
        }
    }

    /** Charges allocated memory; waits while Cassandra's memtables have exhausted theirs. */
    void charge(final long bytes, final OpOrder.Group group) {
        if (bytes != 0) {
            account.adjust(bytes, group);
        }
    }

    ColumnNumbers columnNumbers() {
        return columnNumbers;
    }

    /** Returns whether clusterings can be keys of an index. */
    boolean canSplitRows() {
        return canSplitRows;
    }

    /** Makes all further partitions stay whole. */
    void cannotSplitRows() {
        canSplitRows = false;
    }

    /** Collects the columns and statistics of an update for a flush, before a reader can see the update. */
    void collect(final PartitionUpdate update) {
        final EncodingStats stats = update.stats();
        updateMin(minTimestamp, stats.minTimestamp);
        updateMin(minLocalDeletionTime, stats.minLocalDeletionTime);
        collectedColumns.add(update.columns());
        if (!statsCollector.get().mergeWith(stats).equals(statsCollector.get())) {
            statsCollector.update(stats);
        }
    }

    /** Returns the columns of all writes. */
    RegularAndStaticColumns collectedColumns() {
        return collectedColumns.get();
    }

    /** Returns the bounds of all writes. */
    EncodingStats collectedStats() {
        return statsCollector.get();
    }

    // ---- writing ----

    /**
     * Merges an update into its partition. Implements a method of Cassandra 5.0, which is a default method in 6.0.
     *
     * @param update the update, which is copied
     * @param indexer notifies secondary indexes
     * @param group the write's group of operations
     * @return the least time difference to an overwritten cell; {@link Long#MAX_VALUE} if there was none
     */
    public long put(final PartitionUpdate update, final UpdateTransaction indexer, final OpOrder.Group group) {
        final MemtableShard shard = shards[boundaries.getShardForKey(update.partitionKey())];
        final long timeDelta = shard.put(update, indexer, group);
        if (shard.isNearLimit()) {
            requestFlush("before an index of it is full");
        } else if (shard.isOverflowing()) {
            reportOverflow(shard);
        }
        return timeDelta;
    }

    private void requestFlush(final String reason) {
        if (!switchRequested.get() && switchRequested.compareAndSet(false, true)) {
            LOGGER.info("Asking for a flush of {} {}", this, reason);
            owner.signalFlushRequired(this, ColumnFamilyStore.FlushReason.MEMTABLE_LIMIT);
        }
    }

    /**
     * Logs that memory was refused and asks for a flush if that gives back more memory off heap than the memtable has on the heap
     * instead. Else a flush would help nobody: it comes when memtables have filled their part of the heap.
     */
    private void reportOverflow(final MemtableShard shard) {
        final long onHeap = overflowBytes();
        NoSpamLogger.log(LOGGER, NoSpamLogger.Level.WARN, 1, TimeUnit.MINUTES,
            "Memory off the heap was refused: writes to {}.{} go on in {} bytes of the heap ({})", metadata().keyspace,
            metadata().name, onHeap, shard.refusal());
        if (sum(MemtableShard::offHeapBytes) >= onHeap) {
            requestFlush("since memory off the heap was refused");
        }
    }

    /**
     * Merges an update into its partition. Implements a method of Cassandra 6.0.
     *
     * @param update the update, which is copied
     * @param indexer notifies secondary indexes
     * @param group the write's group of operations
     * @param assumeMissing a hint that the partition is new, which is ignored
     * @return the least time difference to an overwritten cell; {@link Long#MAX_VALUE} if there was none
     */
    public long put(
        final PartitionUpdate update, final UpdateTransaction indexer, final OpOrder.Group group,
        final boolean assumeMissing) {
        return put(update, indexer, group);
    }

    // ---- reading ----

    @Override
    public UnfilteredRowIterator rowIterator(
        final DecoratedKey key, final Slices slices, final ColumnFilter columns, final boolean reversed,
        final SSTableReadsListener listener) {
        final Partition partition = partition(key);
        return partition == null ? null : partition.unfilteredIterator(columns, slices, reversed);
    }

    @Override
    public UnfilteredRowIterator rowIterator(final DecoratedKey key) {
        final Partition partition = partition(key);
        if (!(partition instanceof WidePartition)) {
            return partition == null ? null : partition.unfilteredIterator();
        }
        // A compaction only checks that this is not null and does not close it: it must hold no guard before its first use.
        ((WidePartition) partition).exitGuard();
        return new LazilyInitializedUnfilteredRowIterator(key) {
            @Override
            protected UnfilteredRowIterator initializeIterator() {
                final Partition present = partition(key);
                return present == null
                    ? EmptyIterators.unfilteredRow(NestlingMemtable.this.metadata(), key, false)
                    : present.unfilteredIterator();
            }
        };
    }

    private Partition partition(final DecoratedKey key) {
        return shards[boundaries.getShardForKey(key)].partition(key);
    }

    @Override
    public UnfilteredPartitionIterator partitionIterator(
        final ColumnFilter columns, final DataRange range, final SSTableReadsListener listener) {
        final PartitionScan scan = new PartitionScan(
            this, PartitionRange.of(range.keyRange(), keys), PartitionUse.READ);
        return new MemtablePartitions(metadata(), scan, columns, range);
    }

    // ---- statistics and flushes ----

    @Override
    public boolean isClean() {
        return partitionCount() == 0;
    }

    @Override
    public long partitionCount() {
        return sum(MemtableShard::partitionCount);
    }

    @Override
    public long getLiveDataSize() {
        return sum(MemtableShard::liveDataSize);
    }

    @Override
    public long operationCount() {
        return sum(MemtableShard::operations);
    }

    /** Returns the number of writes since memory off heap was refused to their shards. */
    long overflowedWrites() {
        return sum(MemtableShard::overflowedWrites);
    }

    /** Returns the number of bytes on the heap that records and keys take because memory was refused. */
    long overflowBytes() {
        return sum(MemtableShard::overflowBytes);
    }

    long sum(final ToLongFunction<MemtableShard> count) {
        return Arrays.stream(shards).mapToLong(count).sum();
    }

    @Override
    public FlushablePartitionSet<Partition> getFlushSet(final PartitionPosition from, final PartitionPosition to) {
        return new FlushSet(from, to);
    }

    @Override
    public void discard() {
        try {
            TableStatistics.remove(this);
        } finally {
            super.discard();
            for (final MemtableShard shard : shards) {
                shard.close();
            }
        }
    }

    /** The partitions from one position to another, in order; it can be iterated repeatedly. */
    private final class FlushSet extends AbstractFlushablePartitionSet<Partition> {
        private final TableMetadata pinnedMetadata = NestlingMemtable.this.metadata();
        private final PartitionPosition from;
        private final PartitionPosition to;
        private final PartitionRange range;
        private long partitionCount;
        private long partitionKeyBytes;

        FlushSet(final PartitionPosition from, final PartitionPosition to) {
            this.from = from;
            this.to = to;
            this.range = PartitionRange.of(from, to, keys);
            final boolean all = range.from() == null && range.to() == null;
            for (final MemtableShard shard : shards) {
                if (all) {
                    partitionCount += shard.partitionCount();
                    partitionKeyBytes += shard.partitionKeyBytes();
                } else {
                    count(shard);
                }
            }
        }

        private void count(final MemtableShard shard) {
            final ShardMemory memory = shard.memory();
            final int guard = memory == null ? MemtableShard.NO_GUARD : shard.enter(memory);
            if (guard == MemtableShard.NO_GUARD) {
                return;
            }
            try (EntryCursor cursor = memory.partitions().cursor()) {
                boolean valid = range.from() == null ? cursor.first() : cursor.seek(range.from());
                while (valid && range.reaches(cursor.keyBuffer(), cursor.keyLength())) {
                    partitionCount++;
                    partitionKeyBytes += keys.keyLength(cursor.keyBuffer(), cursor.keyLength());
                    valid = cursor.next();
                }
            } finally {
                memory.epochs.exit(guard);
            }
        }

        @Override
        public Memtable memtable() {
            return NestlingMemtable.this;
        }

        @Override
        public TableMetadata metadata() {
            return pinnedMetadata;
        }

        @Override
        public RegularAndStaticColumns columns() {
            return collectedColumns();
        }

        @Override
        public EncodingStats encodingStats() {
            return collectedStats();
        }

        @Override
        public PartitionPosition from() {
            return from;
        }

        @Override
        public PartitionPosition to() {
            return to;
        }

        @Override
        public long partitionCount() {
            return partitionCount;
        }

        @Override
        public long partitionKeysSize() {
            return partitionKeyBytes;
        }

        @Override
        public Iterator<Partition> iterator() {
            return new PartitionScan(NestlingMemtable.this, range, PartitionUse.FLUSH);
        }
    }
}
