/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ChosenKeys;
import io.nestling.bytes.Hashing;
import io.nestling.bytes.KeyHash;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

import org.junit.jupiter.api.Test;

/** Keys chosen so that their nodes have one level, or meet in one bucket of the hash. */
class HostileKeysTest {
    private static final long BYTES = 64L << 20;
    private static final long FORMER_SEED = 0x5DEE_CE66_D1CEL;
    private static final int KEYS = 8_000;

    private static Map<String, Object> figures(final List<byte[]> keys) {
        try (SkipList list = new SkipList(new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES),
            new EpochReclaimer(), new HeapKeySource(payload -> keys.get((int) payload)), BYTES))) {
            for (int i = 0; i < keys.size(); i++) {
                assertEquals(PointIndex.NONE, list.put(keys.get(i), 0, keys.get(i).length, i));
            }
            list.verify();
            return list.figures();
        }
    }

    private static List<byte[]> lowKeys(final ToLongFunction<byte[]> hash) {
        final List<byte[]> keys = new ArrayList<>();
        for (long i = 0; keys.size() < KEYS; i++) {
            final byte[] key = ChosenKeys.bigEndian(i);
            if (SkipListNodeLayout.height(hash.applyAsLong(key)) == 1) {
                keys.add(key);
            }
        }
        return keys;
    }

    /** Heights average a sixteenth and a bit above 1. Before the hash had a secret, keys of the first kind all had height 1. */
    @Test
    void shouldDrawHeightsThatNobodyChooses() {
        for (final List<byte[]> keys : List.of(lowKeys(key -> Hashing.hash64(key, 0, key.length, FORMER_SEED)),
            lowKeys(key -> KeyHash.ofSeed(0).hash(key, 0, key.length)))) {
            final double average = (Double) figures(keys).get("averageHeight");
            assertTrue(average > 1.05 && average < 1.1, "average height " + average);
        }
    }

    /** Before the hash had a secret, keys of the first kind met in one bucket, which then lacked nodes. */
    @Test
    void shouldFindChosenKeysByTheHash() {
        for (final List<byte[]> keys : List.of(ChosenKeys.keysOfOneXxHash(KEYS, FORMER_SEED),
            ChosenKeys.keysOfOneHash(KeyHash.ofSeed(0), KEYS))) {
            assertEquals(0L, ((Number) figures(keys).get("hashBucketsThatLackNodes")).longValue());
        }
    }
}
