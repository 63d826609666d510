/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.testing.Seeds;

import java.util.Random;

import org.junit.jupiter.api.Test;

class SymbolsTest {
    private static final int ROUNDS = 50_000;
    private static final int MOST_BYTES = 14;
    private static final int MARGIN = 5;

    @Test
    void shouldTakeFourSymbolsFromAnyOneOn() {
        final byte[] key = {99, 'a', (byte) 0xFF, 99};
        assertEquals(0b01100_00111_11111_10000, Symbols.following(key, 1, 2, 0));
        assertEquals(0b11111_10000_00000_00000, Symbols.following(key, 1, 2, 2));
        assertEquals(0, Symbols.following(key, 1, 2, 4));
    }

    /** What a leaf knows is compared as its symbols are one by one, for keys that end before, in and behind it. */
    @Test
    void shouldCompareWhatALeafKnowsSymbolBySymbol() {
        final Random random = Seeds.random("SymbolsTest.shouldCompareWhatALeafKnowsSymbolBySymbol");
        for (int round = 0; round < ROUNDS; round++) {
            final byte[] ofLeaf = key(random, random.nextInt(MOST_BYTES));
            final byte[] key = random.nextInt(4) == 0 ? ofLeaf.clone() : key(random, random.nextInt(MOST_BYTES));
            final int shared = Math.min(Symbols.count(ofLeaf.length), Symbols.count(key.length));
            final int depth = random.nextInt(shared + 1);
            final int suffix = Symbols.suffix(ofLeaf, 0, ofLeaf.length, depth);
            final byte[] array = new byte[key.length + 2 * MARGIN];
            random.nextBytes(array);
            System.arraycopy(key, 0, array, MARGIN, key.length);
            assertEquals(
                Integer.signum(oneByOne(suffix, key, depth)),
                Integer.signum(Symbols.compareSuffix(suffix, array, MARGIN, key.length, depth)));
        }
    }

    private static int oneByOne(final int suffix, final byte[] key, final int depth) {
        for (int i = 0; i < CuckooTrieEntryLayout.suffixCount(suffix); i++) {
            if (depth + i >= Symbols.count(key.length)) {
                return 1;
            }
            final int order = CuckooTrieEntryLayout.suffixSymbol(suffix, i) - Symbols.at(key, 0, key.length, depth + i);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** Of few bytes, so that keys share symbols. */
    private static byte[] key(final Random random, final int length) {
        final byte[] key = new byte[length];
        for (int i = 0; i < length; i++) {
            key[i] = (byte) (random.nextInt(8) == 0 ? random.nextInt() : 0x42 * random.nextInt(2));
        }
        return key;
    }
}
