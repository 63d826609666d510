/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;

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

    /** Free units serve nodes of their size, smaller ones only when there is nothing else. */
    @ParameterizedTest
    @ValueSource(ints = {LINE_UNITS, 12, 16, 20})
    void shouldDivideFreeUnitsWhenMemoryIsAtAnEnd(final int units) {
        try (NodeArena arena = arena()) {
            final int whole = arena.allocate(units);
            while (arena.allocate(SMALL_UNITS) != NULL || arena.allocate(LOW_UNITS) != NULL) {
                assertTrue(arena.endOfUnits() <= BUDGET_BYTES >>> UNIT_SHIFT);
            }
            arena.free(whole, units);
            assertEquals(whole, arena.allocate(SMALL_UNITS));
            assertEquals(whole + SMALL_UNITS, arena.allocate(LOW_UNITS));
            final int rest = units - SMALL_UNITS - LOW_UNITS;
            assertEquals(rest < LOW_UNITS ? NULL : whole + units - rest, arena.allocate(LOW_UNITS));
            final int last = rest < LOW_UNITS ? rest : rest - LOW_UNITS;
            assertEquals(last < LOW_UNITS ? last : 0, arena.unitsLost());
        }
    }

    @Test
    void shouldPromiseWhatIsFreeTogetherWithWhatCanStillGrow() {
        try (NodeArena arena = arena()) {
            final int most = BUDGET_BYTES / (SMALL_UNITS * UNIT_BYTES);
            final int[] nodes = new int[most / 2];
            for (int i = 0; i < nodes.length; i++) {
                nodes[i] = arena.allocate(SMALL_UNITS);
            }
            for (final int node : nodes) {
                arena.free(node, SMALL_UNITS);
            }
            final int wanted = most / 4 * 3;
            arena.reserve(wanted);
            for (int i = 0; i < wanted; i++) {
                assertNotEquals(NULL, arena.allocate(SMALL_UNITS));
            }
            final String message =
                assertThrows(SpaceExhaustedException.class, () -> arena.reserve(most)).getMessage();
            assertEquals(most + " nodes", message.substring(0, message.indexOf(" of ")));
        }
    }

    /** Nodes of all sizes follow each other; free ones are used before the slab grows. */
    @Test
    void shouldTakeFreeUnitsThenFreshOnes() {
        try (NodeArena arena = arena()) {
            final int first = arena.allocate(LOW_UNITS);
            int next = first + LOW_UNITS;
            for (final int units : new int[] {SMALL_UNITS, LINE_UNITS, LOW_UNITS, MAX_UNITS}) {
                assertEquals(next, arena.allocate(units));
                next += units;
            }
            arena.free(first, LOW_UNITS);
            assertEquals(next, arena.allocate(SMALL_UNITS), "no free units of this size");
            next += SMALL_UNITS;
            assertEquals(first, arena.allocate(LOW_UNITS));
            final int limit = Math.toIntExact(arena.bytesCharged() >>> UNIT_SHIFT);
            for (; next + LOW_UNITS <= limit; next += LOW_UNITS) {
                assertEquals(next, arena.allocate(LOW_UNITS));
            }
            assertEquals(next, arena.allocate(LOW_UNITS), "the slab has grown");
        }
    }

    @Test
    void shouldHandOutAllUnits() {
        try (NodeArena arena = arena()) {
            arena.free(arena.allocateUnreserved(LOW_UNITS), LOW_UNITS);
            long units = 0;
            while (arena.allocate(SMALL_UNITS) != NULL) {
                units += SMALL_UNITS;
            }
            while (arena.allocate(LOW_UNITS) != NULL) {
                units += LOW_UNITS;
            }
            assertEquals(0, arena.bytesFree());
            assertTrue(offset((int) (units + FIRST_UNIT)) > BUDGET_BYTES - (LOW_UNITS << UNIT_SHIFT), units + " units");
            assertEquals(NULL, arena.allocateUnreserved(LOW_UNITS));
        }
    }

    /** A promise counts nodes, of whatever size what is left has room for. */
    @Test
    void shouldKeepAPromiseInNodesOfBothSizes() {
        try (NodeArena arena = arena()) {
            arena.reserve(20_000);
            int taken = 0;
            while (arena.allocate(LOW_UNITS) != NULL) {
                taken++;
            }
            while (arena.allocate(SMALL_UNITS) != NULL) {
                taken++;
            }
            assertTrue(taken >= 20_000, taken + " nodes");
            assertEquals(NULL, arena.allocate(LINE_UNITS));
            assertThrows(SpaceExhaustedException.class, () -> arena.reserve(1));
        }
    }
}
