/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SlabAllocator;
import io.nestling.memory.SpaceExhaustedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the arena of nodes does with units that come back. */
class NodeArenaTest {
    private static final int BUDGET_BYTES = 1 << 20;
    private static final long SLAB_BYTES = 64L << 20;

    private static NodeArena arena() {
        return new NodeArena(
            SlabAllocator.direct(), MemoryBudget.fromSmall(BUDGET_BYTES), new EpochReclaimer(), SLAB_BYTES);
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 16, 20})
    void shouldBeginTallNodesAtTheirAlignmentBehindASplit(final int units) {
        try (NodeArena arena = arena()) {
            final int whole = arena.allocateTall(units);
            arena.free(whole, units);
            assertEquals(whole + units - SMALL_UNITS, arena.allocateSmall(), "the end of a free node is split off");
            assertEquals(whole, arena.allocateTall(units - SMALL_UNITS));
            assertEquals(0, whole % LINE_UNITS);
        }
    }

    @Test
    void shouldPromiseWhatIsFreeTogetherWithWhatCanStillGrow() {
        try (NodeArena arena = arena()) {
            final int most = BUDGET_BYTES / (SMALL_UNITS * UNIT_BYTES);
            final int[] nodes = new int[most / 2];
            for (int i = 0; i < nodes.length; i++) {
                nodes[i] = arena.allocateSmall();
            }
            for (final int node : nodes) {
                arena.free(node, SMALL_UNITS);
            }
            final int wanted = most / 4 * 3;
            arena.promise(wanted);
            for (int i = 0; i < wanted; i++) {
                assertNotEquals(NULL, arena.allocateSmall());
            }
            final String message =
                assertThrows(SpaceExhaustedException.class, () -> arena.promise(most)).getMessage();
            assertEquals(most + " nodes", message.substring(0, message.indexOf(" of ")));
        }
    }

    /** Nodes of height 1 come from runs, the others from what lies behind them. */
    @Test
    void shouldKeepNodesOfBothSizesApart() {
        try (NodeArena arena = arena()) {
            int low = arena.allocateLow();
            int small = arena.allocateSmall();
            for (int i = 1; i < 128; i++) {
                assertEquals(low += LOW_UNITS, arena.allocateLow());
                assertEquals(small += SMALL_UNITS, arena.allocateSmall());
                assertEquals(0, small % SMALL_UNITS);
            }
            assertEquals(small + SMALL_UNITS, arena.allocateLow(), "the next run");
            assertEquals((128 - 1L) * LOW_UNITS << UNIT_SHIFT, arena.bytesFree(), "the rest of the run is free");
        }
    }

    /** A promise counts nodes, of whatever size what is left has room for. */
    @Test
    void shouldKeepAPromiseInNodesOfBothSizes() {
        try (NodeArena arena = arena()) {
            arena.promise(20_000);
            int taken = 0;
            while (arena.allocateLow() != NULL) {
                taken++;
            }
            while (arena.allocateSmall() != NULL) {
                taken++;
            }
            assertTrue(taken >= 20_000, taken + " nodes");
            assertEquals(NULL, arena.allocateTall(LINE_UNITS));
            assertThrows(SpaceExhaustedException.class, () -> arena.promise(1));
        }
    }
}
