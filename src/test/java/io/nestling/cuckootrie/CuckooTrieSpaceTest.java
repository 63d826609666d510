/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.IndexSpaceContract;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.SlabAllocator;

import org.junit.jupiter.api.Test;

class CuckooTrieSpaceTest extends IndexSpaceContract {
    private static final int LONG_KEY_BYTES = 600;

    @Override
    protected IndexFactory factory() {
        return CuckooTrieFactory.INSTANCE;
    }

    /** Else a key that runs into a cycle of the hash ends a batch halfway. */
    @Test
    void reserveThrowsSpaceExhaustedWhenLongKeysMayNeedASecondTable() {
        final MemoryBudget budget = MemoryBudget.ofBytes(80 << 10);
        try (CuckooTrie trie = new CuckooTrie(
            new IndexContext(SlabAllocator.direct(), budget, new EpochReclaimer(), KeySource.NONE, 2 << 20))) {
            trie.reserve(1, LONG_KEY_BYTES / 2);
            final long used = budget.used();
            final String message =
                assertThrows(SpaceExhaustedException.class, () -> trie.reserve(1, LONG_KEY_BYTES)).getMessage();
            assertTrue(message.contains("second table") && message.contains(Integer.toString(LONG_KEY_BYTES)), message);
            assertEquals(used, budget.used());
            trie.reserve(0, 0);
        }
        assertEquals(0, budget.used());
    }

    @Test
    void reserveShouldChargeNothingWhenASecondTableWouldNotFit() {
        final MemoryBudget budget = MemoryBudget.ofBytes(300 << 10);
        try (CuckooTrie trie = new CuckooTrie(
            new IndexContext(SlabAllocator.direct(), budget, new EpochReclaimer(), KeySource.NONE, 2 << 20))) {
            final long used = budget.used();
            assertThrows(SpaceExhaustedException.class, () -> trie.reserve(1, 60_000));
            assertEquals(used, budget.used());
        }
        assertEquals(0, budget.used());
    }
}
