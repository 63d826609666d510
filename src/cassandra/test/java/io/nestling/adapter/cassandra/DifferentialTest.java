/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Seeds;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ClusteringIndexFilter;
import org.apache.cassandra.db.filter.ClusteringIndexNamesFilter;
import org.apache.cassandra.db.filter.ClusteringIndexSliceFilter;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.SkipListMemtable;
import org.apache.cassandra.db.partitions.Partition;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.EncodingStats;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.dht.AbstractBounds;
import org.apache.cassandra.dht.Bounds;
import org.apache.cassandra.dht.ByteOrderedPartitioner;
import org.apache.cassandra.dht.ExcludingBounds;
import org.apache.cassandra.dht.IPartitioner;
import org.apache.cassandra.dht.IncludingExcludingBounds;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.concurrent.OpOrder;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Nestling's memtable and Cassandra's skip list get the same random updates and must give the same results for every read. */
class DifferentialTest {
    private static final int UPDATES = Integer.getInteger("differential.updates", 600);
    private static final int CHECK_EVERY = 20;

    private final OpOrder order = new OpOrder();
    private SlabAllocator slabs = SlabAllocator.direct();

    @BeforeAll
    static void start() {
        CassandraProcess.start();
    }

    @ParameterizedTest
    @CsvSource({
        "trie,off_heap,1500,3", "trie,off_heap,0,1", "trie,partitions_on_heap,0,2", "cuckoo_trie,off_heap,800,2",
        "wormhole,off_heap,800,2", "mlp_index,off_heap,800,1", "skip_list,off_heap,800,2",
        "wormhole,partitions_on_heap,0,1"})
    void shouldReadAsCassandraDoes(
        final String index, final String storage, final String wideBytes, final String shards) {
        final String[] parameters = {
            "index", index, "row_index", index, "storage", storage, "wide_partition_bytes", wideBytes, "shards", shards};
        compare(TestTables::wide, Murmur3Partitioner.instance, 12, 400, false, parameters);
        compare(TestTables::wide, ByteOrderedPartitioner.instance, 12, 120, false, parameters);
        compare(TestTables::narrow, Murmur3Partitioner.instance, 100, 1, false, parameters);
        compare(TestTables::counters, Murmur3Partitioner.instance, 5, 100, false, parameters);
    }

    /** All slabs are refused, or seven of eight. */
    @ParameterizedTest
    @CsvSource({
        "mlp_index,off_heap,800,1,1.0", "trie,off_heap,0,2,0.875", "trie,partitions_on_heap,0,1,1.0"})
    void shouldReadAsCassandraDoesWhenMemoryIsRefused(
        final String index, final String storage, final String wideBytes, final String shards, final double refused) {
        final String[] parameters = {
            "index", index, "row_index", index, "storage", storage, "wide_partition_bytes", wideBytes, "shards", shards};
        final RefusingSlabs refusing = new RefusingSlabs(refused, Seeds.random("refused " + String.join(" ", parameters)));
        slabs = refusing;
        compare(TestTables::wide, Murmur3Partitioner.instance, 3, 400, true, parameters);
        compare(TestTables::narrow, Murmur3Partitioner.instance, 300, 1, false, parameters);
        assertTrue(refusing.refusals() > 0);
    }

    /** Few that overlap, or nearly all. */
    @ParameterizedTest
    @CsvSource({"trie,0,6000", "wormhole,1500,400"})
    void shouldReadManyRangeTombstonesAsCassandraDoes(final String index, final String wideBytes, final int rows) {
        final String[] parameters = {"row_index", index, "wide_partition_bytes", wideBytes, "shards", "1"};
        compare(TestTables::wide, Murmur3Partitioner.instance, 2, rows, true, parameters);
    }

    private void compare(
        final Function<IPartitioner, TableMetadata> table, final IPartitioner partitioner, final int partitions,
        final int rows, final boolean manyRanges, final String... parameters) {
        final Random random = Seeds.random("differential " + String.join(" ", parameters));
        final TableMetadata metadata = table.apply(partitioner);
        final TableMetadataRef ref = CassandraProcess.ref(metadata);
        final CassandraProcess.Owner owner = new CassandraProcess.Owner(partitioner);
        final NestlingMemtable nestling = CassandraProcess.nestling(slabs, ref, owner, parameters);
        final Memtable peer = CassandraProcess.create(SkipListMemtable.FACTORY, ref, owner);
        final RandomUpdates updates = new RandomUpdates(random, metadata, partitions, rows);
        if (manyRanges) {
            updates.deleteManyRanges();
        }
        long operations = 0;
        for (int i = 0; i < UPDATES; i++) {
            if (i == UPDATES / 2) {
                alter(metadata, ref, updates);
            }
            final PartitionUpdate update = updates.next();
            operations += update.operationCount();
            try (OpOrder.Group group = order.start()) {
                assertEquals(
                    peer.put(update, UpdateTransaction.NO_OP, group), nestling.put(update, UpdateTransaction.NO_OP, group),
                    "time delta of update " + i);
            }
            if (i % CHECK_EVERY == 0 || i == UPDATES - 1) {
                checkAll(nestling, peer, updates, random, partitions);
                assertEquals(operations, nestling.operationCount());
                for (int j = 0; manyRanges && j < 40; j++) {
                    checkReads(nestling, peer, updates, random, nestling.metadata(), updates.key(j % partitions));
                }
            }
        }
        discard(nestling);
        discard(peer);
    }

    /** Drops a column and adds another one while the memtable is in use. */
    private static void alter(final TableMetadata metadata, final TableMetadataRef ref, final RandomUpdates updates) {
        final ColumnMetadata column = metadata.getColumn(org.apache.cassandra.db.marshal.UTF8Type.instance.decompose("n"));
        if (column == null) {
            return;
        }
        final TableMetadata changed = metadata.unbuild()
            .removeRegularOrStaticColumn(column.name)
            .recordColumnDrop(column, 900)
            .addRegularColumn("added", org.apache.cassandra.db.marshal.UTF8Type.instance)
            .build();
        if (set(ref, changed)) {
            updates.use(changed);
        }
    }

    /**
     * Sets the definition of the table if Cassandra allows that. In version 6 it belongs to the cluster; a test with nodes alters
     * tables.
     */
    private static boolean set(final TableMetadataRef ref, final TableMetadata changed) {
        try {
            final Method method = TableMetadataRef.class.getDeclaredMethod("set", TableMetadata.class);
            method.setAccessible(true);
            method.invoke(ref, changed);
            return true;
        } catch (final NoSuchMethodException e) {
            return false;
        } catch (final ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static void discard(final Memtable memtable) {
        memtable.switchOut(new OpOrder().newBarrier(), new java.util.concurrent.atomic.AtomicReference<>());
        memtable.discard();
    }

    private void checkAll(
        final NestlingMemtable nestling, final Memtable peer, final RandomUpdates updates, final Random random,
        final int partitions) {
        final TableMetadata metadata = nestling.metadata();
        assertEquals(peer.partitionCount(), nestling.partitionCount());
        assertEquals(peer.getMinTimestamp(), nestling.getMinTimestamp());
        assertEquals(peer.getMinLocalDeletionTime(), nestling.getMinLocalDeletionTime());
        assertEquals(peer.getLiveDataSize() - 8 * peer.partitionCount(), nestling.getLiveDataSize());
        for (int i = 0; i < partitions + 2; i++) {
            final DecoratedKey key = updates.key(i);
            assertSame(Descriptions.of(peer.rowIterator(key), false),
                Descriptions.of(nestling.rowIterator(key), false), "partition " + i);
            checkReads(nestling, peer, updates, random, metadata, key);
        }
        checkRanges(nestling, peer, updates, random, metadata);
        checkFlush(nestling, peer, updates);
    }

    private void checkReads(
        final Memtable nestling, final Memtable peer, final RandomUpdates updates, final Random random,
        final TableMetadata metadata, final DecoratedKey key) {
        final boolean reversed = random.nextBoolean();
        final ColumnFilter columns = columns(metadata, random);
        final Slices slices = slices(updates, random, metadata);
        assertSame(
            Descriptions.of(peer.rowIterator(key, slices, columns, reversed, SSTableReadsListener.NOOP_LISTENER), true),
            Descriptions.of(nestling.rowIterator(key, slices, columns, reversed, SSTableReadsListener.NOOP_LISTENER), true),
            slices + " reversed " + reversed);
    }

    private static Slices slices(final RandomUpdates updates, final Random random, final TableMetadata metadata) {
        if (metadata.clusteringColumns().isEmpty() || random.nextInt(3) == 0) {
            return Slices.ALL;
        }
        final Slices.Builder builder = new Slices.Builder(metadata.comparator);
        for (int i = random.nextInt(4); i >= 0; i--) {
            builder.add(updates.slice());
        }
        return builder.build();
    }

    private static ColumnFilter columns(final TableMetadata metadata, final Random random) {
        if (random.nextBoolean()) {
            return ColumnFilter.all(metadata);
        }
        final ColumnFilter.Builder builder = random.nextBoolean()
            ? ColumnFilter.selectionBuilder() : ColumnFilter.allRegularColumnsBuilder(metadata, random.nextBoolean());
        for (final ColumnMetadata column : metadata.regularAndStaticColumns()) {
            if (random.nextBoolean()) {
                builder.add(column);
            }
        }
        return builder.build();
    }

    private void checkRanges(
        final Memtable nestling, final Memtable peer, final RandomUpdates updates, final Random random,
        final TableMetadata metadata) {
        final ColumnFilter columns = ColumnFilter.all(metadata);
        for (int i = 0; i < 6; i++) {
            final ClusteringIndexFilter filter;
            if (random.nextBoolean() && !metadata.clusteringColumns().isEmpty()) {
                final TreeSet<Clustering<?>> names = new TreeSet<>(metadata.comparator);
                for (int j = random.nextInt(5); j >= 0; j--) {
                    names.add(updates.clustering());
                }
                filter = new ClusteringIndexNamesFilter(names, random.nextBoolean());
            } else {
                filter = new ClusteringIndexSliceFilter(slices(updates, random, metadata), random.nextBoolean());
            }
            final DataRange range = new DataRange(bounds(updates, random, i), filter);
            final String expected = Descriptions.of(peer.partitionIterator(columns, range, SSTableReadsListener.NOOP_LISTENER));
            assertSame(
                expected, Descriptions.of(nestling.partitionIterator(columns, range, SSTableReadsListener.NOOP_LISTENER)),
                range.toString(metadata));
        }
    }

    private static PartitionPosition position(final RandomUpdates updates, final Random random) {
        final DecoratedKey key = updates.anyKey();
        return switch (random.nextInt(4)) {
            case 0 -> key.getToken().minKeyBound();
            case 1 -> key.getToken().maxKeyBound();
            default -> key;
        };
    }

    private static AbstractBounds<PartitionPosition> bounds(final RandomUpdates updates, final Random random, final int i) {
        PartitionPosition left = position(updates, random);
        PartitionPosition right = position(updates, random);
        if (left.compareTo(right) > 0) {
            final PartitionPosition swapped = left;
            left = right;
            right = swapped;
        }
        final PartitionPosition minimum = left.getPartitioner().getMinimumToken().minKeyBound();
        switch (i) {
            case 0:
                return new Bounds<>(left, right);
            case 1:
                return left.equals(right) ? new Bounds<>(left, right) : new Range<>(left, right);
            case 2:
                return left.equals(right) ? new Bounds<>(left, right) : new IncludingExcludingBounds<>(left, right);
            case 3:
                return left.equals(right) ? new Bounds<>(left, right) : new ExcludingBounds<>(left, right);
            case 4:
                return new Range<>(left, minimum);
            default:
                return new Range<>(minimum, minimum);
        }
    }

    private void checkFlush(final NestlingMemtable nestling, final Memtable peer, final RandomUpdates updates) {
        PartitionPosition from = updates.anyKey();
        PartitionPosition to = updates.anyKey().getToken().maxKeyBound();
        if (from.compareTo(to) > 0) {
            from = null;
        }
        checkFlush(nestling.getFlushSet(from, to), peer.getFlushSet(from, to));
        checkFlush(nestling.getFlushSet(null, to), peer.getFlushSet(null, to));
        checkFlush(nestling.getFlushSet(null, null), peer.getFlushSet(null, null));
        final Clustering<?> clustering = updates.clustering();
        assertSame(
            rows(peer.getFlushSet(null, null), clustering), rows(nestling.getFlushSet(null, null), clustering), "one row");
    }

    /** Returns the text of one row of each partition. */
    private static String rows(final Memtable.FlushablePartitionSet<?> partitions, final Clustering<?> clustering) {
        final StringBuilder text = new StringBuilder();
        for (final Partition partition : partitions) {
            final Row row = partition.getRow(clustering);
            text.append(row == null ? "none\n" : Descriptions.of(row, partition.metadata()));
        }
        return text.toString();
    }

    private static void checkFlush(
        final Memtable.FlushablePartitionSet<?> nestling, final Memtable.FlushablePartitionSet<?> peer) {
        assertEquals(peer.partitionCount(), nestling.partitionCount());
        assertEquals(peer.partitionKeysSize(), nestling.partitionKeysSize());
        assertEquals(peer.columns(), nestling.columns());
        final EncodingStats stats = nestling.encodingStats();
        assertEquals(peer.encodingStats(), stats);
        for (int round = 0; round < 2; round++) {
            final List<String> expected = new ArrayList<>();
            final List<String> actual = new ArrayList<>();
            for (final Partition partition : peer) {
                expected.add(Descriptions.of(partition.unfilteredIterator(), false) + partition.isEmpty() + partition.hasRows());
            }
            for (final Partition partition : nestling) {
                actual.add(Descriptions.of(partition.unfilteredIterator(), false) + partition.isEmpty() + partition.hasRows());
            }
            assertSame(String.join("\n", expected), String.join("\n", actual), "flush");
        }
    }

    /** Fails with the first line that differs. */
    private static void assertSame(final String expected, final String actual, final String what) {
        if (expected.equals(actual)) {
            return;
        }
        final String[] lines = expected.split("\n");
        final String[] others = actual.split("\n");
        for (int i = 0; i < Math.max(lines.length, others.length); i++) {
            final String line = i < lines.length ? lines[i] : "nothing";
            assertEquals(line, i < others.length ? others[i] : "nothing", what + ", line " + i);
        }
        throw new AssertionError(what);
    }
}
