/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.OrderedIndex;
import io.nestling.offheap.Claim;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import io.nestling.testing.StressThreads;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Readers beside writers. */
@Tag("jdk")
class MemtableConcurrencyTest {
    private static final String ALL_INDEXES = "io.nestling.memtable.TestIndexes#all";
    private static final int PAIRS = 50;
    private static final long RUN_MILLIS = Effort.count(100, 400, 400);

    private static byte[] key(final int number) {
        return ByteBuffer.allocate(4).putInt(number * 0x9E3779B1).array();
    }

    private static byte[] value(final long number) {
        return ByteBuffer.allocate(8).putLong(number).array();
    }

    private static Memtable open(final IndexFactory index, final int shards) {
        return Memtable.open(MemtableOptions.builder().index(index).shards(shards).capacityBytes(512L << 20)
            .keepVersions(KeepVersions.NEEDED_BY_SNAPSHOTS).build());
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldShowAllOfABatchOrNone(final IndexFactory index) throws Exception {
        try (Memtable memtable = open(index, 3)) {
            final StressThreads threads = new StressThreads();
            for (int writer = 0; writer < 2; writer++) {
                final Random random = Seeds.random("batches " + index + " " + writer);
                threads.start("writer " + writer, () -> {
                    final WriteBatch batch = new WriteBatch();
                    while (threads.goOn() && !memtable.isFull()) {
                        writePair(memtable, batch, random);
                    }
                });
            }
            final AtomicLong hits = new AtomicLong();
            for (int reader = 0; reader < 2; reader++) {
                final Random random = Seeds.random("batch readers " + index + " " + reader);
                threads.start("reader " + reader, () -> {
                    while (threads.goOn()) {
                        hits.addAndGet(readPair(memtable, random));
                    }
                });
            }
            threads.runFor(RUN_MILLIS).runUntil(() -> hits.get() > 0).finish();
            assertTrue(hits.get() > 0, "no reader has ever seen anything");
        }
    }

    /** Two keys get the same value, or are deleted together, alone or as ranges. */
    private static void writePair(final Memtable memtable, final WriteBatch batch, final Random random) {
        final int pair = random.nextInt(PAIRS);
        final byte[] left = key(2 * pair);
        final byte[] right = key(2 * pair + 1);
        batch.clear();
        switch (random.nextInt(10)) {
            case 0:
                batch.delete(left).delete(right);
                break;
            case 1:
                if (memtable.stats().rangeTombstones() < 200) {
                    batch.deleteRange(left, Arrays.copyOf(left, 5)).deleteRange(right,
                        Arrays.copyOf(right, 5));
                }
                break;
            default:
                final byte[] value = value(random.nextLong());
                batch.put(left, value).put(right, value);
                break;
        }
        final long sequence = memtable.write(batch);
        assertTrue(memtable.lastSequence() >= sequence);
    }

    private static int readPair(final Memtable memtable, final Random random) {
        final int pair = random.nextInt(PAIRS);
        final byte[][] keys = {key(2 * pair), key(2 * pair + 1)};
        final byte[][] values = new byte[2][];
        if (random.nextBoolean()) {
            memtable.getAll(keys, values);
        } else {
            try (Snapshot snapshot = memtable.snapshot()) {
                values[0] = snapshot.get(keys[0]);
                values[1] = snapshot.get(keys[1]);
            }
        }
        assertArrayEquals(values[0], values[1]);
        return values[0] == null ? 0 : 1;
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldScanOneMomentWhileWritersAndEpochsMoveOn(final IndexFactory index) throws Exception {
        try (Memtable memtable = open(index, 2)) {
            final StressThreads threads = new StressThreads();
            final Random random = Seeds.random("scans " + index);
            threads.start("writer", () -> {
                for (long i = 0; threads.goOn() && !memtable.isFull(); i++) {
                    // Every key is written in every round, so that a scan of one moment sees at most two
                    // rounds.
                    final long round = i / 500;
                    memtable.put(key((int) (i % 500)), value(round));
                }
            });
            threads.start("epochs", () -> {
                while (threads.goOn()) {
                    memtable.state().epochs().tryAdvance();
                }
            });
            threads.start("scanner", () -> {
                while (threads.goOn()) {
                    scan(memtable, random.nextBoolean());
                }
            });
            threads.start("flusher", () -> {
                while (threads.goOn()) {
                    memtable.flush(new CollectingSink());
                }
            });
            threads.runFor(RUN_MILLIS).finish();
        }
    }

    private static void scan(final Memtable memtable, final boolean forward) {
        final List<Long> rounds = new ArrayList<>();
        try (Snapshot snapshot = memtable.snapshot(); EntryCursor cursor = snapshot.cursor()) {
            byte[] previous = null;
            for (boolean more = forward ? cursor.first() : cursor.last(); more;
                more = forward ? cursor.next() : cursor.previous()) {
                final byte[] key = cursor.key();
                if (previous != null) {
                    assertEquals(forward, Arrays.compareUnsigned(previous, key) < 0, "out of order");
                }
                assertTrue(cursor.sequence() <= snapshot.sequence());
                assertArrayEquals(cursor.value(), snapshot.get(key));
                rounds.add(ByteBuffer.wrap(cursor.value()).getLong());
                previous = key;
            }
            assertEquals(Math.min(500, snapshot.sequence()), rounds.size());
        }
        if (!rounds.isEmpty()) {
            final long least = rounds.stream().mapToLong(Long::longValue).min().getAsLong();
            final long most = rounds.stream().mapToLong(Long::longValue).max().getAsLong();
            assertTrue(most - least <= 1, "rounds " + least + " to " + most + " in one moment");
        }
    }

    /**
     * The twin of the test before: a cursor that does not seek anew is caught by the index that the test
     * uses.
     */
    @Test
    void shouldCatchACursorThatMovesOnFromAPlaceOfLongAgo() {
        try (Memtable memtable = MemtableChecks.grown(open(StrictIndex.factory(), 1))) {
            memtable.put(key(1), value(1));
            memtable.put(key(2), value(2));
            try (EntryCursor good = memtable.cursor();
                EntryCursor bad = ((OrderedIndex) memtable.shards().shard(0).index()).cursor()) {
                assertTrue(good.first());
                assertTrue(bad.first());
                assertTrue(memtable.state().epochs().tryAdvance());
                assertTrue(good.next());
                assertThrows(AssertionError.class, bad::next);
            }
        }
    }

    @Test
    void shouldNumberWritesOfAllThreadsWithoutGaps() throws Exception {
        try (Memtable memtable = open(StrictIndex.factory(), 4)) {
            final StressThreads threads = new StressThreads();
            final int count = 5000;
            final long[][] numbers = new long[4][count];
            for (int writer = 0; writer < 4; writer++) {
                final int first = writer * count;
                final long[] own = numbers[writer];
                threads.start("writer " + writer, () -> {
                    for (int i = 0; i < count; i++) {
                        own[i] = memtable.put(key(first + i), value(i));
                        assertTrue(memtable.lastSequence() >= own[i]);
                        assertTrue(i == 0 || own[i] > own[i - 1]);
                    }
                });
            }
            threads.join();
            final long[] all = Arrays.stream(numbers).flatMapToLong(Arrays::stream).sorted().toArray();
            for (int i = 0; i < all.length; i++) {
                assertEquals(i + 1, all[i]);
            }
            assertEquals(4 * count, memtable.lastSequence());
            assertEquals(4 * count, memtable.stats().entries());
        }
    }

    @Test
    void shouldFinishWritesUnderWayWhenFrozen() throws Exception {
        for (int round = 0; round < 20; round++) {
            try (Memtable memtable = open(StrictIndex.factory(), 3)) {
                final StressThreads threads = new StressThreads();
                final AtomicLong written = new AtomicLong();
                for (int writer = 0; writer < 3; writer++) {
                    final int first = writer << 20;
                    threads.start("writer " + writer, () -> {
                        final WriteBatch batch = new WriteBatch();
                        try {
                            for (int i = first; true; i += 2) {
                                batch.clear();
                                memtable.write(batch.put(key(i), value(i)).put(key(i + 1), value(i)));
                                written.addAndGet(2);
                            }
                        } catch (final IllegalStateException e) {
                            assertEquals("memtable is frozen", e.getMessage());
                        }
                    });
                }
                while (written.get() < 20 && threads.goOn()) {
                    Thread.onSpinWait();
                }
                memtable.freeze();
                final long last = memtable.lastSequence();
                final FlushResult result = memtable.flush(new CollectingSink());
                threads.finish();
                assertEquals(last, memtable.lastSequence());
                assertEquals(written.get(), result.entries());
                assertEquals(written.get(), memtable.stats().entries());
            }
        }
    }

    /** Each writer keeps to a shard of its own: what it counts must not meet the counters of the others. */
    @Test
    void shouldCountBatchesBesideThoseOfOtherShards() throws Exception {
        final int batches = 30_000;
        try (Memtable memtable = open(StrictIndex.factory(), 3)) {
            final StressThreads threads = new StressThreads();
            for (int shard = 0; shard < 3; shard++) {
                int number = shard;
                while (memtable.shards().of(key(number), 0, key(number).length) != memtable.shards().shard(shard)) {
                    number++;
                }
                final byte[] key = key(number);
                threads.start("writer of shard " + shard, () -> {
                    final WriteBatch batch = new WriteBatch();
                    for (int i = 0; i < batches; i++) {
                        batch.clear();
                        memtable.write(batch.put(key, new byte[i % 3]));
                    }
                });
            }
            threads.join();
            for (int shard = 0; shard < 3; shard++) {
                assertEquals(batches, memtable.shards().shard(shard).counters().versions(), "versions of shard " + shard);
            }
            memtable.freeze();
            memtable.flush(new CollectingSink());
        }
    }

    @Test
    void shouldWaitForAWriteUnderWayWhenFrozenOrClosed() throws Exception {
        for (final boolean close : new boolean[] {false, true}) {
            final Memtable memtable = open(StrictIndex.factory(), 3);
            final ShardLock lock = memtable.shards().shard(1).lock();
            final CountDownLatch ended = new CountDownLatch(1);
            final StressThreads threads = new StressThreads();
            final Claim claim = lock.lock();
            try {
                threads.start("ending", () -> {
                    if (close) {
                        memtable.close();
                    } else {
                        memtable.freeze();
                    }
                    ended.countDown();
                });
                assertFalse(ended.await(50, TimeUnit.MILLISECONDS), "did not wait");
                assertFalse(memtable.state().isFrozen() || memtable.state().isClosed());
            } finally {
                claim.held = Claim.FREE;
            }
            threads.finish();
            assertEquals(0, ended.getCount());
            memtable.close();
        }
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldCloseUnderReadersAndWriters(final IndexFactory index) throws Exception {
        for (int round = 0; round < Effort.count(6, 15, 15); round++) {
            final Memtable memtable = open(index, 2);
            for (int i = 0; i < 300; i++) {
                memtable.put(key(i), value(i));
            }
            final StressThreads threads = new StressThreads();
            final CountDownLatch started = new CountDownLatch(6);
            final List<StressThreads.Task> tasks = List.of(
                () -> memtable.get(key(7)),
                () -> memtable.getAll(new byte[][] {key(1), key(2), key(3)}, new byte[3][]),
                () -> scan(memtable),
                () -> memtable.put(key((int) System.nanoTime() % 1000), value(1)),
                () -> memtable.flush(new CollectingSink()),
                () -> assertTrue(memtable.stats().entries() >= 300 && !memtable.isFull()
                && memtable.lastSequence() > 0));
            for (final StressThreads.Task task : tasks) {
                threads.start("task " + tasks.indexOf(task), () -> {
                    task.run();
                    started.countDown();
                    try {
                        while (threads.goOn()) {
                            task.run();
                        }
                    } catch (final IllegalStateException e) {
                        assertEquals("memtable is closed", e.getMessage());
                    }
                });
            }
            started.await(30, TimeUnit.SECONDS); // or a thread has failed
            memtable.close();
            assertEquals(0, memtable.state().budget().used());
            memtable.close();
            threads.finish();
        }
    }

    private static void scan(final Memtable memtable) {
        try (EntryCursor cursor = memtable.cursor()) {
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                assertEquals(8, cursor.value().length);
            }
        }
    }

    @Test
    void everyCallThrowsIllegalStateWhenClosed() {
        final Memtable memtable = open(StrictIndex.factory(), 2);
        memtable.put(key(1), value(1));
        memtable.put(key(2), value(2));
        final Snapshot snapshot = memtable.snapshot();
        final EntryCursor cursor = memtable.cursor();
        assertTrue(cursor.first());
        final EntryCursor other = memtable.cursor();
        assertTrue(other.last());
        final EntryCursor nowhere = memtable.cursor();
        memtable.close();
        for (final Runnable call : List.<Runnable>of(
            () -> memtable.put(key(1), value(1)), () -> memtable.delete(key(1)), () -> memtable.get(key(1)),
            () -> memtable.deleteRange(new byte[] {1}, new byte[] {2}),
            () -> memtable.write(new WriteBatch()),
            () -> memtable.write(new WriteBatch().delete(key(1))), () -> snapshot.get(key(1)),
            () -> memtable.get(key(1), new org.agrona.concurrent.UnsafeBuffer(new byte[9]), 0),
            () -> snapshot.lookup(key(1)), () -> snapshot.lookup(key(1)),
            () -> memtable.getAll(new byte[][] {key(1)}, new byte[1][]), memtable::cursor,
            () -> snapshot.cursor(), memtable::snapshot, memtable::lastSequence, memtable::isFull,
            memtable::stats, memtable::freeze, () -> memtable.flush(new CollectingSink()),
            cursor::next, cursor::first, cursor::last, () -> cursor.seek(key(1)), other::previous,
            nowhere::first,
            () -> nowhere.seekLowerThan(key(1)))) {
            assertEquals("memtable is closed",
                assertThrows(IllegalStateException.class, call::run).getMessage());
        }
        assertThrows(IllegalStateException.class, cursor::value);
        snapshot.close();
        cursor.close();
        nowhere.close();
        memtable.close();
        assertTrue(memtable.toString().endsWith(", closed"), memtable.toString());
    }

    /** A cursor has taken entries ahead, stands at the border of a range, or on no entry. */
    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void everyMoveOfACursorThrowsIllegalStateWhenClosed(final IndexFactory index) {
        for (final Sharding sharding : List.of(Sharding.byHash(), Sharding.byRanges(new byte[] {40}, new byte[] {80}))) {
            for (final int hiddenLimit : new int[] {0, 1, 100}) {
                for (int position = 0; position < 120; position += 13) {
                    closeUnderACursor(index, sharding, hiddenLimit, position);
                }
            }
        }
    }

    private static void closeUnderACursor(
        final IndexFactory index, final Sharding sharding, final int hiddenLimit, final int position) {
        final Memtable memtable = Memtable.open(
            MemtableOptions.builder().index(index).shards(3).sharding(sharding).capacityBytes(64L << 20).build());
        for (int i = 0; i < 120; i++) {
            memtable.put(new byte[] {(byte) i}, value(i));
        }
        memtable.delete(new byte[] {60});
        final List<EntryCursor> cursors = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            cursors.add(hiddenLimit == 0 ? memtable.cursor() : memtable.cursor(hiddenLimit));
        }
        final EntryCursor forward = cursors.get(0);
        final EntryCursor backward = cursors.get(1);
        assertTrue(forward.first() && backward.last());
        for (int i = 0; i < position - 2; i++) {
            assertTrue(forward.next() && backward.previous());
        }
        memtable.close();
        for (final EntryCursor cursor : List.of(forward, backward)) {
            assertThrows(IllegalStateException.class, cursor::value);
            assertClosed(cursor == forward ? cursor::next : cursor::previous);
            assertFalse(cursor.valid());
        }
        for (final EntryCursor cursor : cursors) {
            for (final BooleanSupplier move : List.<BooleanSupplier>of(cursor::first, cursor::last,
                () -> cursor.seek(new byte[] {50}), () -> cursor.seekLowerThan(new byte[] {50}))) {
                assertClosed(move);
            }
            cursor.close();
        }
    }

    private static void assertClosed(final BooleanSupplier move) {
        assertEquals("memtable is closed", assertThrows(IllegalStateException.class, move::getAsBoolean).getMessage());
    }

    @Test
    void shouldNotWaitForOpenCursorsOrAFlushWhenClosed() {
        final Memtable memtable = open(StrictIndex.factory(), 2);
        for (int i = 0; i < 100; i++) {
            memtable.put(key(i), value(i));
        }
        final EntryCursor cursor = memtable.cursor();
        assertTrue(cursor.first());
        final int[] entries = new int[1];
        final IllegalStateException e = assertThrows(IllegalStateException.class,
            () -> memtable.flush(new ClosingSink(memtable, entries)));
        assertEquals("memtable is closed", e.getMessage());
        assertEquals(10, entries[0]);
        assertThrows(IllegalStateException.class, cursor::next);
    }

    @Test
    void shouldCountWritersThatWait() throws Exception {
        try (Memtable memtable = open(StrictIndex.factory(), 1)) {
            memtable.put(key(1), value(1));
            assertEquals(0, memtable.stats().shards().get(0).contendedWrites());
            final StressThreads threads = new StressThreads();
            final ShardLock lock = memtable.shards().shard(0).lock();
            final Claim claim = lock.lock();
            try {
                threads.start("writer", () -> memtable.put(key(2), value(2)));
                Thread.sleep(50);
            } finally {
                claim.held = Claim.FREE;
            }
            threads.finish();
            final MemtableStats.ShardStats stats = memtable.stats().shards().get(0);
            assertEquals(1, stats.contendedWrites());
            assertTrue(stats.contentionNanos() > 1_000_000, stats.toString());
            assertEquals(2, stats.writes());
        }
    }

    @Test
    void shouldShowNothingOfAWriteThatFailsHalfway() {
        final FailingFactory factory = new FailingFactory();
        try (Memtable memtable = MemtableChecks.grown(open(factory, 2))) {
            memtable.put(key(1), value(1));
            factory.failAfter = 1;
            final WriteBatch batch = new WriteBatch().put(key(1), value(2)).put(key(2), value(2)).put(key(3),
                value(2));
            assertThrows(OutOfMemoryError.class, () -> memtable.write(batch));
            factory.failAfter = Integer.MAX_VALUE;
            assertEquals(1, memtable.lastSequence());
            assertArrayEquals(value(1), memtable.get(key(1)));
            assertEquals(1, memtable.getAll(new byte[][] {key(1), key(2), key(3)}, new byte[3][]));
            final IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> memtable.put(key(4), value(4)));
            assertTrue(e.getMessage().contains("a write failed halfway: " + OutOfMemoryError.class.getName()), e.getMessage());
            memtable.freeze();
            assertEquals(1, memtable.flush(new CollectingSink()).entries());
            assertFalse(memtable.isFull());
        }
    }

    /** Neither the used numbers of the same reservation nor later ones show, and nobody waits for them. */
    @Test
    void shouldShowNothingOfAReservationWithAWriteThatFailsHalfway() {
        final FailingFactory factory = new FailingFactory();
        try (Memtable memtable = MemtableChecks.grown(open(factory, 2))) {
            final SequenceReservation first = memtable.reserveSequences(1);
            final SequenceReservation failing = memtable.reserveSequences(3);
            final SequenceReservation last = memtable.reserveSequences(1);
            last.put(key(4), value(4), last.first());
            failing.put(key(1), value(1), failing.first());
            factory.failAfter = 1;
            final WriteBatch batch = new WriteBatch().put(key(2), value(2)).put(key(3), value(3));
            assertThrows(OutOfMemoryError.class, () -> failing.write(batch, failing.first() + 1));
            factory.failAfter = Integer.MAX_VALUE;
            failing.close();
            first.close();
            first.awaitVisible();
            assertEquals(first.last(), memtable.lastSequence());
            assertThrows(IllegalStateException.class, failing::awaitVisible);
            assertThrows(IllegalStateException.class, last::awaitVisible);
            assertThrows(IllegalStateException.class, () -> memtable.reserveSequences(1));
            memtable.freeze();
            assertEquals(first.last(), memtable.lastSequence());
            assertEquals(0, memtable.flush(new CollectingSink()).entries());
        }
    }

    /** A writer that takes turns claims its number when nothing of it is left to do in the index. */
    @Test
    void shouldShowWritesOfOtherShardsBesideAWriterThatStandsStill() throws Exception {
        final FailingFactory factory = new FailingFactory();
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        try (Memtable memtable = MemtableChecks.grown(open(factory, 2))) {
            final StressThreads threads = new StressThreads();
            factory.afterPut = () -> {
                if (Thread.currentThread().getName().startsWith("stopped")) {
                    inside.countDown();
                    assertTrue(goOn.await(30, TimeUnit.SECONDS));
                }
                return null;
            };
            final int shard = memtable.shards().shardOf(key(0), 0, key(0).length);
            threads.start("stopped", () -> assertEquals(2, memtable.put(key(0), value(0))));
            try {
                assertTrue(inside.await(30, TimeUnit.SECONDS));
                int other = 1;
                while (memtable.shards().shardOf(key(other), 0, key(other).length) == shard) {
                    other++;
                }
                assertNull(memtable.get(key(0)), "a write is shown that has no number");
                final int number = other;
                final StressThreads others = new StressThreads();
                others.start("other", () -> assertEquals(1, memtable.put(key(number), value(1))));
                others.join();
                assertArrayEquals(value(1), memtable.get(key(other)));
            } finally {
                goOn.countDown();
            }
            threads.join();
            assertArrayEquals(value(0), memtable.get(key(0)));
            memtable.freeze();
            assertEquals(2, memtable.flush(new CollectingSink()).entries());
        }
    }

    /** Closes the memtable that it is a sink of after some entries. */
    private static final class ClosingSink implements io.nestling.index.EntrySink {
        private final Memtable memtable;
        private final int[] entries;

        ClosingSink(final Memtable memtable, final int[] entries) {
            this.memtable = memtable;
            this.entries = entries;
        }

        @Override
        public void begin(final long entryCount, final long byteCount, final long rangeTombstoneCount) {
            assertEquals(100, entryCount);
        }

        @Override
        public void entry(final io.nestling.index.EntryView entry) {
            assertEquals(8, entry.value().length);
            if (++entries[0] == 10) {
                memtable.close();
                assertThrows(IllegalStateException.class, entry::value);
            }
        }

        @Override
        public void rangeTombstone(final byte[] from, final byte[] to, final long sequence) {
            throw new AssertionError("there is none");
        }

        @Override
        public void end() {
            throw new AssertionError("closed before");
        }
    }

    /** Makes indexes that run out of heap in a put, or stop behind one. */
    private static final class FailingFactory implements IndexFactory {
        private final IndexFactory factory = io.nestling.testing.ReferenceIndex.concurrentFactory();
        private volatile int failAfter = Integer.MAX_VALUE;
        private volatile Callable<Void> afterPut = () -> null;

        @Override
        public io.nestling.index.PointIndex create(final IndexContext context) {
            final OrderedIndex index = (OrderedIndex) factory.create(context);
            return (io.nestling.index.PointIndex) java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OrderedIndex.class},
                (proxy, method, arguments) -> {
                    if (method.getName().startsWith("put") && failAfter-- <= 0) {
                        throw new OutOfMemoryError("planned");
                    }
                    final Object result = method.invoke(index, arguments);
                    if (method.getName().startsWith("put")) {
                        afterPut.call();
                    }
                    return result;
                });
        }

        @Override
        public String indexName() {
            return "failing";
        }

        @Override
        public boolean ordered() {
            return true;
        }

        @Override
        public boolean storesKeys() {
            return factory.storesKeys();
        }

        @Override
        public boolean concurrentWriters() {
            return false;
        }
    }
}
