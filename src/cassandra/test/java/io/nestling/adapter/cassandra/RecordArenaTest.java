/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RecordArenaTest {
    private static final int MOST = 1 << 30;

    /** The next slab exists but cannot grow: later blocks do not extend beyond the end of the previous slab. */
    @Test
    void shouldStayUsableWhereANewSlabMayNotGrow() {
        final MemoryBudget budget = MemoryBudget.ofBytes(4L << 20);
        try (RecordArena arena = new RecordArena(SlabAllocator.direct(), budget, new EpochReclaimer(), 2L << 20)) {
            final long taken = budget.capacity() - (2L << 20);
            final long kept = arena.allocate(1 << 16);
            assertTrue(budget.tryAcquire(taken));
            final List<Long> blocks = new ArrayList<>();
            for (int refused = 0; refused < 3;) {
                try {
                    blocks.add(arena.allocate(1 << 16));
                } catch (final SpaceExhaustedException e) {
                    refused++;
                }
            }
            budget.release(taken);
            for (int i = 0; i < 8; i++) {
                blocks.add(arena.allocate(1 << 16));
            }
            for (final long block : blocks) {
                arena.putLong(block, (1 << 16) - Long.BYTES, block);
            }
            for (final long block : blocks) {
                assertEquals(block, arena.getLong(block, (1 << 16) - Long.BYTES));
            }
            blocks.add(kept);
            assertEquals(blocks.size(), new HashSet<>(blocks).size());
        }
        assertEquals(0, budget.used());
    }

    /** Includes sizes whose rounding up would overflow an int. */
    @Test
    void shouldRefuseBlocksThatNoSlabHolds() {
        final MemoryBudget budget = MemoryBudget.ofBytes(8L << 20);
        try (RecordArena arena = new RecordArena(SlabAllocator.direct(), budget, new EpochReclaimer(), 4L << 20)) {
            final long before = arena.allocate(16);
            arena.putLong(before, 0, 5);
            for (final int bytes : new int[] {MOST + 1, 3 << 29, 15 << 27, Integer.MAX_VALUE - 8, Integer.MAX_VALUE}) {
                final String message =
                    assertThrows(SpaceExhaustedException.class, () -> arena.allocate(bytes)).getMessage();
                assertTrue(message.contains(bytes + " bytes") && message.contains(MOST + ", the limit"), message);
            }
            assertEquals(5, arena.getLong(before, 0));
            assertTrue(arena.allocate(16) > before);
        }
        // Slabs have the usual size, doubled until the block fits.
        try (RecordArena arena = new RecordArena(SlabAllocator.direct(), budget, new EpochReclaimer(), 3L << 20)) {
            final String message = assertThrows(SpaceExhaustedException.class, () -> arena.allocate(900 << 20)).getMessage();
            assertTrue(message.contains("the limit"), message);
        }
        assertEquals(0, budget.used());
    }
}
