/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.testing.Seeds;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.SkipListMemtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.schema.TableMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Secondary indexes get the same notifications as from Cassandra's own memtable; their failures and nested writes do no harm. */
class IndexerTest {
    private static final int UPDATES = 300;
    private static final int RANGES = 40;
    private static final int FAILURES = 200;

    @ParameterizedTest
    @CsvSource({"off_heap,0", "off_heap,3000", "partitions_on_heap,0"})
    void shouldTellIndexesWhatCassandraTells(final String storage, final String wideBytes) {
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.wide(Murmur3Partitioner.instance), Seeds.random("indexer " + storage), 5, 60);
        final NestlingMemtable nestling = fixture.nestling("storage", storage, "wide_partition_bytes", wideBytes);
        final Memtable peer = CassandraProcess.create(SkipListMemtable.FACTORY, fixture.ref, fixture.owner);
        for (int i = 0; i < UPDATES; i++) {
            final PartitionUpdate update = fixture.updates.next();
            final Recorder expected = new Recorder(fixture.metadata);
            final Recorder actual = new Recorder(fixture.metadata);
            fixture.put(peer, update, expected);
            fixture.put(nestling, update, actual);
            assertEquals(expected.events, actual.events, "update " + i);
        }
        MemtableFixture.discard(nestling);
        MemtableFixture.discard(peer);
    }

    @ParameterizedTest
    @CsvSource({"0", "1000000"})
    void shouldLeavePartitionAsItWasWhenIndexFails(final String wideBytes) {
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.wide(Murmur3Partitioner.instance), Seeds.random("failing indexer"), 5, 60);
        final NestlingMemtable memtable = fixture.nestling("wide_partition_bytes", wideBytes);
        final var key = fixture.updates.key(1);
        fixture.put(memtable, fixture.updates.marked(key, 10, 20, RANGES));
        final String before = Descriptions.of(fixture.read(memtable, key, Slices.ALL, false), true);
        long taken = 0;
        for (int i = 0; i < FAILURES; i++) {
            final Recorder failing = new Recorder(fixture.metadata);
            failing.failAfter = RANGES + 12;
            assertThrows(
                IllegalStateException.class, () -> fixture.put(memtable, fixture.updates.marked(key, 20, 40, RANGES), failing));
            assertTrue(failing.events.contains("commit"));
            fixture.put(memtable, fixture.updates.marked(key, 10, 20, RANGES));
            taken = i == FAILURES / 2 ? Memtable.getMemoryUsage(memtable).ownsOffHeap : taken;
        }
        assertEquals(taken, Memtable.getMemoryUsage(memtable).ownsOffHeap, 64 << 10);
        assertEquals(before, Descriptions.of(fixture.read(memtable, key, Slices.ALL, false), true));
        fixture.put(memtable, fixture.updates.marked(key, 30, 5, RANGES));
        fixture.put(memtable, fixture.updates.marked(key, 20, 40, RANGES));
        final Memtable peer = CassandraProcess.create(SkipListMemtable.FACTORY, fixture.ref, fixture.owner);
        fixture.put(peer, fixture.updates.marked(key, 10, 20, RANGES));
        fixture.put(peer, fixture.updates.marked(key, 30, 5, RANGES));
        fixture.put(peer, fixture.updates.marked(key, 20, 40, RANGES));
        assertEquals(
            Descriptions.of(fixture.read(peer, key, Slices.ALL, true), true),
            Descriptions.of(fixture.read(memtable, key, Slices.ALL, true), true));
        MemtableFixture.discard(memtable);
        MemtableFixture.discard(peer);
    }

    @Test
    void shouldAllowWritesToAnotherMemtableFromWithinWrite() {
        final MemtableFixture fixture = new MemtableFixture(
            TestTables.wide(Murmur3Partitioner.instance), Seeds.random("nested writes"), 5, 60);
        final NestlingMemtable outer = fixture.nestling("wide_partition_bytes", "0");
        final NestlingMemtable inner = fixture.nestling("wide_partition_bytes", "0");
        final NestlingMemtable expected = fixture.nestling("wide_partition_bytes", "0");
        final List<PartitionUpdate> written = new ArrayList<>();
        for (int i = 0; i < UPDATES; i++) {
            final PartitionUpdate update = fixture.updates.next();
            final PartitionUpdate other = fixture.updates.next();
            written.add(update);
            final Recorder indexer = new Recorder(fixture.metadata);
            indexer.onEachRow = () -> fixture.put(inner, other);
            fixture.put(outer, update, indexer);
        }
        written.forEach(update -> fixture.put(expected, update));
        for (int i = 0; i < 5; i++) {
            assertEquals(
                Descriptions.of(expected.rowIterator(fixture.updates.key(i)), true),
                Descriptions.of(outer.rowIterator(fixture.updates.key(i)), true));
        }
        List.of(outer, inner, expected).forEach(MemtableFixture::discard);
    }

    /** Records all notifications. */
    private static final class Recorder implements UpdateTransaction {
        private final TableMetadata metadata;
        private final List<String> events = new ArrayList<>();
        private int failAfter = Integer.MAX_VALUE;
        private Runnable onEachRow = () -> { };

        Recorder(final TableMetadata metadata) {
            this.metadata = metadata;
        }

        @Override
        public void start() {
            events.add("start");
        }

        @Override
        public void onPartitionDeletion(final DeletionTime deletion) {
            events.add("partition " + deletion);
        }

        @Override
        public void onRangeTombstone(final RangeTombstone range) {
            events.add("range " + range.toString(metadata.comparator));
        }

        @Override
        public void onInserted(final Row row) {
            add("inserted " + Descriptions.of(row, metadata));
        }

        @Override
        public void onUpdated(final Row existing, final Row updated) {
            add("updated " + Descriptions.of(existing, metadata) + Descriptions.of(updated, metadata));
        }

        private void add(final String event) {
            events.add(event);
            onEachRow.run();
            if (events.size() > failAfter) {
                throw new IllegalStateException("as the test wants");
            }
        }

        @Override
        public void commit() {
            events.add("commit");
        }
    }
}
