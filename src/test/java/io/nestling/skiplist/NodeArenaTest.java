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
            assertEquals(whole + units - SMALL_UNITS, arena.allocate(0, SMALL_UNITS), "the end of a free node is split off");
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
                nodes[i] = arena.allocate(0, SMALL_UNITS);
            }
            for (final int node : nodes) {
                arena.free(node, SMALL_UNITS);
            }
            final int wanted = most / 4 * 3;
            arena.reserve(wanted);
            for (int i = 0; i < wanted; i++) {
                assertNotEquals(NULL, arena.allocate(0, SMALL_UNITS));
            }
            final String message =
                assertThrows(SpaceExhaustedException.class, () -> arena.reserve(most)).getMessage();
            assertEquals(most + " nodes", message.substring(0, message.indexOf(" of ")));
        }
    }

    /** Nodes of both sizes come from runs of their own. */
    @Test
    void shouldKeepNodesOfBothSizesApart() {
        try (NodeArena arena = arena()) {
            int low = arena.allocate(0, LOW_UNITS);
            int small = arena.allocate(0, SMALL_UNITS);
            assertEquals(low + UnitRuns.RUN_NODES * LOW_UNITS, small);
            for (int i = 1; i < UnitRuns.RUN_NODES; i++) {
                assertEquals(low += LOW_UNITS, arena.allocate(0, LOW_UNITS));
                assertEquals(small += SMALL_UNITS, arena.allocate(0, SMALL_UNITS));
                assertEquals(0, small % SMALL_UNITS);
            }
            assertEquals(small + SMALL_UNITS, arena.allocate(0, LOW_UNITS), "the next run");
            assertEquals((UnitRuns.RUN_NODES - 1L) * LOW_UNITS << UNIT_SHIFT, arena.bytesFree(), "the rest of the run is free");
        }
    }

    /** Writers with lanes of their own write no line in turns. */
    @Test
    void shouldGiveEachLaneRunsOfItsOwn() {
        try (NodeArena arena = arena()) {
            final int[] first = new int[UnitRuns.LANES];
            for (int lane = 0; lane < first.length; lane++) {
                first[lane] = arena.allocate(lane, LOW_UNITS);
            }
            for (int i = 1; i < UnitRuns.RUN_NODES; i++) {
                for (int lane = 0; lane < first.length; lane++) {
                    assertEquals(first[lane] + i * LOW_UNITS, arena.allocate(lane, LOW_UNITS), "node " + i + " of lane " + lane);
                }
            }
        }
    }

    /** When memory is at an end, a lane takes what others have set aside. */
    @Test
    void shouldHandOutAllUnitsToOneLane() {
        try (NodeArena arena = arena()) {
            long units = 0;
            for (int lane = 0; lane < UnitRuns.LANES; lane++) {
                arena.allocate(lane, LOW_UNITS);
                arena.allocate(lane, SMALL_UNITS);
                units += LOW_UNITS + SMALL_UNITS;
            }
            final int spare = arena.allocateSpare();
            arena.freeSpare(spare);
            while (arena.allocate(1, SMALL_UNITS) != NULL) {
                units += SMALL_UNITS;
            }
            while (arena.allocate(1, LOW_UNITS) != NULL) {
                units += LOW_UNITS;
            }
            assertEquals(BUDGET_BYTES >>> UNIT_SHIFT, units + FIRST_UNIT);
            assertEquals(0, arena.bytesFree());
            assertEquals(NULL, arena.allocateSpare());
        }
    }

    /** A promise counts nodes, of whatever size what is left has room for. */
    @Test
    void shouldKeepAPromiseInNodesOfBothSizes() {
        try (NodeArena arena = arena()) {
            arena.reserve(20_000);
            int taken = 0;
            while (arena.allocate(0, LOW_UNITS) != NULL) {
                taken++;
            }
            while (arena.allocate(0, SMALL_UNITS) != NULL) {
                taken++;
            }
            assertTrue(taken >= 20_000, taken + " nodes");
            assertEquals(NULL, arena.allocateTall(LINE_UNITS));
            assertThrows(SpaceExhaustedException.class, () -> arena.reserve(1));
        }
    }
}
