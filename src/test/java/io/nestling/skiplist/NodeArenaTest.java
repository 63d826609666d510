/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
    @ValueSource(ints = {3, 4, 5})
    void shouldBeginTallNodesAtTheirAlignmentBehindASplit(final int units) {
        try (NodeArena arena = arena()) {
            final int whole = arena.allocateTall(units);
            arena.free(whole, units);
            assertEquals(whole + units - 1, arena.allocateSmall(), "the last unit of a free node is split off");
            assertEquals(whole, arena.allocateTall(units - 1));
            assertEquals(0, whole & 1);
        }
    }

    @Test
    void shouldPromiseWhatIsFreeTogetherWithWhatCanStillGrow() {
        try (NodeArena arena = arena()) {
            final int most = BUDGET_BYTES / NodeLayout.UNIT_BYTES;
            final int[] nodes = new int[most / 2];
            for (int i = 0; i < nodes.length; i++) {
                nodes[i] = arena.allocateSmall();
            }
            for (final int node : nodes) {
                arena.free(node, 1);
            }
            final int wanted = most / 4 * 3;
            arena.promise(wanted);
            for (int i = 0; i < wanted; i++) {
                assertNotEquals(NodeLayout.NULL, arena.allocateSmall());
            }
            final String message =
                assertThrows(SpaceExhaustedException.class, () -> arena.promise(most)).getMessage();
            assertEquals(most + " nodes", message.substring(0, message.indexOf(" of ")));
        }
    }
}
