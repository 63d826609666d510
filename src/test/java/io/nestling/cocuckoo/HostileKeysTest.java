/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ChosenKeys;
import io.nestling.bytes.KeyHash;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

/** Keys chosen so that they have one hash, for which a put walks along a list of all of them. */
class HostileKeysTest {
    private static final long BYTES = 64L << 20;
    private static final int KEYS = 5_000;

    private static Map<String, Object> figures(final List<byte[]> keys, final KeyHash keyHash) {
        try (CoCuckoo index = new CoCuckoo(new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES),
            new EpochReclaimer(), new HeapKeySource(payload -> keys.get((int) payload)), BYTES), keyHash)) {
            for (int i = 0; i < keys.size(); i++) {
                assertEquals(PointIndex.NONE, index.put(keys.get(i), 0, keys.get(i).length, i));
            }
            index.verify();
            return index.figures();
        }
    }

    /** Before the hash had a secret, all but a few keys of the first kind stood in one list. */
    @Test
    void shouldListNoKeysThatWereChosenForAnotherHash() {
        for (final List<byte[]> chosen : List.of(ChosenKeys.keysOfOneXxHash(KEYS, 0),
            ChosenKeys.keysOfOneHash(KeyHash.ofSeed(0), KEYS), ChosenKeys.keysOfOneHash(KeyHash.ofSeed(1), KEYS))) {
            final Map<String, Object> figures = figures(chosen, KeyHash.secret());
            assertEquals(0L, figures.get("keysInStash"));
            assertTrue((Double) figures.get("load") > 0.4, figures.toString());
        }
    }

    /** The measure tells: with the hash known, nearly all are listed. */
    @Test
    void shouldListKeysOfOneHash() {
        final List<byte[]> chosen = ChosenKeys.keysOfOneHash(KeyHash.ofSeed(7), 500);
        assertTrue((Long) figures(chosen, KeyHash.ofSeed(7)).get("keysInStash") > 450);
    }
}
