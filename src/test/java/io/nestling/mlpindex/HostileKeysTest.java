/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ChosenKeys;
import io.nestling.bytes.KeyHash;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

/** Keys chosen so that their nodes meet in few buckets. */
class HostileKeysTest {
    private static final long BYTES = 64L << 20;
    private static final int KEYS = 5_000;
    private static final int SECRETS = 5;
    private static final long WORD = 0x0102_0304_0506_0708L;
    private static final long ODD = 0x9E37_79B9_7F4A_7C15L;

    private static MlpIndex open(final KeyHash keyHash) {
        return new MlpIndex(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), new EpochReclaimer(), KeySource.NONE, BYTES), keyHash);
    }

    private static long put(final MlpIndex index, final long word) {
        index.reserve(1, Long.BYTES);
        return index.put(ChosenKeys.bigEndian(word), 0, Long.BYTES, 1);
    }

    /** Bytes and moves that some words take. */
    private static long[] cost(final long[] words) {
        try (MlpIndex index = open(KeyHash.secret())) {
            for (final long word : words) {
                assertEquals(PointIndex.NONE, put(index, word));
            }
            index.verify();
            return new long[] {index.bytesUsed(), index.writer().relocations()};
        }
    }

    private static void shouldCostWhatOthersDo(final long[] chosen) {
        final Random random = Seeds.random("HostileKeysTest of mlp_index");
        final long[] others = new long[chosen.length];
        for (int i = 0; i < others.length; i++) {
            others[i] = i % 2 == 0 ? random.nextLong() : others[i - 1] ^ 1; // a twin, as the chosen ones have
        }
        for (int i = 0; i < SECRETS; i++) {
            final long[] cost = cost(chosen);
            final long[] usual = cost(others);
            assertTrue(cost[0] <= 2 * usual[0], "bytes " + Arrays.toString(cost) + ", of random keys " + Arrays.toString(usual));
            assertTrue(cost[1] <= 4 * usual[1] + 100, "moves " + Arrays.toString(cost) + ", of random keys "
                + Arrays.toString(usual));
        }
    }

    /** Before the hash had a secret, the 298th key filled a memtable of any size. */
    @Test
    void shouldTakeKeysThatWereChosenForAPublicHash() {
        shouldCostWhatOthersDo(ChosenKeys.wordsOfOneMix(KEYS));
    }

    @Test
    void shouldTakeKeysThatWereChosenForAnotherSeed() {
        shouldCostWhatOthersDo(ChosenKeys.wordsOfOneBucket(0, MlpNodeLayout.LAST_LEVEL, KEYS));
        shouldCostWhatOthersDo(ChosenKeys.wordsOfOneBucket(1, MlpNodeLayout.LAST_LEVEL, KEYS));
    }

    /** With the seed known there is no room for some nodes, whatever the size of the table is. Others find theirs. */
    @Test
    void shouldRefuseWhatHasNoRoomAndTakeOtherKeys() {
        final long seed = Seeds.seed("HostileKeysTest.shouldRefuseWhatHasNoRoomAndTakeOtherKeys");
        final Random random = new Random(seed);
        final long[] chosen = ChosenKeys.wordsOfOneBucket(seed, MlpNodeLayout.LAST_LEVEL, KEYS);
        try (MlpIndex index = open(KeyHash.ofSeed(seed))) {
            int there = 0;
            while (there < 1_000) {
                there += put(index, random.nextLong()) == PointIndex.NONE ? 1 : 0;
            }
            int refused = 0;
            for (final long word : chosen) {
                try {
                    assertEquals(PointIndex.NONE, put(index, word));
                    there++;
                } catch (final SpaceExhaustedException e) {
                    assertTrue(e.getMessage().matches(".*\\d+ of \\d+ cells.*"), e.getMessage());
                    assertEquals(PointIndex.NONE, index.get(ChosenKeys.bigEndian(word), 0, Long.BYTES));
                    if (++refused == 20) {
                        break;
                    }
                }
                assertEquals(there, index.entryCount());
            }
            assertEquals(20, refused);
            index.verify();
            assertTrue(index.bytesUsed() < 1 << 20, () -> index.bytesUsed() + " bytes");
            for (int i = 0; i < 20_000; i++) {
                put(index, random.nextLong());
            }
            index.verify();
            assertThrows(SpaceExhaustedException.class, () -> {
                for (final long word : chosen) {
                    put(index, word);
                }
            });
            index.verify();
        }
    }

    /**
     * With these seeds a node's two buckets are one in tables of up to 256 buckets, and full when the node is widened: there is
     * no room for a wider copy beside the node itself.
     */
    @Test
    void shouldWidenNodesWhoseTwoBucketsAreOne() {
        for (final long seed : new long[] {185, 1162, 1653, 1769}) {
            try (MlpIndex index = open(KeyHash.ofSeed(seed))) {
                for (int i = 0; i < 400; i++) {
                    assertEquals(PointIndex.NONE, put(index, i / 20 << Byte.SIZE | i % 20));
                }
                index.verify();
                assertTrue(index.bytesUsed() < 400 * 50, () -> index.bytesUsed() + " bytes");
            }
        }
    }

    /** Keys that share their first eight bytes, as partitions of equal tokens do, are told apart by a binary search. */
    @Test
    void shouldCompareFewKeysOfOneWord() {
        final AtomicLong compared = new AtomicLong();
        final HeapKeySource keys = new HeapKeySource(payload -> {
            compared.incrementAndGet();
            return ByteBuffer.allocate(2 * Long.BYTES).putLong(WORD).putLong(payload * ODD).array();
        });
        try (MlpIndex index = new MlpIndex(
            new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), new EpochReclaimer(), keys, BYTES))) {
            for (int i = 0; i < 4 * KEYS; i++) {
                final byte[] key = ByteBuffer.allocate(2 * Long.BYTES).putLong(WORD).putLong(i * ODD).array();
                final long before = compared.get();
                assertEquals(PointIndex.NONE, index.put(key, 0, key.length, i));
                assertTrue(compared.get() - before <= 20, () -> compared.get() - before + " keys were read");
            }
            assertTrue(index.bytesUsed() < 4 * KEYS * 40, () -> index.bytesUsed() + " bytes");
            index.verify();
        }
    }
}
