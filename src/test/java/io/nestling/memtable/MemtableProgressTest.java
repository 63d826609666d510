/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.Hashing;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexFactory;
import io.nestling.index.LookupResult;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import io.nestling.testing.StressThreads;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One writer a shard and readers beside them. The writer of a shard writes its keys one after the other, says
 * after each how far it is, and rewrites or deletes old ones. Readers check: what was said to be written
 * before a read is seen by the read; a value is whole, and of its key; within a snapshot nothing ever
 * changes, and later reads see later generations.
 */
class MemtableProgressTest {
    /** Seconds of the long test. */
    private static final String SECONDS_PROP_NAME = "io.nestling.test.seconds";
    private static final long SHORT_MILLIS = Effort.count(200, 1000, 1000);
    private static final int SHARDS = 2;
    private static final int KEYS = 20_000;
    private static final int HEADER_BYTES = 16;
    private static final int DELETE_EVERY = 5;
    private static final int WRITES_PER_REST = 32;

    private final AtomicLongArray confirmed = new AtomicLongArray(SHARDS * KEYS);
    private final AtomicLongArray announced = new AtomicLongArray(SHARDS * KEYS);
    private final AtomicLong reads = new AtomicLong();
    private volatile Memtable memtable;
    /** Nanoseconds that a writer rests now and then, so that it has work for the whole test. */
    private long restNanos;

    @ParameterizedTest
    @MethodSource("io.nestling.memtable.TestIndexes#all")
    void shouldShowEveryConfirmedWriteWholeAndInOrder(final IndexFactory index) throws Exception {
        run(index, SHORT_MILLIS, 2, 1L << 30);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("io.nestling.memtable.TestIndexes#real")
    void shouldShowEveryConfirmedWriteWholeAndInOrderForLong(final IndexFactory index) throws Exception {
        restNanos = 150_000;
        run(index, Long.getLong(SECONDS_PROP_NAME, 60) * 1000, 4, 3L << 30);
    }

    private void run(final IndexFactory index, final long millis, final int readers,
        final long capacityBytes) throws Exception {
        final Random random = Seeds.random("MemtableProgressTest " + index);
        memtable = open(index, capacityBytes);
        final StressThreads threads = new StressThreads();
        for (int shard = 0; shard < SHARDS; shard++) {
            final int own = shard;
            final long seed = random.nextLong();
            threads.start("writer " + shard, () -> write(threads, own, new Random(seed)));
        }
        for (int reader = 0; reader < readers; reader++) {
            final long seed = random.nextLong();
            threads.start("reader " + reader, () -> read(threads, new Random(seed)));
        }
        threads.start("epochs", () -> {
            while (threads.goOn()) {
                memtable.state().epochs().tryAdvance();
                Thread.yield();
            }
        });
        threads.runFor(millis).runUntil(() -> reads.get() > 100 && memtable.lastSequence() > 100).finish();
        System.out.println("MemtableProgressTest " + index + ": " + memtable.lastSequence() + " writes, "
            + reads
            + " reads" + (memtable.isFull() ? ", full at the end" : ""));
        assertTrue(reads.get() > 100 && memtable.lastSequence() > 100);
        memtable.freeze();
        memtable.flush(new CollectingSink());
        for (int shard = 0; shard < SHARDS; shard++) {
            memtable.shards().shard(shard).index().verify();
        }
        memtable.close();
        assertEquals(0, memtable.state().budget().used());
    }

    private static Memtable open(final IndexFactory index, final long capacityBytes) {
        return Memtable.open(MemtableOptions.builder().index(index).capacityBytes(capacityBytes)
            .sharding(Sharding.byRanges(new byte[] {1})).build());
    }

    private static byte[] key(final int shard, final int number) {
        final byte[] key = new byte[5 + number % 40];
        ByteBuffer.wrap(key).put((byte) shard).putInt(Hashing.mix32(number));
        return key;
    }

    /** A value that says which key and generation it is of, and is filled accordingly. */
    private static byte[] value(final int slot, final long generation) {
        final byte[] value = new byte[HEADER_BYTES + (int) (generation % 100)];
        Arrays.fill(value, (byte) (slot + generation));
        ByteBuffer.wrap(value).putLong(slot).putLong(generation);
        return value;
    }

    private static boolean isDeletion(final long generation) {
        return generation % DELETE_EVERY == DELETE_EVERY - 1;
    }

    private void write(final StressThreads threads, final int shard, final Random random) {
        int fresh = 0;
        while (threads.goOn() && !memtable.isFull()) {
            final int number = fresh < KEYS
                && random.nextBoolean() ? fresh++ : random.nextInt(fresh + 1) % KEYS;
            final int slot = shard * KEYS + number;
            final long generation = announced.incrementAndGet(slot);
                if (isDeletion(generation)) {
                memtable.delete(key(shard, number));
            } else {
                memtable.put(key(shard, number), value(slot, generation));
            }
            confirmed.set(slot, generation);
            if (restNanos > 0 && generation % WRITES_PER_REST == 0) {
                LockSupport.parkNanos(restNanos);
            }
        }
    }

    private void read(final StressThreads threads, final Random random) {
        while (threads.goOn()) {
            switch (random.nextInt(20)) {
                case 0:
                    scan(random);
                    break;
                case 1:
                    repeat(random);
                    break;
                default:
                    point(random);
                    break;
            }
            reads.incrementAndGet();
        }
    }

    /** A read between two looks at the writer's progress shows a generation between the two. */
    private void point(final Random random) {
        final int shard = random.nextInt(SHARDS);
        final int number = random.nextInt(KEYS);
        final int slot = shard * KEYS + number;
        final long from = confirmed.get(slot);
        final byte[] value = memtable.get(key(shard, number));
        final long to = announced.get(slot);
        if (value == null) {
            boolean mayBeAbsent = from == 0;
            for (long generation = from; generation <= to; generation++) {
                mayBeAbsent |= isDeletion(generation);
            }
            assertTrue(mayBeAbsent, "slot " + slot + " is not seen, generations " + from + " to " + to);
        } else {
            final long generation = checkWhole(slot, value);
            assertTrue(generation >= from && generation <= to,
                "generation " + generation + " is not of " + from + " to " + to);
        }
    }

    private static long checkWhole(final int slot, final byte[] value) {
        final ByteBuffer header = ByteBuffer.wrap(value);
        assertEquals(slot, header.getLong());
        final long generation = header.getLong();
        assertArrayEquals(value(slot, generation), value);
        return generation;
    }

    /** Within a snapshot nothing changes, and a later snapshot never shows an older state. */
    private void repeat(final Random random) {
        final int shard = random.nextInt(SHARDS);
        final int number = random.nextInt(50);
        final int slot = shard * KEYS + number;
        final byte[] key = key(shard, number);
        LookupResult before = LookupResult.ABSENT;
        for (int i = 0; i < 3; i++) {
            try (Snapshot snapshot = memtable.snapshot()) {
                final LookupResult first = snapshot.lookup(key);
                assertTrue(first.sequence() <= snapshot.sequence());
                assertTrue(first.sequence() >= before.sequence(), "time went back");
                if (first.value() != null) {
                    checkWhole(slot, first.value());
                }
                Thread.onSpinWait();
                assertEquals(first, snapshot.lookup(key));
                before = first;
            }
        }
    }

    /** A part of a scan: ordered, whole, and the same as single reads. */
    private void scan(final Random random) {
        final boolean forward = random.nextBoolean();
        try (Snapshot snapshot = memtable.snapshot(); EntryCursor cursor = snapshot.cursor()) {
            final byte[] start = key(random.nextInt(SHARDS), random.nextInt(KEYS));
            byte[] previous = start;
            boolean more = forward ? cursor.seek(start) : cursor.seekLowerThan(start);
            for (int i = 0; more && i < 100; i++) {
                final byte[] key = cursor.key();
                final int order = Arrays.compareUnsigned(previous, key);
                assertTrue(i == 0 && order == 0 && forward || (forward ? order < 0 : order > 0),
                    "out of order");
                final byte[] value = cursor.value();
                assertNotNull(value);
                final int slot = (int) ByteBuffer.wrap(value).getLong();
                checkWhole(slot, value);
                assertArrayEquals(key(slot / KEYS, slot % KEYS), key);
                assertArrayEquals(value, snapshot.get(key));
                previous = key;
                more = forward ? cursor.next() : cursor.previous();
            }
        }
    }
}
