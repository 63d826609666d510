/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/** Keys of greater heights get nodes of height 1 when memory ends; the list stays whole. */
@Tag("jdk")
class LastUnitsTest {
    private static final int BUDGET_BYTES = 1 << 20;
    private static final int MOST_KEYS = 1 << 17;
    /* So that the lower half of each payload is what an empty link is. */
    private static final int PAYLOAD_SHIFT = 32;

    private final byte[][] keys = new byte[MOST_KEYS][];
    private int count;

    private void put(final SkipList list, final long number) {
        keys[count] = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        assertEquals(PointIndex.NONE, list.put(keys[count], 0, Long.BYTES, (long) count << PAYLOAD_SHIFT));
        count++;
    }

    @Test
    void shouldHoldAllKeysWhenTheLastUnitsAreTaken() {
        final Random random = Seeds.random("shouldHoldAllKeysWhenTheLastUnitsAreTaken");
        final MemoryBudget budget = MemoryBudget.fromSmall(BUDGET_BYTES);
        try (SkipList list = new SkipList(
            SkipListFactory.withoutHash(new IndexContext(
                SlabAllocator.direct(), budget, new EpochReclaimer(),
                new HeapKeySource(payload -> keys[(int) (payload >>> PAYLOAD_SHIFT)]), BUDGET_BYTES)))) {
            final Set<Long> used = new HashSet<>();
            while (budget.remaining() > BUDGET_BYTES / 16) {
                final long number = random.nextLong() >>> 2;
                if (used.add(number)) {
                    put(list, number);
                }
            }
            assertNotNull(list.nodes.maintainer().current());
            final int few = count;
            assertThrows(SpaceExhaustedException.class, () -> {
                for (long number = Long.MAX_VALUE; true; number--) {
                    put(list, number);
                }
            });
            assertTrue(count > few, "keys behind all others");
            list.verify();
            for (int i = 0; i < count; i++) {
                assertEquals((long) i << PAYLOAD_SHIFT, list.get(keys[i], 0, Long.BYTES), "key " + i);
            }
        }
    }
}
