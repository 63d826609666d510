/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.testing.Seeds;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.MapType;
import org.apache.cassandra.db.memtable.AbstractAllocatorMemtable;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.SkipListMemtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableMetadata;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntPredicate;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Rows with large collections, which are merged before the lock is taken: no writer's change of an element is lost. */
class LargeRowsTest {
    private static final int WRITERS = 3;
    private static final int WRITES = 1500;
    private static final int ELEMENTS = 400;
    private static final int VALUE_BYTES = 30;

    private final TableMetadata metadata = TableMetadata.builder("ks", "large").partitioner(Murmur3Partitioner.instance)
        .addPartitionKeyColumn("pk", Int32Type.instance)
        .addClusteringColumn("c1", Int32Type.instance)
        .addRegularColumn("b", BytesType.instance)
        .addRegularColumn("m", MapType.getInstance(Int32Type.instance, BytesType.instance, true))
        .build();

    /** With one row, a partition stays whole. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldLoseNoChangeOfAnElement(final int rows) throws Exception {
        final long seed = Seeds.seed("large rows " + rows);
        final MemtableFixture fixture = new MemtableFixture(metadata, new Random(seed), 1, 1);
        final NestlingMemtable memtable = fixture.nestling("shards", "1");
        final Memtable peer = CassandraProcess.create(SkipListMemtable.FACTORY, fixture.ref, fixture.owner);
        final List<List<PartitionUpdate>> updates = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            updates.add(updates(new Random(seed + i), rows));
        }
        for (int i = 0; i < rows; i++) {
            // Large from the start.
            final PartitionUpdate first = update(i, element -> element % 2 == 0, new Random(seed - i), 1);
            fixture.put(memtable, first);
            fixture.put(peer, first);
        }
        final ExecutorService executor = Executors.newFixedThreadPool(WRITERS);
        final List<Future<Void>> running = new ArrayList<>();
        for (final List<PartitionUpdate> ofWriter : updates) {
            running.add(executor.submit((Callable<Void>) () -> {
                ofWriter.forEach(update -> fixture.put(memtable, update));
                return null;
            }));
        }
        for (final Future<Void> future : running) {
            future.get();
        }
        executor.shutdown();
        updates.forEach(ofWriter -> ofWriter.forEach(update -> fixture.put(peer, update)));
        final DecoratedKey key = metadata.partitioner.decorateKey(Int32Type.instance.decompose(0));
        assertEquals(
            Descriptions.of(fixture.read(peer, key, Slices.ALL, false), true),
            Descriptions.of(fixture.read(memtable, key, Slices.ALL, false), true));
        assertEquals(peer.getLiveDataSize() - Long.BYTES, memtable.getLiveDataSize());
        assertEquals(peer.operationCount(), memtable.operationCount());
        MemtableFixture.discard(memtable);
        MemtableFixture.discard(peer);
        assertEquals(0, AbstractAllocatorMemtable.MEMORY_POOL.offHeap.used());
    }

    private List<PartitionUpdate> updates(final Random random, final int rows) {
        final List<PartitionUpdate> updates = new ArrayList<>();
        for (int i = 0; i < WRITES; i++) {
            final int changed = random.nextInt(ELEMENTS);
            updates.add(update(random.nextInt(rows), element -> element == changed, random, 2 + random.nextInt(WRITES)));
        }
        return updates;
    }

    private PartitionUpdate update(
        final int row, final IntPredicate elements, final Random random, final long timestamp) {
        final PartitionUpdate.SimpleBuilder builder = PartitionUpdate.simpleBuilder(metadata, 0);
        final Row.SimpleBuilder changed = builder.timestamp(timestamp).row(row);
        for (int i = 0; i < ELEMENTS; i++) {
            if (elements.test(i)) {
                final byte[] value = new byte[VALUE_BYTES];
                random.nextBytes(value);
                changed.appendAll("m", Map.of(i, ByteBuffer.wrap(value)));
            }
        }
        return builder.build();
    }
}
