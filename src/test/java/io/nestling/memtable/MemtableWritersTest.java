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

import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Claim;
import io.nestling.testing.Seeds;
import io.nestling.testing.StressThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Several writers of one shard at once. */
class MemtableWritersTest {
    private static final String MANY_WRITERS = "io.nestling.memtable.TestIndexes#manyWriters";
    private static final byte[] HOT_KEY = key(0);
    private static final int WRITES = 6_000;
    private static final int KEYS = 300;

    private static byte[] key(final int number) {
        return ByteBuffer.allocate(8).putInt(number * 0x9E3779B1).putInt(number).array();
    }

    private static byte[] value(final long number, final int length) {
        final byte[] value = new byte[Long.BYTES + length];
        return ByteBuffer.wrap(value).putLong(number).array();
    }

    private static Memtable open(final IndexFactory index, final int shards, final long capacityBytes) {
        return MemtableChecks.grown(Memtable.open(MemtableOptions.builder().index(index).shards(shards)
            .capacityBytes(capacityBytes).keepVersions(KeepVersions.ALL).build()));
    }

    static Stream<Arguments> writers() {
        final List<Arguments> list = new ArrayList<>();
        TestIndexes.manyWriters().forEach(index -> {
            for (final int writers : new int[] {1, 2, 4, 8}) {
                list.add(Arguments.of(index, writers));
            }
        });
        return list.stream();
    }

    /**
     * Writers of which each makes half of its writes to one key, one that writes batches, and readers of
     * snapshots.
     */
    private static void run(final Memtable memtable, final WriteLog log, final int writers, final Random random)
        throws InterruptedException {
        final StressThreads threads = new StressThreads();
        final CountDownLatch left = new CountDownLatch(writers);
        for (int writer = 0; writer < writers; writer++) {
            final Random own = new Random(random.nextLong());
            final long first = (long) writer << 32;
            threads.start("writer " + writer, () -> {
                for (int i = 0; i < WRITES / writers && threads.goOn(); i++) {
                    final byte[] key = own.nextBoolean() ? HOT_KEY : key(1 + own.nextInt(KEYS));
                    log.write(memtable, key, own.nextInt(8) == 0 ? null : value(first + i, own.nextInt(20)));
                }
                left.countDown();
            });
        }
        threads.start("batches", () -> {
            for (long i = 1L << 60; left.getCount() > 0 && threads.goOn(); i++) {
                log.writeBatch(memtable, new byte[][] {HOT_KEY, key(1 + (int) (i % KEYS)), key(1)}, value(i, 0));
                Thread.sleep(1);
            }
        });
        threads.start("reader", () -> {
            while (left.getCount() > 0 && threads.goOn()) {
                log.readSnapshot(memtable);
                Thread.sleep(2);
            }
        });
        threads.start("epochs", () -> {
            while (left.getCount() > 0 && threads.goOn()) {
                memtable.state().epochs().tryAdvance();
                Thread.yield();
            }
        });
        threads.join();
    }

    @ParameterizedTest
    @MethodSource("writers")
    void shouldShowExactlyWhatWasWrittenUpToANumber(final IndexFactory index, final int writers) throws Exception {
        final Random random = Seeds.random("MemtableWritersTest " + index + " " + writers);
        for (int shards = 1; shards <= 2; shards++) {
            try (Memtable memtable = open(index, shards, 64L << 20)) {
                final WriteLog log = new WriteLog();
                run(memtable, log, writers, random);
                assertEquals(log.writes().size(), memtable.stats().versions());
                log.readSnapshot(memtable);
                memtable.freeze();
                log.checkAll(memtable);
                memtable.shards().shard(0).index().verify();
            }
        }
    }

    /** The twin of the test before: an index that replaces in two steps loses writes, and that is found out. */
    @Test
    void shouldFindOutAReplaceInTwoSteps() throws Exception {
        final IndexFactory broken = HashIndex.factory("two steps", TwoStepIndex::new);
        String found = null;
        for (int round = 0; round < 50 && found == null; round++) {
            try (Memtable memtable = open(broken, 1, 64L << 20)) {
                final WriteLog log = new WriteLog();
                run(memtable, log, 4, new Random(round));
                memtable.freeze();
                log.checkAll(memtable);
            } catch (final AssertionError e) {
                found = e.getMessage();
            }
        }
        assertTrue(found != null, "lost writes were not found out");
    }

    /** Looks first and replaces then. */
    private static final class TwoStepIndex extends HashIndex {
        TwoStepIndex(final IndexContext context) {
            super(context);
        }

        @Override
        public boolean replace(
            final byte[] key, final int offset, final int length, final long expected, final long payload) {
            if (get(key, offset, length) != expected) {
                return false;
            }
            Thread.yield();
            put(key, offset, length, payload);
            return true;
        }
    }

    @ParameterizedTest
    @MethodSource(MANY_WRITERS)
    void shouldLetWritersGoOnBesideOneThatStandsStill(final IndexFactory index) throws Exception {
        try (Memtable memtable = open(index, 2, 64L << 20)) {
            final int shard = memtable.shards().shardOf(HOT_KEY, 0, HOT_KEY.length);
            final ShardLock lock = memtable.shards().shard(shard).lock();
            final CountDownLatch batchWritten = new CountDownLatch(1);
            final AtomicLong written = new AtomicLong();
            final StressThreads threads = new StressThreads();
            final StressThreads batches = new StressThreads();
            final int token = lock.enter();
            try {
                batches.start("batch", () -> {
                    memtable.write(new WriteBatch().put(HOT_KEY, value(1, 0)).put(key(1), value(1, 0)).put(key(2), value(1, 0)));
                    batchWritten.countDown();
                });
                for (int writer = 0; writer < 2; writer++) {
                    final int first = writer << 20;
                    threads.start("writer " + writer, () -> {
                        // On until the batch has kept a writer out for a while.
                        for (int i = first; i < first + 500 || lock.contendedCount() == 0; i++) {
                            memtable.put(i % 2 == 0 ? HOT_KEY : key(i), value(i, 0));
                            written.incrementAndGet();
                        }
                    });
                }
                threads.join();
                assertEquals(1, batchWritten.getCount(), "a batch was written beside a writer of its shard");
            } finally {
                lock.slot(token).held = Claim.FREE;
            }
            batches.join();
            assertEquals(written.get() + 3, memtable.stats().versions());
            assertTrue(memtable.stats().shards().get(shard).contendedWrites() > 0);
        }
    }

    /** A writer that is stopped when its record is linked and has no number: others number it and go on. */
    @Test
    void shouldNumberTheRecordOfAWriterThatStandsStill() throws Exception {
        final CountDownLatch linked = new CountDownLatch(2);
        final CountDownLatch goOn = new CountDownLatch(1);
        final IndexFactory stopping = HashIndex.factory("stopping", context -> new StoppingIndex(context, linked, goOn));
        try (Memtable memtable = open(stopping, 1, 64L << 20)) {
            memtable.put(key(2), value(2, 0));
            final StressThreads stopped = new StressThreads();
            final AtomicLong first = new AtomicLong();
            final AtomicLong second = new AtomicLong();
            stopped.start("stopped 1", () -> first.set(memtable.put(key(1), value(10, 0))));
            stopped.start("stopped 2", () -> second.set(memtable.put(key(2), value(20, 0))));
            assertTrue(linked.await(30, TimeUnit.SECONDS));
            assertEquals(1, memtable.lastSequence());
            assertEquals(null, memtable.get(key(1)), "a write is shown that has no number");
            assertArrayEquals(value(2, 0), memtable.get(key(2)));
            final long third = memtable.put(key(1), value(11, 0));
            final long fourth = memtable.put(key(2), value(21, 0));
            assertArrayEquals(value(11, 0), memtable.get(key(1)));
            assertArrayEquals(value(21, 0), memtable.get(key(2)));
            goOn.countDown();
            stopped.join();
            assertTrue(first.get() < third && second.get() < fourth, first + " " + third + " " + second + " " + fourth);
            final CollectingSink sink = new CollectingSink();
            memtable.freeze();
            assertEquals(5, memtable.flush(sink).entries());
        }
    }

    /** Stops threads of a certain name when they have linked a record. */
    private static final class StoppingIndex extends HashIndex {
        private final CountDownLatch linked;
        private final CountDownLatch goOn;

        StoppingIndex(final IndexContext context, final CountDownLatch linked, final CountDownLatch goOn) {
            super(context);
            this.linked = linked;
            this.goOn = goOn;
        }

        private void stop() {
            if (Thread.currentThread().getName().startsWith("stopped")) {
                linked.countDown();
                try {
                    goOn.await();
                } catch (final InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }

        @Override
        public long putIfAbsent(final byte[] key, final int offset, final int length, final long payload) {
            final long before = super.putIfAbsent(key, offset, length, payload);
            stop();
            return before;
        }

        @Override
        public boolean replace(
            final byte[] key, final int offset, final int length, final long expected, final long payload) {
            final boolean replaced = super.replace(key, offset, length, expected, payload);
            stop();
            return replaced;
        }
    }

    @ParameterizedTest
    @MethodSource(MANY_WRITERS)
    void shouldKeepEveryAcceptedWriteWhenItIsFull(final IndexFactory index) throws Exception {
        final Random random = Seeds.random("MemtableWritersTest full " + index);
        for (final int longest : new int[] {20, 3000}) {
            try (Memtable memtable = open(index, 2, 2L << 20)) {
                final Map<Integer, byte[]> accepted = new ConcurrentHashMap<>();
                final StressThreads threads = new StressThreads();
                for (int writer = 0; writer < 4; writer++) {
                    final int own = writer;
                    final Random choices = new Random(random.nextLong());
                    threads.start("writer " + writer, () -> writeUntilFull(memtable, own, longest, choices, accepted));
                }
                threads.join();
                assertTrue(memtable.isFull());
                final MemtableStats stats = memtable.stats();
                assertTrue(stats.reservedBytes() <= stats.capacityBytes(), stats.toString());
                final double used = (double) (stats.indexBytes() + stats.recordBytes()) / stats.capacityBytes();
                assertTrue(used > 0.6, used + " used: " + stats);
                accepted.forEach((number, value) -> assertArrayEquals(value, memtable.get(key(number))));
                assertEquals(accepted.size(), stats.entries());
                memtable.freeze();
                final CollectingSink sink = new CollectingSink();
                assertEquals(stats.versions(), memtable.flush(sink).entries());
            }
        }
    }

    private static void writeUntilFull(
        final Memtable memtable, final int writer, final int longest, final Random random,
        final Map<Integer, byte[]> accepted) {
        final int first = writer << 20;
        for (int i = first, refused = 0; refused < 50; i++) {
            final int number = random.nextInt(10) == 0 && i > first ? first + random.nextInt(i - first) : i;
            final byte[] value = value(i, random.nextInt(longest));
            final boolean full = memtable.isFull();
            try {
                memtable.put(key(number), value);
                accepted.put(number, value);
            } catch (final SpaceExhaustedException e) {
                assertTrue(full || memtable.isFull());
                refused++;
            }
        }
    }

    @ParameterizedTest
    @MethodSource(MANY_WRITERS)
    void shouldFinishWritesUnderWayWhenFrozen(final IndexFactory index) throws Exception {
        for (int round = 0; round < 10; round++) {
            try (Memtable memtable = open(index, 2, 64L << 20)) {
                final StressThreads threads = new StressThreads();
                final AtomicLong written = new AtomicLong();
                final AtomicLong greatest = new AtomicLong();
                for (int writer = 0; writer < 4; writer++) {
                    final int first = writer << 20;
                    threads.start("writer " + writer, () -> {
                        try {
                            for (int i = first; true; i++) {
                                final long number = memtable.put(i % 2 == 0 ? HOT_KEY : key(i), value(i, 0));
                                greatest.accumulateAndGet(number, Math::max);
                                written.incrementAndGet();
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
                assertEquals(written.get(), memtable.stats().versions());
                assertEquals(greatest.get(), result.largestSequence());
                assertTrue(greatest.get() <= last, greatest + " behind " + last); // a number may be claimed in vain
            }
        }
    }

    @Test
    void shouldNotTakeTheLockForSingleWrites() {
        TestIndexes.all().forEach(index -> {
            try (Memtable memtable = open(index, 1, 16L << 20)) {
                assertEquals(index.concurrentWriters(), memtable.shards().shard(0).lock().slots.length > 1, index.toString());
            }
        });
        assertTrue(TestIndexes.manyWriters().count() > 0);
    }

    @Test
    void putThrowsSpaceExhaustedAndTakesItsSpaceBack() {
        TestIndexes.manyWriters().forEach(index -> {
            try (Memtable memtable = open(index, 1, 1L << 20)) {
                memtable.put(key(1), value(1, 100));
                final MemtableStats before = memtable.stats();
                for (int i = 0; i < 100; i++) {
                    assertThrows(SpaceExhaustedException.class, () -> memtable.put(key(1), value(1, 2 << 20)));
                }
                assertTrue(memtable.isFull());
                assertEquals(before, memtable.stats());
                assertFalse(memtable.get(key(1)) == null);
            }
        });
    }
}
