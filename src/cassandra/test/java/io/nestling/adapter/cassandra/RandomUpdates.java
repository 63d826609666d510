/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.context.CounterContext;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.CollectionType;
import org.apache.cassandra.db.marshal.CounterColumnType;
import org.apache.cassandra.db.marshal.DecimalType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.MapType;
import org.apache.cassandra.db.marshal.SetType;
import org.apache.cassandra.db.marshal.ShortType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.marshal.UserType;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.BufferCell;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.CellPath;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.CounterId;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random updates of all kinds. */
final class RandomUpdates {
    private static final long NOW_SECONDS = 1_700_000_000L;
    private static final int TIMESTAMPS = 2000;

    private final Random random;
    private final int partitions;
    private final int rowsPerPartition;
    private TableMetadata metadata;
    private boolean manyRanges;

    RandomUpdates(final Random random, final TableMetadata metadata, final int partitions, final int rowsPerPartition) {
        this.random = random;
        this.metadata = metadata;
        this.partitions = partitions;
        this.rowsPerPartition = rowsPerPartition;
    }

    /** Sets another definition of the table. */
    void use(final TableMetadata changed) {
        metadata = changed;
    }

    /** Gives all further updates range tombstones, most of them of few rows. */
    void deleteManyRanges() {
        manyRanges = true;
    }

    DecoratedKey key(final int number) {
        final byte[] bytes = new byte[1 + number % 5 * 7];
        new Random(number).nextBytes(bytes);
        bytes[0] = (byte) (number * 37);
        return metadata.partitioner.decorateKey(ByteBuffer.wrap(bytes));
    }

    DecoratedKey anyKey() {
        return key(random.nextInt(partitions));
    }

    private long timestamp() {
        return random.nextInt(50) == 0 ? random.nextLong() >> 8 : random.nextInt(TIMESTAMPS);
    }

    private DeletionTime deletion() {
        return DeletionTime.build(random.nextInt(TIMESTAMPS), NOW_SECONDS + random.nextInt(1000));
    }

    PartitionUpdate next() {
        final int kind = random.nextInt(100);
        final int rows = kind < 70 ? 1 + random.nextInt(3) : kind < 75 ? 20 + random.nextInt(60) : random.nextInt(2);
        final PartitionUpdate.Builder builder = new PartitionUpdate.Builder(
            metadata, anyKey(), metadata.regularAndStaticColumns(), rows, true);
        for (int i = 0; i < rows; i++) {
            builder.add(row(clustering()));
        }
        if (!metadata.staticColumns().isEmpty() && random.nextInt(6) == 0) {
            builder.add(row(Clustering.STATIC_CLUSTERING));
        }
        if (random.nextInt(60) == 0) {
            builder.addPartitionDeletion(deletion());
        }
        if (!metadata.clusteringColumns().isEmpty() && (manyRanges || random.nextInt(12) == 0)) {
            for (int i = random.nextInt(3); i >= 0; i--) {
                builder.add(new RangeTombstone(slice(), deletion()));
            }
        }
        return builder.build();
    }

    /** Returns an update of rows that all have the same mark, which shows whether a reader sees the update as a whole. */
    PartitionUpdate marked(final DecoratedKey key, final long mark, final int rows) {
        return marked(key, mark, rows, 0);
    }

    /** Returns an update as {@link #marked(DecoratedKey, long, int)} with range tombstones of the same mark behind the rows. */
    PartitionUpdate marked(final DecoratedKey key, final long mark, final int rows, final int ranges) {
        final ColumnMetadata column = metadata.getColumn(UTF8Type.instance.decompose("n"));
        final PartitionUpdate.Builder builder = new PartitionUpdate.Builder(
            metadata, key, metadata.regularAndStaticColumns(), rows, false);
        for (int i = 0; i < rows; i++) {
            final Row.Builder row = BTreeRow.unsortedBuilder();
            row.newRow(clusteringOf(i, "x"));
            row.addCell(BufferCell.live(column, mark, LongType.instance.decompose(mark)));
            builder.add(row.build());
        }
        for (int i = 0; i < ranges; i++) {
            builder.add(new RangeTombstone(range(rows + 2 * i, 1), DeletionTime.build(mark, NOW_SECONDS)));
        }
        return builder.build();
    }

    /** Returns a slice from a first value of clusterings, included, to before another one. */
    Slice range(final int from, final int length) {
        return Slice.make(
            ClusteringBound.create(metadata.comparator, true, true, from),
            ClusteringBound.create(metadata.comparator, false, false, from + length));
    }

    Clustering<?> clusteringOf(final int first, final String second) {
        final List<ByteBuffer> values = new ArrayList<>();
        for (final ColumnMetadata column : metadata.clusteringColumns()) {
            values.add(column.type.unwrap() instanceof Int32Type
                ? Int32Type.instance.decompose(first) : UTF8Type.instance.decompose(second));
        }
        return values.isEmpty() ? Clustering.EMPTY : Clustering.make(values.toArray(new ByteBuffer[0]));
    }

    Clustering<?> clustering() {
        final int row = random.nextInt(rowsPerPartition);
        return clusteringOf(row / 4 - 5, new String[] {"", "a", "b", "b\0c"}[row % 4]);
    }

    Slice slice() {
        if (manyRanges && random.nextInt(100) != 0) {
            return range(random.nextInt(rowsPerPartition) / 4 - 5, 1 + random.nextInt(3));
        }
        final ClusteringBound<?> one = bound(true);
        final ClusteringBound<?> other = bound(false);
        final Slice slice = Slice.make(one, other);
        if (!slice.isEmpty(metadata.comparator)) {
            return slice;
        }
        return Slice.make(clustering());
    }

    private ClusteringBound<?> bound(final boolean start) {
        final int size = random.nextInt(3);
        if (size == 0) {
            return start ? org.apache.cassandra.db.BufferClusteringBound.BOTTOM
                : org.apache.cassandra.db.BufferClusteringBound.TOP;
        }
        final Clustering<?> clustering = clustering();
        final ByteBuffer[] values = new ByteBuffer[Math.min(size, clustering.size())];
        for (int i = 0; i < values.length; i++) {
            values[i] = clustering.bufferAt(i);
        }
        final boolean inclusive = random.nextBoolean();
        final ClusteringPrefix.Kind kind = start
            ? inclusive ? ClusteringPrefix.Kind.INCL_START_BOUND : ClusteringPrefix.Kind.EXCL_START_BOUND
            : inclusive ? ClusteringPrefix.Kind.INCL_END_BOUND : ClusteringPrefix.Kind.EXCL_END_BOUND;
        return org.apache.cassandra.db.marshal.ByteBufferAccessor.instance.factory().bound(kind, values);
    }

    private Row row(final Clustering<?> clustering) {
        final boolean isStatic = clustering == Clustering.STATIC_CLUSTERING;
        final Row.Builder builder = BTreeRow.unsortedBuilder();
        builder.newRow(clustering);
        final boolean counter = metadata.isCounter();
        final int kind = random.nextInt(20);
        if (kind == 0 && !isStatic) {
            builder.addRowDeletion(Row.Deletion.regular(deletion()));
            return builder.build();
        }
        final long timestamp = timestamp();
        final int ttl = !counter && random.nextInt(8) == 0 ? 100 + random.nextInt(3) * 100 : 0;
        if (!counter && !isStatic && kind < 14) {
            builder.addPrimaryKeyLivenessInfo(
                LivenessAccess.of(timestamp, ttl, ttl == 0 ? Long.MAX_VALUE : NOW_SECONDS + ttl));
        }
        if (!counter && !isStatic && kind == 15) {
            builder.addRowDeletion(Row.Deletion.regular(deletion()));
        }
        for (final ColumnMetadata column : isStatic ? metadata.staticColumns() : metadata.regularColumns()) {
            if (random.nextInt(3) != 0) {
                if (column.isComplex()) {
                    addComplex(column, timestamp, ttl, builder);
                } else {
                    builder.addCell(cell(column, column.type, timestamp, ttl, null));
                }
            }
        }
        return builder.build();
    }

    private void addComplex(
        final ColumnMetadata column, final long timestamp, final int ttl, final Row.Builder builder) {
        if (random.nextInt(4) == 0) {
            builder.addComplexDeletion(column, DeletionTime.build(timestamp - 1, NOW_SECONDS));
        }
        final java.util.Set<Integer> seen = new java.util.HashSet<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            final int item = random.nextInt(6);
            if (seen.add(item) && !(column.type instanceof UserType && item > 1)) {
                builder.addCell(cell(column, valueType(column.type, item), timestamp, ttl, path(column.type, item)));
            }
        }
    }

    private static AbstractType<?> valueType(final AbstractType<?> type, final int item) {
        return type instanceof UserType ? ((UserType) type).type(item) : ((CollectionType<?>) type).valueComparator();
    }

    private static CellPath path(final AbstractType<?> type, final int item) {
        if (type instanceof UserType) {
            return CellPath.create(ShortType.instance.decompose((short) item));
        }
        if (type instanceof MapType) {
            return CellPath.create(UTF8Type.instance.decompose("key" + item));
        }
        if (type instanceof SetType) {
            return CellPath.create(Int32Type.instance.decompose(item));
        }
        final ByteBuffer timeId = ByteBuffer.allocate(16);
        timeId.putLong(0, 0x0000_0000_0000_1000L | (long) item << 32);
        timeId.putLong(8, 0x8080_8080_8080_8080L);
        return CellPath.create(timeId);
    }

    private Cell<?> cell(
        final ColumnMetadata column, final AbstractType<?> type, final long rowTimestamp, final int rowTtl,
        final CellPath path) {
        final long timestamp = random.nextInt(5) == 0 ? timestamp() : rowTimestamp;
        final int kind = random.nextInt(12);
        if (kind == 0) {
            return BufferCell.tombstone(column, timestamp, NOW_SECONDS + random.nextInt(1000), path);
        }
        if (type instanceof CounterColumnType) {
            return BufferCell.live(column, timestamp, counter());
        }
        final ByteBuffer value = value(type);
        if (kind == 1 || rowTtl != 0) {
            final int ttl = kind == 1 ? 50 : rowTtl;
            return BufferCell.expiring(column, timestamp, ttl, NOW_SECONDS, value, path);
        }
        return BufferCell.live(column, timestamp, value, path);
    }

    private ByteBuffer counter() {
        return CounterContext.instance().createGlobal(
            CounterId.fromInt(random.nextInt(3)), random.nextInt(10), random.nextInt(1000));
    }

    private ByteBuffer value(final AbstractType<?> type) {
        if (type instanceof UTF8Type) {
            return UTF8Type.instance.decompose("text" + random.nextInt(100));
        }
        if (type instanceof LongType) {
            return LongType.instance.decompose(random.nextLong());
        }
        if (type instanceof Int32Type) {
            return Int32Type.instance.decompose(random.nextInt());
        }
        if (type instanceof DecimalType) {
            return DecimalType.instance.decompose(BigDecimal.valueOf(random.nextInt(1000), random.nextInt(4)));
        }
        if (type instanceof UserType) {
            return ByteBuffer.wrap(new byte[] {0, 0, 0, 1, 'x', 0, 0, 0, 4, 0, 0, 0, 9});
        }
        if (type instanceof SetType) {
            return ByteBuffer.allocate(0);
        }
        final byte[] bytes = new byte[random.nextInt(10) == 0 ? random.nextInt(400) : random.nextInt(40)];
        random.nextBytes(bytes);
        final boolean direct = random.nextBoolean();
        return direct
            ? ByteBuffer.allocateDirect(bytes.length).put(0, bytes)
            : BytesType.instance.decompose(ByteBuffer.wrap(bytes));
    }
}
