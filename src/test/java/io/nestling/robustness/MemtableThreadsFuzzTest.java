/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.CollectingSink;
import io.nestling.memtable.FlushResult;
import io.nestling.memtable.KeepVersions;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableChecks;
import io.nestling.memtable.MemtableModel;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.Sharding;
import io.nestling.memtable.Snapshot;
import io.nestling.memtable.WriteBatch;
import io.nestling.testing.Effort;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs random writers, readers and flushes side by side on one memtable after the other, while the time goes on. What readers
 * saw is compared afterwards with a model of all writes up to the sequence number as of which they saw it, at its time. A seed
 * brings back the options and what each thread does, not the moments at which it does so.
 * <p>
 * Planted faults, each of which was found within a minute: a batch is published in two halves; a snapshot sees one write too
 * many; a run of a cursor shows entries that have expired; the value that operands are combined with is one version too old.
 */
@Tag("robustness")
class MemtableThreadsFuzzTest {
    private static final int MAX_RANGES = 40;
    private static final int MAX_SEEN = 60;
    /** Until an entry expires. */
    private static final int MAX_MILLIS = 50;
    /** Calls of a writer in which the time goes on by one millisecond. */
    private static final int CALLS_A_MILLI = 20;

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void shouldAgreeWithTheModelOfAllWrites() {
        final long seed = Seeds.seed("MemtableThreadsFuzzTest");
        final long end = System.nanoTime() + Effort.seconds(3, 40, 3_600).toNanos();
        final boolean replay = System.getProperty(Seeds.SEED_PROP_NAME) != null;
        long rounds = 0;
        long writes = 0;
        long seen = 0;
        do {
            final Round round = new Round(seed + rounds);
            try {
                round.run();
            } catch (final Exception | AssertionError e) {
                throw new AssertionError(
                    "-D" + Seeds.SEED_PROP_NAME + "=" + (seed + rounds) + ", " + round + ": " + e, e);
            }
            rounds++;
            writes += round.writes.size();
            seen += round.seen.size();
        } while (System.nanoTime() < end && !(replay && rounds == 1));
        System.out.println(
            "MemtableThreadsFuzzTest: " + rounds + " rounds, " + writes + " calls that wrote, " + seen + " that read");
        assertTrue(seen > 0, "no reader has seen anything");
    }

    /** Writes of one call, which have the sequence numbers up to the last one. */
    private record Write(List<WriteBatch.Operation> operations, long last) {
        long first() {
            return last - operations.size() + 1;
        }
    }

    /** What a reader saw, as lines, as of a sequence number between two and a time between two. */
    private record Seen(byte[][] keys, List<String> lines, long from, long to, long fromTime, long toTime) {
    }

    /** One memtable and its threads. */
    private static final class Round {
        private final Random random;
        private final IndexType index;
        private final RandomKeys keys;
        private final int writers;
        private final int readers;
        private final int calls;
        private final List<Write> writes = Collections.synchronizedList(new ArrayList<>());
        private final List<Seen> seen = Collections.synchronizedList(new ArrayList<>());
        private final AtomicInteger left = new AtomicInteger();
        private final AtomicInteger ranges = new AtomicInteger();
        private final AtomicLong time = new AtomicLong(1_000);
        private final MemtableModel model = new MemtableModel(1, time);
        private final Memtable memtable;

        Round(final long seed) {
            random = new Random(seed);
            index = IndexType.values()[(int) Math.floorMod(seed, (long) IndexType.values().length)];
            keys = new RandomKeys(random);
            writers = 1 + random.nextInt(3);
            readers = 1 + random.nextInt(2);
            calls = 50 + random.nextInt(400);
            final MemtableOptions.Builder options = MemtableOptions.builder().index(index)
                .keepVersions(KeepVersions.ALL).rules(model.rules()).capacityBytes((random.nextInt(4) == 0 ? 1 : 16) << 20);
            if (random.nextInt(3) == 0) {
                options.sharding(Sharding.byRanges(keys.boundaries(random, random.nextInt(4))));
            } else {
                options.shards(1 + random.nextInt(4));
            }
            memtable = Memtable.open(options.build());
        }

        void run() throws Exception {
            final long[] seeds = random.longs(writers + readers + 1).toArray();
            left.set(writers);
            try (memtable) {
                Threads.runTogether(seeds.length, thread -> {
                    final Random own = new Random(seeds[thread]);
                    if (thread < writers) {
                        try {
                            write(own);
                        } finally {
                            left.decrementAndGet();
                        }
                    } else if (thread < writers + readers) {
                        read(own);
                    } else {
                        advanceEpochs();
                    }
                });
                if (random.nextBoolean()) {
                    memtable.freeze();
                }
                readSnapshot(random);
                flush();
                MemtableChecks.verifyIndexes(memtable);
            }
            check();
        }

        private void write(final Random own) {
            for (int call = 0; call < calls; call++) {
                time.addAndGet(own.nextInt(CALLS_A_MILLI) == 0 ? 1 : 0);
                final WriteBatch batch = new WriteBatch();
                for (int size = own.nextInt(4) > 0 ? 1 : 1 + own.nextInt(12); size > 0; size--) {
                    addWrite(batch, own);
                }
                final List<WriteBatch.Operation> operations = new ArrayList<>();
                batch.forEach(operations::add);
                final long last;
                try {
                    last = apply(batch, operations);
                } catch (final SpaceExhaustedException e) {
                    assertTrue(memtable.isFull());
                    continue;
                }
                assertTrue(memtable.lastSequence() >= last, "a write is not visible to its writer");
                writes.add(new Write(operations, last));
            }
        }

        private void addWrite(final WriteBatch batch, final Random own) {
            final int choice = own.nextInt(20);
            final byte[] from = choice < 19 ? keys.key(own) : keys.bound(own);
            if (choice < 14) {
                final byte[] value = new byte[own.nextInt(own.nextInt(10) == 0 ? 2_000 : 30)];
                own.nextBytes(value);
                if (choice < 3) {
                    batch.putExpiring(from, value, time.get() + own.nextInt(MAX_MILLIS));
                } else if (choice < 7) {
                    batch.merge(from, value);
                } else {
                    batch.put(from, value);
                }
                return;
            }
            final byte[] to = choice < 19 ? from : keys.bound(own);
            if (Arrays.compareUnsigned(from, to) < 0 && ranges.incrementAndGet() < MAX_RANGES) {
                if (own.nextInt(6) == 0) {
                    batch.deleteRangeFrom(from);
                } else {
                    batch.deleteRange(from, to);
                }
            } else {
                batch.delete(from);
            }
        }

        private long apply(final WriteBatch batch, final List<WriteBatch.Operation> operations) {
            final WriteBatch.Operation first = operations.get(0);
            if (operations.size() > 1) {
                return memtable.write(batch);
            }
            return switch (first.kind()) {
                case VALUE -> memtable.put(first.key(), first.value());
                case EXPIRING -> memtable.putExpiring(first.key(), first.value(), first.expiry());
                case OPERAND -> memtable.merge(first.key(), first.value());
                case TOMBSTONE -> memtable.delete(first.key());
                case RANGE_TOMBSTONE -> MemtableChecks.deleteRange(memtable, first);
            };
        }

        private void read(final Random own) throws InterruptedException {
            long before = 0;
            while (left.get() > 0) {
                final long now = memtable.lastSequence();
                assertTrue(now >= before, "the last sequence number has become smaller");
                before = now;
                switch (own.nextInt(8)) {
                    case 0 -> flush();
                    case 1, 2, 3 -> readSnapshot(own);
                    default -> readKeys(own);
                }
                if (seen.size() > MAX_SEEN) {
                    Thread.sleep(1);
                }
            }
        }

        /** Keeps something for {@link #check}, in the place of something else if there is much. */
        private void keep(final Seen one) {
            final int at = ThreadLocalRandom.current().nextInt(2 * MAX_SEEN);
            if (seen.size() <= MAX_SEEN) {
                seen.add(one);
            } else if (at < MAX_SEEN) {
                seen.set(at, one);
            }
        }

        private void advanceEpochs() {
            while (left.get() > 0) {
                MemtableChecks.advanceEpoch(memtable);
                Thread.yield();
            }
        }

        /** Looks keys up as of one moment. */
        private void readKeys(final Random own) {
            final byte[][] some = new byte[1 + own.nextInt(own.nextBoolean() ? 1 : 12)][];
            Arrays.setAll(some, i -> keys.key(own));
            final byte[][] values = new byte[some.length][];
            final long now = time.get();
            final long from = memtable.lastSequence();
            if (some.length == 1) {
                values[0] = memtable.get(some[0]);
            } else {
                memtable.getAll(some, values);
            }
            final List<String> found = Arrays.stream(values).map(KeyCorpus::text).toList();
            keep(new Seen(some, found, from, memtable.lastSequence(), now, time.get()));
        }

        /** Walks over a snapshot in both directions, and there and back on the way, while others write. */
        private void readSnapshot(final Random own) {
            final long now = time.get();
            try (Snapshot snapshot = memtable.snapshot(); EntryCursor cursor = snapshot.cursor()) {
                final long opened = time.get(); // the cursor has read the clock
                final List<String> forward = new ArrayList<>();
                for (boolean more = cursor.first(); more; more = cursor.next()) {
                    final String line = line(cursor);
                    final byte[] got = snapshot.get(cursor.key());
                    if (time.get() == now) {
                        assertEquals(KeyCorpus.text(cursor.value()), KeyCorpus.text(got));
                    }
                    forward.add(line);
                    if (own.nextInt(4) == 0) {
                        final boolean back = cursor.previous();
                        assertEquals(forward.size() > 1, back, "back from " + line);
                        if (back) {
                            assertEquals(forward.get(forward.size() - 2), line(cursor));
                            assertTrue(cursor.next());
                        } else {
                            assertTrue(cursor.first());
                        }
                        assertEquals(line, line(cursor));
                    }
                }
                final List<String> backward = new ArrayList<>();
                for (boolean more = cursor.last(); more; more = cursor.previous()) {
                    backward.add(line(cursor));
                }
                Collections.reverse(backward);
                assertEquals(forward, backward, "the same snapshot forwards and backwards");
                keep(new Seen(null, forward, snapshot.sequence(), snapshot.sequence(), now, opened));
            }
        }

        private static String line(final EntryCursor cursor) {
            return CollectingSink.line(cursor.key(), cursor.sequence(), cursor.kind(), cursor.value());
        }

        private void flush() {
            final CollectingSink sink = new CollectingSink();
            final long now = time.get();
            final FlushResult result = memtable.flush(sink);
            final long at = result.visibleSequence();
            keep(new Seen(new byte[0][], sink.lines(), at, at, now, time.get()));
        }

        /** Compares what was seen with the model of all writes. */
        private void check() {
            writes.sort((a, b) -> Long.compare(a.last, b.last));
            for (final Write write : writes) {
                assertTrue(write.first() > model.last(), "two writes have number " + write.first());
                long sequence = write.first();
                for (final WriteBatch.Operation operation : write.operations) {
                    model.apply(operation, sequence++);
                }
            }
            for (final Seen one : seen) {
                assertEquals(expected(one), one.lines, () -> (one.keys == null ? "a snapshot" : one.keys.length == 0 ? "a flush"
                    : "values of " + Arrays.stream(one.keys).map(KeyCorpus::text).toList()) + " at " + one.from + " to " + one.to
                    + ", " + one.fromTime + " to " + one.toTime + " ms");
            }
            writes.forEach(write -> seen.forEach(one -> assertTrue(
                one.from != one.to || one.from < write.first() || one.from >= write.last,
                () -> one.from + " is amid the batch up to " + write.last)));
        }

        /** Returns what a reader saw if that is right as of one number and one time, else what would be. */
        private List<String> expected(final Seen one) {
            List<String> lines = List.of();
            for (long now = one.fromTime; now <= one.toTime; now++) {
                time.set(now);
                for (long at = one.from; at <= one.to; at++) {
                    lines = lines(one.keys, at);
                    if (lines.equals(one.lines)) {
                        return lines;
                    }
                }
            }
            return lines;
        }

        private List<String> lines(final byte[][] some, final long at) {
            if (some == null) {
                return model.visible(at).stream().map(MemtableModel.Version::line).toList();
            }
            return some.length == 0 ? model.flush(KeepVersions.ALL, at, List.of()).lines()
                : Arrays.stream(some).map(key -> KeyCorpus.text(model.get(key, at))).toList();
        }

        @Override
        public String toString() {
            return index.indexName() + ", " + keys + ", " + writers + " writers of " + calls + " calls, " + readers
                + " readers, " + memtable;
        }
    }
}
