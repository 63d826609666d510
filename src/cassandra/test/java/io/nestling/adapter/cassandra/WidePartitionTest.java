/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.testing.Seeds;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.BufferCell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.ColumnMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Partitions of many rows, and keys longer than the limit of indexes. */
class WidePartitionTest {
    private static final int ROWS = Integer.getInteger("wide.rows", 100_000);
    private static final int PER_UPDATE = 500;
    private static final int PAGE = 100;

    @ParameterizedTest
    @ValueSource(strings = {"trie", "wormhole", "mlp_index"})
    void shouldReadPagesOfLargePartitionWithoutReadingItAll(final String index) {
        final MemtableFixture fixture = fixture();
        final NestlingMemtable memtable = fixture.nestling("row_index", index);
        final DecoratedKey key = fixture.updates.key(3);
        for (int i = 0; i < ROWS; i += PER_UPDATE) {
            // not in the order of the clustering
            fixture.put(memtable, rows(fixture, key, (int) ((i * 7919L) % ROWS / PER_UPDATE * PER_UPDATE)));
        }
        final int written = count(fixture.read(memtable, key, Slices.ALL, false), Integer.MAX_VALUE);
        assertTrue(written > ROWS / 2);
        final long start = System.nanoTime();
        for (int i = 0; i < 200; i++) {
            final int from = (int) (i * 104_729L % (ROWS - PAGE));
            final Slices slice = Slices.with(fixture.metadata.comparator, Slice.make(
                ClusteringBound.create(fixture.metadata.comparator, true, true, from),
                ClusteringBound.create(fixture.metadata.comparator, false, true, ROWS)));
            count(fixture.read(memtable, key, slice, false), PAGE);
            count(fixture.read(memtable, key, slice, true), PAGE);
        }
        final long millis = (System.nanoTime() - start) / 1_000_000;
        // Reading the whole partition that often would take more than a minute.
        assertTrue(millis < 5000, millis + " ms for 400 pages");
        MemtableFixture.discard(memtable);
    }

    @Test
    void shouldTakeKeysThatAreLongerThanAnIndexTakes() {
        final MemtableFixture fixture = fixture();
        final NestlingMemtable memtable = fixture.nestling("wide_partition_bytes", "0", "shards", "1");
        final byte[] bytes = new byte[0xFFFF];
        for (int i = 0; i < 3; i++) {
            bytes[bytes.length - 1] = (byte) i;
            final DecoratedKey key = fixture.metadata.partitioner.decorateKey(ByteBuffer.wrap(bytes.clone()));
            for (int round = 1; round < 3; round++) {
                fixture.put(memtable, longRows(fixture, key, round));
            }
            final String read = Descriptions.of(fixture.read(memtable, key, Slices.ALL, false), false);
            assertTrue(read.contains("ts 2"), read.substring(0, 100));
            assertFalse(read.contains("ts 1 "));
            assertEquals(3, count(fixture.read(memtable, key, Slices.ALL, true), 10));
        }
        fixture.put(memtable, rows(fixture, fixture.updates.key(1), 0));
        assertEquals(4, memtable.partitionCount());
        int partitions = 0;
        DecoratedKey before = null;
        for (final var partition : memtable.getFlushSet(null, null)) {
            assertTrue(before == null || before.compareTo(partition.partitionKey()) < 0);
            before = partition.partitionKey();
            partitions++;
        }
        assertEquals(4, partitions);
        MemtableFixture.discard(memtable);
    }

    private static MemtableFixture fixture() {
        return new MemtableFixture(TestTables.wide(Murmur3Partitioner.instance), Seeds.random("wide"), 5, 60);
    }

    private static PartitionUpdate rows(final MemtableFixture fixture, final DecoratedKey key, final int from) {
        final PartitionUpdate.Builder builder = builder(fixture, key, PER_UPDATE);
        for (int i = from; i < from + PER_UPDATE; i++) {
            builder.add(row(fixture, fixture.updates.clusteringOf(i, "a"), 1));
        }
        return builder.build();
    }

    private static PartitionUpdate longRows(final MemtableFixture fixture, final DecoratedKey key, final int timestamp) {
        final PartitionUpdate.Builder builder = builder(fixture, key, 3);
        for (int i = 0; i < 3; i++) {
            final byte[] text = new byte[0xFFFF];
            Arrays.fill(text, (byte) 'x');
            text[text.length - 1] = (byte) ('a' + i);
            builder.add(row(
                fixture, Clustering.make(Int32Type.instance.decompose(7), ByteBuffer.wrap(text)), timestamp));
        }
        return builder.build();
    }

    private static PartitionUpdate.Builder builder(
        final MemtableFixture fixture, final DecoratedKey key, final int rows) {
        return new PartitionUpdate.Builder(
            fixture.metadata, key, fixture.metadata.regularAndStaticColumns(), rows, false);
    }

    private static Row row(final MemtableFixture fixture, final Clustering<?> clustering, final long timestamp) {
        final ColumnMetadata column = fixture.metadata.getColumn(UTF8Type.instance.decompose("n"));
        assertNotNull(column);
        return BTreeRow.singleCellRow(
            clustering, BufferCell.live(column, timestamp, LongType.instance.decompose(timestamp)));
    }

    private static int count(final UnfilteredRowIterator rows, final int most) {
        int count = 0;
        try (rows) {
            while (count < most && rows.hasNext()) {
                assertTrue(rows.next().isRow());
                count++;
            }
        }
        return count;
    }
}
