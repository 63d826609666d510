/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class UsualDepthTest {
    private final UsualDepth usual = new UsualDepth();

    private void learn(final int times, final int... depths) {
        for (int i = 0; i < times; i++) {
            for (final int depth : depths) {
                usual.learn(depth);
            }
        }
    }

    @Test
    void shouldFindTheDepthOfMostSearches() {
        assertFalse(usual.isTrusted(), "nothing is known yet");
        learn(100, 5);
        assertEquals(5, usual.depth());
        assertTrue(usual.isTrusted());
    }

    @Test
    void shouldBearFewSearchesThatEndFarAway() {
        learn(50, 5);
        learn(50, 5, 6, 4, 5, 28, 5, 6, 5, 4, 5);
        assertEquals(5, usual.depth());
        assertTrue(usual.isTrusted());
        learn(4, 28);
        assertEquals(6, usual.depth(), "half a step and no more");
    }

    @Test
    void shouldDistrustWhereDepthsAreManifold() {
        learn(50, 3, 12, 7, 20);
        assertFalse(usual.isTrusted());
    }

    @Test
    void shouldFollow() {
        learn(100, 9);
        learn(4, 2);
        assertFalse(usual.isTrusted(), "four searches that ended elsewhere");
        learn(100, 2);
        assertEquals(2, usual.depth());
        assertTrue(usual.isTrusted());
    }
}
