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

    /** Free units serve nodes of their size first, smaller ones only when there is nothing else. */
    @ParameterizedTest
    @ValueSource(ints = {LINE_UNITS, 12, 16, 20})
    void shouldDivideFreeUnitsWhenMemoryIsAtAnEnd(final int units) {
        try (NodeArena arena = arena()) {
            final int whole = arena.allocate(0, units);
            arena.free(whole, units);
            final int small = arena.allocate(0, SMALL_UNITS);
            assertTrue(small >= whole + units, "from a run");
            assertEquals(whole, takeAll(arena, units), "the last one is what was freed");
            arena.free(whole, units);
            assertEquals(whole, arena.allocate(0, SMALL_UNITS));
            assertEquals(whole + SMALL_UNITS, arena.allocate(0, LOW_UNITS));
            final int rest = units - SMALL_UNITS - LOW_UNITS;
            assertEquals(rest < LOW_UNITS ? NULL : whole + units - rest, arena.allocate(0, LOW_UNITS));
        }
    }

    /** Takes all units in nodes of the small sizes, then free ones of another size; returns the last of these. */
    private static int takeAll(final NodeArena arena, final int units) {
        final int last = arena.allocate(0, units);
        while (arena.allocate(0, SMALL_UNITS) != NULL || arena.allocate(0, LOW_UNITS) != NULL) {
            assertTrue(arena.endOfUnits() <= BUDGET_BYTES >>> UNIT_SHIFT);
        }
        return last;
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

    /** Nodes of all sizes come from one run, which is lost but for what nodes can use. */
    @Test
    void shouldFillRunsWithNodesOfAllSizes() {
        try (NodeArena arena = arena()) {
            int next = arena.allocate(0, LOW_UNITS);
            final int end = next + UnitRuns.RUN_UNITS;
            next += LOW_UNITS;
            for (final int units : new int[] {SMALL_UNITS, LINE_UNITS, LOW_UNITS, MAX_UNITS}) {
                assertEquals(next, arena.allocate(0, units));
                next += units;
            }
            while (end - next >= SMALL_UNITS) {
                assertEquals(next, arena.allocate(0, SMALL_UNITS));
                next += SMALL_UNITS;
            }
            final int rest = end - next;
            assertEquals(rest << UNIT_SHIFT, arena.bytesFree());
            assertEquals(end, arena.allocate(0, SMALL_UNITS), "the next run");
            assertEquals(rest < LOW_UNITS ? rest : 0, arena.unitsLost());
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
            for (int i = 1; i < UnitRuns.RUN_UNITS / LOW_UNITS; i++) {
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
            final int cell = arena.allocateCell();
            arena.free(cell, LOW_UNITS);
            while (arena.allocate(1, SMALL_UNITS) != NULL) {
                units += SMALL_UNITS;
            }
            while (arena.allocate(1, LOW_UNITS) != NULL) {
                units += LOW_UNITS;
            }
            assertEquals(BUDGET_BYTES, offset((int) (units + FIRST_UNIT + arena.unitsLost())) + arena.bytesFree());
            assertTrue(arena.bytesFree() < UnitRuns.COUNT * LOW_UNITS << UNIT_SHIFT, arena.bytesFree() + " bytes are free");
            assertEquals(NULL, arena.allocateCell());
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
            assertEquals(NULL, arena.allocate(0, LINE_UNITS));
            assertThrows(SpaceExhaustedException.class, () -> arena.reserve(1));
        }
    }
}
