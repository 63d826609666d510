/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ChosenKeys;
import io.nestling.bytes.Hashing;
import io.nestling.catalog.IndexType;
import io.nestling.testing.Seeds;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys chosen so that they meet: in an index, in a shard, in a batch. */
class HostileKeysTest {
    private static final long BYTES = 32L << 20;
    private static final long FORMER_SEED = 0x5EED_5AAD_ED00_0001L;
    private static final int SHARDS = 8;
    private static final int KEYS = 4_000;

    private static Memtable open(final IndexType index, final int shards) {
        return Memtable.open(MemtableOptions.builder().index(index).shards(shards).capacityBytes(BYTES).build());
    }

    @ParameterizedTest
    @EnumSource(IndexType.class)
    void shouldTakeAllChosenKeys(final IndexType index) {
        final List<byte[]> keys = new ArrayList<>();
        Arrays.stream(ChosenKeys.wordsOfOneMix(KEYS)).mapToObj(ChosenKeys::bigEndian).forEach(keys::add);
        keys.addAll(ChosenKeys.keysOfOneXxHash(KEYS, 0));
        keys.addAll(ChosenKeys.stringsOfOneChain(KEYS));
        try (Memtable memtable = open(index, 1)) {
            keys.forEach(key -> memtable.put(key, key));
            keys.forEach(key -> assertNotNull(memtable.get(key)));
            assertEquals(keys.size(), memtable.stats().entries());
        }
    }

    /** Before the hash had a secret, all went to the first shard. */
    @Test
    void shouldSpreadKeysOverShardsThatWereChosenForOne() {
        final List<byte[]> keys = new ArrayList<>();
        for (long i = 0; keys.size() < KEYS; i++) {
            final byte[] key = ChosenKeys.key(i);
            if (Hashing.reduce(Hashing.hash64(key, 0, key.length, FORMER_SEED), SHARDS) == 0) {
                keys.add(key);
            }
        }
        try (Memtable memtable = open(IndexType.TRIE, SHARDS); Memtable other = open(IndexType.TRIE, SHARDS)) {
            final WriteBatch batch = new WriteBatch();
            keys.forEach(key -> batch.put(key, new byte[1]));
            memtable.write(batch);
            other.write(batch);
            final long[] counts = memtable.stats().shards().stream().mapToLong(MemtableStats.ShardStats::entries).toArray();
            assertTrue(Arrays.stream(counts).max().getAsLong() < 2 * KEYS / SHARDS, Arrays.toString(counts));
            final long[] others = other.stats().shards().stream().mapToLong(MemtableStats.ShardStats::entries).toArray();
            assertTrue(!Arrays.equals(counts, others), "another memtable spreads them in another way");
        }
    }

    /** Before the hash had a secret, each write of the batch was compared with all those before it. */
    @Test
    void shouldPlanABatchOfChosenKeysInLinearTime() {
        final Random random = Seeds.random("HostileKeysTest.shouldPlanABatchOfChosenKeysInLinearTime");
        final List<byte[]> chosen = ChosenKeys.keysOfOneXxHash(5 * KEYS, 0);
        final List<byte[]> others = new ArrayList<>();
        for (final byte[] key : chosen) {
            final byte[] other = new byte[key.length];
            random.nextBytes(other);
            others.add(other);
        }
        cpuNanos(others);
        final long usual = cpuNanos(others);
        final long nanos = cpuNanos(chosen);
        assertTrue(nanos < 10 * usual, nanos + " ns, of random keys " + usual);
    }

    private static long cpuNanos(final List<byte[]> keys) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            final WriteBatch batch = new WriteBatch();
            keys.forEach(key -> batch.put(key, new byte[0]));
            try (Memtable memtable = open(IndexType.TRIE, 1)) {
                final long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
                memtable.write(batch);
                least = Math.min(least, ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start);
            }
        }
        return least;
    }
}
