/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;

import java.util.Random;

import org.junit.jupiter.api.Test;

/** What the table says of its depths decides what is requested, and nothing else. */
class NodeTableTest {
    private static final int USUAL_KEYS = 50_000;
    private static final int DEEP_PAIRS = 600;
    private static final int KEY_BYTES = 12;
    private static final int MANY = 1024;

    @Test
    void shouldKnowTheDepthsThatMissCaches() {
        final Random random = Seeds.random("NodeTableTest.shouldKnowTheDepthsThatMissCaches");
        try (TestTrie test = new TestTrie(16L << 20)) {
            put(test, random, USUAL_KEYS, DEEP_PAIRS);
            final NodeTable table = test.trie().tableOpen();
            table.weighDepths();
            final int deepest = Symbols.count(KEY_BYTES);
            assertEquals(2 * DEEP_PAIRS, table.entriesAt(deepest), "leaves that part by their last symbol");
            assertTrue(table.entriesAt(deepest) > MANY, "enough to miss caches");
            assertEquals(deepest, table.deepestWorthwhile());
            assertFalse(table.isWorthwhile(1), "at most 32 entries and the end");
        }
    }

    /** Puts random keys, beside some of which there is one that differs in the last symbol only. */
    private static void put(final TestTrie test, final Random random, final int keys, final int pairs) {
        for (int i = 0; i < keys; i++) {
            final byte[] key = new byte[KEY_BYTES];
            random.nextBytes(key);
            test.put(key);
            if (i < pairs) {
                final byte[] near = key.clone();
                near[KEY_BYTES - 1] ^= 1;
                test.put(near);
            }
        }
    }
}
