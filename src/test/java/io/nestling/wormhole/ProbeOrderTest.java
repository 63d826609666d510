/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;

import org.junit.jupiter.api.Test;

import java.util.Random;

/** The order of probes ends at every depth, and soon at those where searches end often. */
class ProbeOrderTest {
    private static final int SEARCHES = 5_000;
    private static final int DEEPEST = 127;

    private final ProbeOrder order = new ProbeOrder();

    /** Takes the probes for a depth, each of which must be among the lengths that are left; returns their number. */
    private int probes(final int depth) {
        int low = 0;
        int high = DEEPEST;
        int count = 0;
        int node = ProbeOrder.ROOT;
        for (int at = order.probe(node); at > 0; at = order.probe(node)) {
            assertTrue(low < at && at <= high, at + " is not above " + low + " and up to " + high);
            count++;
            if (depth >= at) {
                low = at;
                node = 2 * node + 1;
            } else {
                high = at - 1;
                node = 2 * node;
            }
        }
        assertTrue(low <= depth && depth <= high, depth + " is not among " + low + " to " + high);
        return count;
    }

    @Test
    void shouldSayNothingBeforeItHasLearned() {
        assertEquals(0, probes(5));
    }

    @Test
    void shouldFindWhereMostSearchesEndByTwoProbes() {
        for (int i = 0; i < SEARCHES; i++) {
            order.learn(i % 8 == 0 ? i % 100 : 41);
        }
        assertEquals(2, probes(41));
        for (int depth = 0; depth <= DEEPEST; depth++) {
            probes(depth);
        }
    }

    @Test
    void shouldNeedTheLogarithmOfTheDepthsThatAreEquallyFrequent() {
        final Random random = Seeds.random("ProbeOrderTest");
        for (int i = 0; i < SEARCHES; i++) {
            order.learn(32 + random.nextInt(16));
        }
        for (int depth = 32; depth < 48; depth++) {
            final int count = probes(depth);
            assertTrue(count <= 6, count + " probes for depth " + depth);
        }
    }

    @Test
    void shouldFollowSearchesThatEndElsewhereThanBefore() {
        for (int i = 0; i < SEARCHES; i++) {
            order.learn(10);
        }
        for (int i = 0; i < 20 * SEARCHES; i++) {
            order.learn(100);
        }
        assertTrue(probes(100) <= 2, probes(100) + " probes");
    }

    @Test
    void shouldTakeAnyDepth() {
        for (int i = 0; i < SEARCHES; i++) {
            order.learn(i % 2 == 0 ? 0 : 1000 * i);
        }
        assertTrue(probes(0) <= 2, probes(0) + " probes");
        assertTrue(probes(DEEPEST) <= 2, probes(DEEPEST) + " probes");
    }
}
