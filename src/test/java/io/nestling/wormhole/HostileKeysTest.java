/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

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
import io.nestling.testing.Seeds;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;

/** Keys and prefixes chosen so that their hashes are the same. */
class HostileKeysTest {
    private static final long BYTES = 64L << 20;
    private static final int KEYS = 5_000;

    /** Before the hash had a secret multiplier, the chain had differences that cancel under every seed: all had one hash. */
    @Test
    void shouldTellStringsApartThatWereChosenForItsOldChain() {
        final List<byte[]> strings = ChosenKeys.stringsOfOneChain(1 << 15);
        for (int i = 0; i < 4; i++) {
            final PrefixHasher hasher = new PrefixHasher(KeyHash.secret());
            final Set<Long> ofPrefixes = new HashSet<>();
            final Set<Long> ofStrings = new HashSet<>();
            for (final byte[] string : strings) {
                hasher.reset(string, 0, string.length);
                ofPrefixes.add(hasher.hash(string.length));
                ofStrings.add(hasher.hash());
            }
            assertEquals(strings.size(), ofPrefixes.size());
            assertEquals(ofPrefixes, ofStrings);
        }
    }

    private static Map<?, ?> figures(final List<byte[]> keys, final String part) {
        final HeapKeySource source = new HeapKeySource();
        try (Wormhole index = new Wormhole(
            new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), new EpochReclaimer(), source, BYTES))) {
            for (int i = 0; i < keys.size(); i++) {
                source.register(i, keys.get(i));
                assertEquals(PointIndex.NONE, index.put(keys.get(i), 0, keys.get(i).length, i));
            }
            index.verify();
            return (Map<?, ?>) index.figures().get(part);
        }
    }

    /** Entries that stand in another line than their home, and links of buckets, tell how much hashes crowd. */
    private static void shouldBeSpreadAsRandomOnes(final List<byte[]> chosen) {
        final Random random = Seeds.random("HostileKeysTest of wormhole");
        final List<byte[]> others = new ArrayList<>();
        for (final byte[] key : chosen) {
            final byte[] other = new byte[key.length];
            random.nextBytes(other);
            others.add(other);
        }
        final double displaced = (Double) figures(chosen, "leaves").get("displacedShare");
        final double usual = (Double) figures(others, "leaves").get("displacedShare");
        assertTrue(displaced <= 4 * usual + 0.02, displaced + " are displaced, of random keys " + usual);
        final Map<?, ?> table = figures(chosen, "table");
        assertTrue((Long) table.get("links") * 8 <= (Long) table.get("buckets"), table.toString());
    }

    @Test
    void shouldSpreadChosenKeys() {
        shouldBeSpreadAsRandomOnes(ChosenKeys.stringsOfOneChain(KEYS));
        shouldBeSpreadAsRandomOnes(ChosenKeys.keysOfOneHash(KeyHash.ofSeed(0), KEYS));
        shouldBeSpreadAsRandomOnes(ChosenKeys.keysOfOneXxHash(KEYS, 0));
    }
}
