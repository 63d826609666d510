/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.bridge.NativeBridges;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SharedBudget;
import org.junit.jupiter.api.Test;

/** What slabs grow by and are charged. */
class GrowingSlabTest {
    private static final long MIB = 1 << 20;
    private static final long PAGE = MemoryBudget.SLAB_BYTES;

    private static GrowingSlab slab(final MemoryBudget budget) {
        return new GrowingSlab(SlabAllocator.direct(), budget, 256 * MIB);
    }

    private static void assumeHugePages() {
        assumeTrue(NativeBridges.get().isNative() && MappedSlabAllocator.HUGE_PAGES, "huge pages");
    }

    @Test
    void shouldTakeSmallPagesThenHugeOnesThenSmallOnes() {
        assumeHugePages();
        final MemoryBudget budget = MemoryBudget.ofBytes(64 * MIB);
        try (GrowingSlab slab = slab(budget)) {
            assertEquals(4 << 10, limitAt(slab, 1));
            assertEquals(PAGE, limitAt(slab, PAGE - 1));
            assertEquals(2 * PAGE, limitAt(slab, PAGE + 1));
            assertTrue(budget.tryAcquire(55 * MIB), "less than a page is left beside the part for small ones");
            assertEquals(2 * PAGE + (128 << 10), limitAt(slab, 2 * PAGE + 1));
            assertEquals(slab.limit() + (128 << 10), limitAt(slab, slab.limit() + 1));
            budget.release(55 * MIB);
            assertEquals(slab.limit() + (128 << 10), limitAt(slab, slab.limit() + 1), "for good");
            assertEquals(slab.limit(), budget.used());
            slab.shrinkTo(PAGE + 1);
            assertEquals(2 * PAGE, slab.limit());
            assertEquals(2 * PAGE, budget.used());
        }
        assertEquals(0, budget.used());
    }

    private static long limitAt(final GrowingSlab slab, final long end) {
        assertTrue(slab.growTo(end));
        return slab.limit();
    }

    /** Seen to fail with small pages asked for before the bytes were charged. */
    @Test
    void shouldStayOnHugePagesIfAGrowthWasRefused() {
        assumeHugePages();
        final MemoryBudget budget = MemoryBudget.ofBytes(64 * MIB);
        try (GrowingSlab slab = slab(budget)) {
            assertTrue(slab.growTo(PAGE + 1));
            assertFalse(slab.growTo(64 * MIB + 1));
            assertEquals(2 * PAGE, slab.limit());
            assertEquals(2 * PAGE, budget.used());
            assertEquals(3 * PAGE, limitAt(slab, 2 * PAGE + 1));
        }
    }

    /** Seen to fail with the rest of the shared budget as what is left for huge pages. */
    @Test
    void shouldStayOnHugePagesWhileASharedBudgetIsShort() {
        assumeHugePages();
        try (SharedBudget<Object> shared = SharedBudget.builder(64 * MIB, owner -> { }).build()) {
            final MemoryBudget other = MemoryBudget.ofBytes(64 * MIB, 2, shared.join());
            final MemoryBudget budget = MemoryBudget.ofBytes(64 * MIB, 2, shared.join());
            try (GrowingSlab slab = slab(budget)) {
                assertTrue(other.tryAcquire(58 * MIB));
                assertEquals(2 * PAGE, limitAt(slab, PAGE + 1));
                assertFalse(slab.growTo(3 * PAGE + 1));
                assertEquals(3 * PAGE, limitAt(slab, 2 * PAGE + 1));
            }
        }
    }

    /** Seen to fail without the minimum with what is charged. */
    @Test
    void shouldNotBeChargedMoreByShrinking() {
        final MemoryBudget budget = MemoryBudget.ofBytes(256 * MIB);
        try (GrowingSlab slab = slab(budget)) {
            assumeTrue(slab.prefaulter.isPossible(), "pages are populated ahead");
            assertTrue(slab.growTo(64 * MIB)); // by much at once: no page behind it is requested
            slab.prefaulter.populate(64 * MIB, 66 * MIB); // as late as the thread may find an earlier request
            slab.prefaulter.run();
            slab.shrinkTo(62 * MIB);
            assertEquals(62 * MIB, slab.limit());
            assertTrue(budget.used() <= 64 * MIB, budget.used() + " bytes");
        }
        assertEquals(0, budget.used());
    }
}
