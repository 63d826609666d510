/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;
import io.nestling.index.IndexFactory;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Claim;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import io.nestling.testing.StressThreads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Replaced records, whose memory new records reuse. */
class RecyclingTest {
    private static final int KEYS = 1_000;
    private static final int SNAPSHOTS = 5;

    static Stream<IndexFactory> locked() {
        return TestIndexes.real().filter(index -> index.ordered() && !index.concurrentWriters());
    }

    private static Memtable open(final IndexFactory index, final long capacityBytes, final KeepVersions keep) {
        return Memtable.open(
            MemtableOptions.builder().index(index).shards(1).capacityBytes(capacityBytes).keepVersions(keep).build());
    }

    private static byte[] key(final int number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number * 0x9E37_79B9_7F4A_7C15L).array();
    }

    /** Returns a value of 16 to 400 bytes, each word of which tells key and version. */
    private static byte[] value(final int key, final long version) {
        final ByteBuffer value = ByteBuffer.allocate(16 + (int) (key + version) % 49 * 8);
        while (value.hasRemaining()) {
            value.putLong((long) key << 40 | version);
        }
        return value.array();
    }

    /** Checks that a value is one whole value of a key, and returns its version. */
    private static long version(final int key, final byte[] value) {
        final long version = ByteBuffer.wrap(value).getLong() & (1L << 40) - 1;
        assertArrayEquals(value(key, version), value);
        return version;
    }

    /** A snapshot and the versions that it sees. */
    private record Moment(Snapshot snapshot, long[] versions) {
        void check(final Memtable memtable, final int key) {
            assertEquals(versions[key], version(key, snapshot.get(key(key))));
        }
    }

    /**
     * Updates for ever: -Dtest.effort=long writes 100 million times into 16 MiB. A memtable of the quick run would be full after
     * half of its updates.
     */
    @ParameterizedTest
    @MethodSource("locked")
    void shouldTakeUpdatesForEver(final IndexFactory index) throws Exception {
        final Random random = Seeds.random("RecyclingTest for ever " + index.indexName());
        final int updates = Effort.count(30_000, 300_000, 100_000_000);
        try (Memtable memtable = open(index, Effort.count(5 << 20, 10 << 20, 16 << 20), KeepVersions.NEWEST)) {
            final long[] versions = new long[KEYS];
            for (int key = 0; key < KEYS; key++) {
                memtable.put(key(key), value(key, 0));
            }
            final ArrayDeque<Moment> moments = new ArrayDeque<>();
            final StressThreads readers = new StressThreads();
            final AtomicInteger steps = new AtomicInteger();
            readers.start("reader", () -> read(memtable, readers, steps));
            EntryCursor cursor = memtable.cursor();
            final WriteBatch batch = new WriteBatch();
            for (int i = 0; i < updates; i++) {
                if (random.nextInt(100) > 0) {
                    final int key = random.nextInt(KEYS);
                    memtable.put(key(key), value(key, ++versions[key]));
                } else {
                    batch.clear();
                    for (int j = 0; j < 20; j++) {
                        final int key = random.nextInt(KEYS);
                        batch.put(key(key), value(key, ++versions[key]));
                    }
                    memtable.write(batch);
                }
                if (i % 256 == 0) { // a thread that is stopped inside a guard would keep all that is written meanwhile
                    for (final int seen = steps.get(); seen == steps.get() && readers.goOn();) {
                        Thread.yield();
                    }
                }
                if (i % 4096 == 0) {
                    moments.add(new Moment(memtable.snapshot(), versions.clone()));
                    moments.forEach(moment -> moment.check(memtable, random.nextInt(KEYS)));
                    if (moments.size() > SNAPSHOTS) {
                        moments.remove().snapshot.close();
                    }
                    cursor.close();
                    cursor = memtable.cursor();
                    assertTrue(cursor.first());
                }
            }
            cursor.close();
            readers.finish();
            final MemtableStats stats = memtable.stats();
            assertFalse(memtable.isFull(), stats.toString());
            assertEquals(0, stats.recyclingErrors());
            assertTrue(stats.versions() - stats.recycledVersions() < 20L * KEYS, stats.toString());
            assertTrue(stats.freeRecordBytes() <= stats.idleBytes(), stats.toString());
            for (int key = 0; key < KEYS; key++) {
                assertEquals(versions[key], version(key, memtable.get(key(key))));
                for (final Moment moment : moments) {
                    moment.check(memtable, key);
                }
            }
            assertEquals(KEYS, memtable.flush(new CollectingSink()).entries());
            MemtableChecks.verifyIndexes(memtable);
        }
    }

    /** Reads by gets and scans; a scan shows one moment, as each value comes with a copy of the first one. */
    private static void read(final Memtable memtable, final StressThreads threads, final AtomicInteger steps) {
        final long[] seen = new long[KEYS];
        final Random random = new Random(1);
        while (threads.goOn()) {
            for (int i = 0; i < 200; i++) {
                final int key = random.nextInt(KEYS);
                final long version = version(key, memtable.get(key(key)));
                assertTrue(version >= seen[key], version + " after " + seen[key]);
                seen[key] = version;
                steps.incrementAndGet();
            }
            try (Snapshot snapshot = memtable.snapshot(); EntryCursor cursor = snapshot.cursor()) {
                int shown = 0;
                byte[] before = null;
                for (boolean found = cursor.first(); found; found = cursor.next()) {
                    if (shown++ % 20 == 0) { // the run's other records are read later
                        before = cursor.value();
                        assertArrayEquals(before, snapshot.get(cursor.key()));
                        steps.incrementAndGet();
                    }
                }
                assertEquals(KEYS, shown);
            }
        }
    }

    /** A key keeps one version when nobody reads an older one, but for the last writes. */
    @ParameterizedTest
    @MethodSource("locked")
    void shouldKeepOneVersionOfEachKey(final IndexFactory index) {
        try (Memtable memtable = open(index, 4 << 20, KeepVersions.NEWEST)) {
            for (int i = 0; i < 3 * KEYS; i++) {
                memtable.put(key(i % KEYS), value(i % KEYS, i));
            }
            final MemtableStats stats = memtable.stats();
            assertTrue(stats.versions() - stats.recycledVersions() < KEYS + KEYS / 4, stats.toString());
        }
    }

    /** A batch that writes each of its keys so often that the numbers read at are noted while it recycles. */
    @ParameterizedTest
    @MethodSource("locked")
    void shouldRecycleWithinABatch(final IndexFactory index) {
        try (Memtable memtable = MemtableChecks.grown(open(index, 4 << 20, KeepVersions.NEWEST))) {
            for (int round = 0; round < 20; round++) {
                final WriteBatch batch = new WriteBatch();
                for (int i = 0; i < 301; i++) {
                    batch.put(key(i % 3), value(i % 3, 1_000L * round + i));
                }
                memtable.write(batch);
                for (int i = 298; i < 301; i++) {
                    assertEquals(1_000L * round + i, version(i % 3, memtable.get(key(i % 3))));
                }
            }
            final MemtableStats stats = memtable.stats();
            assertEquals(0, stats.recyclingErrors());
            assertTrue(stats.versions() - stats.recycledVersions() < 1_000, stats.toString());
            MemtableChecks.verifyIndexes(memtable);
        }
    }

    /** One key, whose versions form one long chain. */
    @ParameterizedTest
    @EnumSource(value = KeepVersions.class, names = "ALL", mode = EnumSource.Mode.EXCLUDE)
    void shouldRecycleTheVersionsOfOneKey(final KeepVersions keep) {
        for (final IndexFactory index : locked().toList()) {
            try (Memtable memtable = open(index, 1 << 20, keep)) {
                memtable.put(key(0), value(0, 0));
                final Snapshot first = memtable.snapshot();
                final Snapshot[] many = new Snapshot[30];
                for (int i = 1; i <= 9_000; i++) {
                    memtable.put(key(0), value(0, i));
                    if (i % 300 == 0) {
                        many[i / 300 - 1] = memtable.snapshot();
                    }
                }
                for (int i = 0; i < many.length; i++) {
                    assertEquals((i + 1) * 300, version(0, many[i].get(key(0))));
                }
                assertEquals(0, version(0, first.get(key(0))));
                final CollectingSink sink = new CollectingSink();
                memtable.flush(sink);
                assertEquals(keep == KeepVersions.NEWEST ? 1 : 31, sink.lines().size());
                Arrays.stream(many).forEach(Snapshot::close);
                for (int i = 0; i < 1_500; i++) {
                    memtable.put(key(0), value(0, i));
                }
                assertEquals(0, version(0, first.get(key(0))));
                final MemtableStats stats = memtable.stats();
                assertTrue(stats.versions() - stats.recycledVersions() < 1000, stats.toString());
            }
        }
    }

    @Test
    void shouldKeepAllVersionsThatAFlushWants() {
        for (final IndexFactory index : locked().toList()) {
            try (Memtable memtable = open(index, 4 << 20, KeepVersions.ALL)) {
                for (int i = 0; i < 5_000; i++) {
                    memtable.put(key(i % 3), value(i % 3, i));
                }
                assertEquals(0, memtable.stats().recycledVersions());
                assertEquals(5_000, memtable.flush(new CollectingSink()).entries());
            }
        }
    }

    /** A reader that stands still keeps what it may hold, and no more is lost when it goes on. */
    @ParameterizedTest
    @MethodSource("locked")
    void shouldKeepWhatAGuardMayHold(final IndexFactory index) {
        try (Memtable memtable = open(index, 1 << 20, KeepVersions.NEWEST)) {
            for (int i = 0; i < 1_000; i++) {
                memtable.put(key(0), value(0, i));
            }
            final Claim guard = memtable.state().enter();
            final MemtableShard shard = memtable.shards().shard(0);
            final long held = shard.newest(key(0), 0, Long.BYTES);
            final byte[] before = shard.value(held);
            final long recycled = memtable.stats().recycledVersions();
            for (int i = 0; i < 2_000; i++) {
                memtable.put(key(0), value(0, i));
            }
            assertTrue(memtable.stats().recycledVersions() < recycled + 1_000, memtable.stats().toString());
            assertArrayEquals(before, shard.value(held));
            guard.held = Claim.FREE;
            for (int i = 0; i < 6_000; i++) {
                memtable.put(key(0), value(0, i));
            }
            assertTrue(memtable.stats().recycledVersions() > recycled + 7_000, memtable.stats().toString());
            assertEquals(5_999, version(0, memtable.get(key(0))));
            assertFalse(memtable.isFull());
        }
    }

    /** Many versions of a key that a reader holds back. Seen to take 80 s where each 32nd write looks at all of them. */
    @Test
    void shouldNotLookAtManyVersionsAgainAndAgain() {
        try (Memtable memtable = MemtableChecks.grown(open(IndexType.TRIE, 64 << 20, KeepVersions.NEWEST))) {
            final Claim guard = memtable.state().enter();
            final byte[] value = new byte[1];
            final long start = System.nanoTime();
            for (int i = 0; i < 600_000; i++) {
                memtable.put(key(0), value);
            }
            guard.held = Claim.FREE;
            assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(6));
            for (int i = 0; i < 200_000; i++) {
                memtable.put(key(0), value);
            }
            final MemtableStats stats = memtable.stats();
            assertTrue(stats.versions() - stats.recycledVersions() < 1_000, stats.toString());
        }
    }

    /** A write takes effect, and the next ones work, whatever comes of the recycling behind it; nothing is recycled any more. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldOnlyEndTheRecyclingIfItFails(final boolean batches) {
        try (Memtable memtable = open(IndexType.TRIE, 1 << 20, KeepVersions.NEWEST)) {
            final RangeTombstones ranges = memtable.state().rangeTombstones();
            memtable.put(key(0), value(0, 0));
            final TombstoneWindow open = new TombstoneWindow(ranges, 1);
            final TombstoneWindow closed = new TombstoneWindow(ranges, 1);
            closed.close();
            open.older = closed; // the list is longer than its count, so the next look at it throws
            for (int i = 1; i <= 300; i++) {
                if (batches) {
                    memtable.write(new WriteBatch().put(key(0), value(0, i)));
                } else {
                    memtable.put(key(0), value(0, i));
                }
                assertEquals(i, version(0, memtable.get(key(0))));
            }
            open.older = null;
            open.close();
            assertEquals(1, memtable.stats().recyclingErrors());
            final long recycled = memtable.stats().recycledVersions();
            for (int i = 0; i < 300; i++) {
                memtable.put(key(0), value(0, i));
            }
            assertEquals(recycled, memtable.stats().recycledVersions());
            assertEquals(1, memtable.flush(new CollectingSink()).entries());
        }
    }

    /** A put that ends before it has its value leaves a record that links to one whose memory is used again. */
    @ParameterizedTest
    @MethodSource("locked")
    void shouldFollowNoLinkOfARecordThatAPutHasLeft(final IndexFactory index) {
        try (Memtable memtable = MemtableChecks.grown(open(index, 4 << 20, KeepVersions.NEWEST))) {
            final long[] versions = new long[4];
            for (int i = 0; i < 2_000; i++) {
                final int key = i % versions.length;
                memtable.put(key(key), value(key, ++versions[key]));
                final DirectBuffer closed = MemtableChecks.closedBuffer(value(key, i % 50));
                final UnsafeBuffer found = new UnsafeBuffer(key(key));
                assertThrows(MemtableChecks.ClosedBufferException.class,
                    () -> memtable.put(found, 0, found.capacity(), closed, 0, closed.capacity()));
            }
            // A random one of 32 puts looks at all versions: of 6,000 runs 2 % recycled less than 1,500, none less than 1,298.
            assertTrue(memtable.stats().recycledVersions() > 1_000, () -> memtable.stats().toString());
            for (int recovered = 0; recovered < 2; recovered++) {
                try (EntryCursor cursor = memtable.cursor()) {
                    int shown = 0;
                    for (boolean found = cursor.first(); found; found = cursor.next()) {
                        final int key = (int) (ByteBuffer.wrap(cursor.value()).getLong() >>> 40);
                        assertArrayEquals(key(key), cursor.key());
                        assertEquals(versions[key], version(key, cursor.value()));
                        shown++;
                    }
                    assertEquals(versions.length, shown);
                }
                memtable.state().failure().cause = new AssertionError("another write");
            }
        }
    }

    /** Cursors that were opened on the first structure of a shard, which keeps the records that were newest when it moved. */
    @ParameterizedTest
    @MethodSource("locked")
    void shouldKeepWhatCursorsOfASmallShardRead(final IndexFactory index) {
        try (Memtable memtable = open(index, 1 << 20, KeepVersions.NEWEST)) {
            for (int i = 0; i < 20; i++) {
                memtable.put(key(i % 10), value(i % 10, i));
            }
            assertTrue(memtable.shards().shard(0).isSmall());
            final EntryCursor cursor = memtable.cursor();
            for (int i = 20; i < 25; i++) {
                memtable.put(key(i % 10), value(i % 10, i));
            }
            MemtableChecks.grown(memtable);
            for (int i = 30; i < 10_000; i++) {
                memtable.put(key(i % 10), value(i % 10, i));
            }
            int shown = 0;
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                final byte[] value = cursor.value();
                final int key = (int) (ByteBuffer.wrap(value).getLong() >>> 40);
                assertArrayEquals(key(key), cursor.key());
                assertEquals(10 + key, version(key, value));
                shown++;
            }
            assertEquals(10, shown);
            cursor.close();
        }
    }

    /** A flush reads the versions of snapshots that are closed meanwhile. */
    @ParameterizedTest
    @MethodSource("locked")
    void shouldKeepWhatAFlushReads(final IndexFactory index) {
        try (Memtable memtable = open(index, 1 << 20, KeepVersions.NEEDED_BY_SNAPSHOTS)) {
            for (int i = 0; i < 100; i++) {
                memtable.put(key(i), value(i, 1));
            }
            final Snapshot snapshot = memtable.snapshot();
            for (int i = 0; i < 100; i++) {
                memtable.put(key(i), value(i, 2));
            }
            final CollectingSink expected = new CollectingSink();
            memtable.flush(expected);
            final CollectingSink sink = new CollectingSink();
            memtable.flush(new EntrySink() {
                @Override
                public void begin(final long entries, final long bytes, final long ranges) throws IOException {
                    sink.begin(entries, bytes, ranges);
                }

                @Override
                public void entry(final EntryView entry) throws IOException {
                    snapshot.close();
                    for (int i = 0; i < 300; i++) {
                        memtable.put(key(i % 100), value(i % 100, 3));
                    }
                    sink.entry(entry);
                }

                @Override
                public void rangeTombstone(final byte[] from, final byte[] to, final long sequence) {
                    throw new AssertionError();
                }

                @Override
                public void end() throws IOException {
                    sink.end();
                }
            });
            assertEquals(expected.lines(), sink.lines());
            assertEquals(200, sink.lines().size());
        }
    }

    /** Values of any size: free memory is divided, and joined again. */
    @ParameterizedTest
    @MethodSource("locked")
    void shouldReuseMemoryForRecordsOfOtherSizes(final IndexFactory index) {
        final Random random = Seeds.random("RecyclingTest sizes " + index.indexName());
        try (Memtable memtable = open(index, 2 << 20, KeepVersions.NEWEST)) {
            final byte[][] values = new byte[20][];
            for (int i = 0; i < 5_000; i++) {
                final int key = random.nextInt(values.length);
                values[key] = new byte[random.nextInt(10) > 0 ? random.nextInt(400) : random.nextInt(20_000)];
                random.nextBytes(values[key]);
                memtable.put(key(key), values[key]);
                final int other = random.nextInt(values.length);
                assertArrayEquals(values[other], memtable.get(key(other)));
            }
            final long free = memtable.stats().freeRecordBytes();
            assertThrows(SpaceExhaustedException.class, () -> memtable.put(key(0), new byte[4 << 20]));
            assertTrue(memtable.stats().freeRecordBytes() == free, memtable.stats().toString());
            for (int key = 0; key < values.length; key++) {
                assertArrayEquals(values[key], memtable.get(key(key)));
            }
        }
    }
}
