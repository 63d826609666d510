/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class NodeIndexTailsTest {
    @Test
    void shouldBeWhereManyBlocksAreVariousAndOnAllLevelsAbove() {
        final NodeIndexTails tails = new NodeIndexTails(4);
        assertEquals(0, tails.bytes(0, 800, 100, 100), "never on the lowest level");
        assertEquals(0, tails.bytes(1, 100, 12, 3));
        assertEquals(100 * 24, tails.bytes(1, 100, 12, 4));
        assertEquals(0, tails.bytes(2, 13, 2, 0));
        tails.add(1, 100);
        assertTrue(tails.isAt(1));
        assertEquals(13 * 24, tails.bytes(2, 13, 2, 0), "above a level that has tails");
        assertFalse(tails.isAt(2));
        assertEquals(0, tails.bytes(3, 2, 1, 0));
    }
}
