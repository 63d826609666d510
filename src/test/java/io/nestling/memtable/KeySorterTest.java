/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.Slab;
import io.nestling.memory.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Keys that are sorted by their first bytes, and by more of them where these are equal. */
class KeySorterTest {
    private static List<KeyCorpus> corpora() {
        return KeyCorpus.all();
    }

    /** Sorts keys, whose payloads are their numbers from 1 on, and compares with the JDK. */
    private static void check(final List<byte[]> keys, final boolean onHeap) {
        final HeapKeySource source = new HeapKeySource(payload -> keys.get((int) payload - 1));
        final long slabBytes = (keys.size() * 16L + (2 << 20)) / (2 << 20) * (2 << 20);
        final Slab slab = onHeap ? null : SlabAllocator.direct().allocate(slabBytes);
        try {
            final KeyEntries entries =
                onHeap ? KeyEntries.onHeap(keys.size()) : KeyEntries.inSlab(slab, keys.size());
            for (int i = 0; i < keys.size(); i++) {
                entries.set(i, 0, i + 1);
            }
            new KeySorter(source).sort(entries);
            final List<byte[]> expected = new ArrayList<>(keys);
            expected.sort(Arrays::compareUnsigned);
            final boolean[] seen = new boolean[keys.size()];
            for (int i = 0; i < keys.size(); i++) {
                final int number = (int) entries.record(i) - 1;
                assertTrue(!seen[number], "twice");
                seen[number] = true;
                assertArrayEquals(expected.get(i), keys.get(number), "place " + i);
                assertEquals(source.keyWord(entries.record(i), 0), entries.prefix(i), "prefix at " + i);
            }
        } finally {
            if (slab != null) {
                slab.close();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("corpora")
    void shouldSortKeysOfEveryKind(final KeyCorpus corpus) {
        final List<byte[]> keys = new ArrayList<>(corpus.keys());
        Collections.shuffle(keys, Seeds.random("KeySorterTest " + corpus));
        check(keys, false);
        check(keys.subList(0, keys.size() / 2), true);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 23, 24, 25, 100, 1_000, 100_000})
    void shouldSortManyRandomKeysByAllProcessors(final int count) {
        final Random random = Seeds.random("KeySorterTest " + count);
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final byte[] key = new byte[8];
            random.nextBytes(key);
            keys.add(key);
        }
        check(keys, false);
    }

    @Test
    void shouldSortKeysThatEndInTheSamePrefix() {
        final List<byte[]> keys = new ArrayList<>();
        for (int length = 0; length < 40; length++) {
            for (int times = 0; times < 3; times++) {
                keys.add(new byte[length]); // zeroes, with which prefixes are padded
            }
            keys.add(Arrays.copyOf("the same beginning of all these keys".getBytes(), length));
        }
        Collections.shuffle(keys, Seeds.random("KeySorterTest zeroes"));
        check(keys, false);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 8, 60, 3_000})
    void shouldSortKeysWithALongCommonBeginning(final int common) {
        final Random random = Seeds.random("KeySorterTest common " + common);
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            final byte[] key = new byte[common + random.nextInt(12)];
            for (int at = common; at < key.length; at++) {
                key[at] = (byte) random.nextInt(4);
            }
            keys.add(key);
        }
        check(keys, false);
    }
}
