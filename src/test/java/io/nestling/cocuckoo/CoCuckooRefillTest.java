/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

/** An index that is filled until its memory ends and emptied, again and again. */
class CoCuckooRefillTest {
    private static final int CYCLES = 6;
    private static final int BYTES = 2_000_000;

    private final HeapKeySource keys = new HeapKeySource();
    private final Random random = Seeds.random("CoCuckooRefillTest");

    @Test
    void shouldHoldAsManyKeysWhenItWasEmptied() {
        final IndexContext context = new IndexContext(
            SlabAllocator.direct(), MemoryBudget.fromSmall(BYTES), new EpochReclaimer(), keys, 16 << 20);
        try (CoCuckoo index = new CoCuckoo(context)) {
            fillAndEmpty(index, 0); // with keys to spare, while regions are small
            final int first = fillAndEmpty(index, 1);
            for (int cycle = 2; cycle < CYCLES; cycle++) {
                final int count = fillAndEmpty(index, cycle);
                assertTrue(count > first * 3 / 4, "cycle " + cycle + ": " + count + " keys, " + first + " before");
                index.verify();
            }
        }
        assertEquals(0, context.budget().used());
    }

    private int fillAndEmpty(final CoCuckoo index, final int cycle) {
        final List<byte[]> added = new ArrayList<>();
        final long number = (long) cycle << Integer.SIZE;
        try {
            while (true) {
                final byte[] key = new byte[8];
                random.nextBytes(key);
                keys.register(number + added.size(), key);
                assertEquals(PointIndex.NONE, index.put(key, 0, key.length, number + added.size()));
                added.add(key);
            }
        } catch (final SpaceExhaustedException e) {
            assertEquals(added.size(), index.entryCount());
        }
        for (int i = 0; i < added.size(); i++) {
            assertEquals(number + i, index.remove(added.get(i), 0, 8));
        }
        return added.size();
    }
}
