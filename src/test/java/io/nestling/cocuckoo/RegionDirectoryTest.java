/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Threads;
import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicLong;

class RegionDirectoryTest {
    private static final int FIRST_DEPTH = 9;
    private static final int GROWTHS = 20_000;

    /**
     * An entry in use is not stored again while the directory grows in place: a reader that loads it from a plain store is not
     * told of its region. What another thread stores there meanwhile shows such a store by going back.
     */
    @Test
    void shouldLeaveItsEntriesAloneWhenItGrowsInPlace() throws InterruptedException {
        final SlabAllocator allocator = SlabAllocator.direct();
        final MemoryBudget budget = MemoryBudget.ofBytes(1L << 24);
        try (Slab first = allocator.allocate(MemoryBudget.SLAB_BYTES);
            GrowingSlab growing = new GrowingSlab(allocator, budget, MemoryBudget.SLAB_BYTES)) {
            final AtomicLong growths = new AtomicLong();
            Threads.runTogether(2, thread -> {
                if (thread == 0) {
                    try {
                        for (int i = 0; i < GROWTHS; i++) {
                            assertTrue(new RegionDirectory(first, growing).reachDepth(FIRST_DEPTH));
                            growths.incrementAndGet();
                        }
                    } finally {
                        growths.set(GROWTHS);
                    }
                    return;
                }
                for (int stored = 1; growths.get() < GROWTHS; stored++) {
                    first.putIntRelease(0, stored);
                    for (int look = 0; look < 4; look++) {
                        assertEquals(stored, first.getIntAcquire(0), "an entry that nobody else may write");
                    }
                }
            });
            assertEquals(GROWTHS, growths.get());
        }
    }

    @Test
    void shouldHaveEachEntryTwiceWhenItHasGrown() {
        final SlabAllocator allocator = SlabAllocator.direct();
        final MemoryBudget budget = MemoryBudget.ofBytes(1L << 24);
        try (Slab first = allocator.allocate(MemoryBudget.SLAB_BYTES);
            GrowingSlab growing = new GrowingSlab(allocator, budget, MemoryBudget.SLAB_BYTES)) {
            first.putInt(0, 64);
            first.putInt(Integer.BYTES, 128);
            final RegionDirectory directory = new RegionDirectory(first, growing);
            for (int depth = 2; depth <= FIRST_DEPTH + 2; depth++) {
                assertTrue(directory.reachDepth(depth));
                for (int hash = 0; hash < 1 << depth; hash++) {
                    assertEquals((hash & 1) == 0 ? 64 : 128, directory.region(hash), "depth " + depth + ", hash " + hash);
                }
            }
        }
    }
}
