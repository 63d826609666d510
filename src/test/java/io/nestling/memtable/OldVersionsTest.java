/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexFactory;
import io.nestling.offheap.Claim;
import io.nestling.offheap.RecordLayout;
import io.nestling.testing.Seeds;
import io.nestling.testing.StressThreads;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads behind many newer versions of a key. */
class OldVersionsTest {
    private static final byte[] KEY = {1, 2, 3};
    private static final byte[] OTHER_KEY = {1, 2, 4};
    private static final int VERSIONS = 20_000;
    private static final int MOST_MEAN_STEPS = 130;

    private static Memtable open(final IndexFactory index) {
        return Memtable.open(MemtableOptions.builder().index(index).shards(1).capacityBytes(64 << 20)
            .keepVersions(KeepVersions.ALL).build());
    }

    private static byte[] value(final long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    /** Puts and batches in turns, of which many hold the key twice. */
    private static void write(final Memtable memtable, final Random random) {
        while (memtable.lastSequence() < VERSIONS) {
            if (random.nextInt(10) > 0) {
                memtable.put(KEY, value(memtable.lastSequence() + 1));
                continue;
            }
            final WriteBatch batch = new WriteBatch();
            for (int i = 1 + random.nextInt(30); i > 0; i--) {
                batch.put(random.nextInt(5) == 0 ? OTHER_KEY : KEY, value(memtable.lastSequence() + batch.size() + 1));
            }
            memtable.write(batch);
        }
    }

    private static long sequence(final Memtable memtable, final long record) {
        return record == RecordLayout.NO_RECORD
            ? 0 : RecordLayout.sequence(memtable.shards().shard(0).records().versionWord(record));
    }

    /** Checks walks by all links against walks from version to version and returns the mean number of steps. */
    private static long check(final Memtable memtable, final byte[] key, final Random random) {
        final MemtableShard shard = memtable.shards().shard(0);
        final Claim token = memtable.state().enter();
        try {
            final long newest = shard.newest(key, 0, key.length);
            final long[] versions = new long[(int) sequence(memtable, newest) + 1];
            long after = versions.length;
            for (long record = newest; record != RecordLayout.NO_RECORD; record = shard.records().previous(record)) {
                final long sequence = sequence(memtable, record);
                assertTrue(sequence < after, sequence + " behind " + after);
                for (long visible = sequence; visible < after; visible++) {
                    versions[(int) visible] = record;
                }
                after = sequence;
            }
            final int walks = 1000;
            long steps = 0;
            for (int i = 0; i < walks; i++) {
                final int visible = random.nextInt(versions.length);
                assertEquals(versions[visible], shard.newestVisible(newest, visible));
                // From one place alone the way to the first skip word, whose length is random and secret, would decide.
                final long from = versions[versions.length - 1 - random.nextInt(1 + versions.length / 10)];
                for (long record = from; sequence(memtable, record) > visible; steps++) {
                    record = shard.links().older(record, visible);
                }
            }
            return steps / walks;
        } finally {
            token.held = Claim.FREE;
        }
    }

    /** From version to version, these walks take 10,000 steps on average. */
    @ParameterizedTest
    @MethodSource("io.nestling.memtable.TestIndexes#real")
    void shouldReadOldVersionsInFewSteps(final IndexFactory index) {
        final Random random = Seeds.random("OldVersionsTest " + index.indexName());
        try (Memtable memtable = open(index)) {
            memtable.put(KEY, value(1));
            final Snapshot snapshot = memtable.snapshot();
            write(memtable, random);
            final long steps = check(memtable, KEY, random);
            assertTrue(steps <= MOST_MEAN_STEPS, steps + " steps");
            check(memtable, OTHER_KEY, random);
            assertArrayEquals(value(1), snapshot.get(KEY));
            try (EntryCursor cursor = snapshot.cursor()) {
                assertTrue(cursor.last());
                assertEquals(1, cursor.sequence());
            }
            final byte[][] values = new byte[2][];
            assertEquals(2, memtable.getAll(new byte[][] {KEY, OTHER_KEY}, values));
            assertArrayEquals(memtable.get(KEY), values[0]);
            assertEquals(memtable.lastSequence(), memtable.flush(new CollectingSink()).entries(), "all versions");
        }
    }

    @ParameterizedTest
    @MethodSource("io.nestling.memtable.TestIndexes#manyWriters")
    void shouldReadOldVersionsOfManyWritersInFewSteps(final IndexFactory index) throws Exception {
        final Random random = Seeds.random("OldVersionsTest writers " + index.indexName());
        try (Memtable memtable = open(index)) {
            final StressThreads threads = new StressThreads();
            final List<Snapshot> snapshots = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                threads.start("writer " + writer, () -> {
                    for (int i = 0; i < VERSIONS / 4; i++) {
                        memtable.put(i % 8 == 0 ? OTHER_KEY : KEY, new byte[i % 1000]); // some large enough to look first
                    }
                });
            }
            threads.start("snapshots", () -> {
                for (long next = 1; next < VERSIONS; next += 1000) {
                    while (memtable.lastSequence() < next) {
                        Thread.onSpinWait();
                    }
                    snapshots.add(memtable.snapshot());
                }
            });
            threads.join();
            final long steps = check(memtable, KEY, random);
            assertTrue(steps <= MOST_MEAN_STEPS, steps + " steps");
            check(memtable, OTHER_KEY, random);
            for (final Snapshot snapshot : snapshots) {
                assertTrue(snapshot.lookup(KEY).sequence() <= snapshot.sequence());
            }
            assertEquals(VERSIONS, memtable.flush(new CollectingSink()).entries(), "all versions");
        }
    }
}
