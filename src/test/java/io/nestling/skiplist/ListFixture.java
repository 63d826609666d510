/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.bytes.KeyHash;
import io.nestling.index.IndexContext;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.LimitedAllocator;

import java.nio.charset.StandardCharsets;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * A list for tests with several threads. Keys have numbers, and a payload spells the number of its key in its low bits.
 * Closing it checks that the list gives back its budget.
 */
final class ListFixture implements AutoCloseable {
    /** The hash of the lists of this class. */
    static final KeyHash HASH = KeyHash.ofSeed(0);
    static final int NUMBER_BITS = 20;
    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;

    private final IndexContext context;
    private final SkipList list;

    ListFixture(final long budgetBytes) {
        this(budgetBytes, 2);
    }

    ListFixture(final long budgetBytes, final int prefetchLevels) {
        this(budgetBytes, prefetchLevels, true);
    }

    /** A list that finds keys by their order. */
    static ListFixture ordered(final long budgetBytes) {
        return new ListFixture(budgetBytes, 2, false);
    }

    ListFixture(final long budgetBytes, final int prefetchLevels, final boolean hashed) {
        context = new IndexContext(
            hashed ? SlabAllocator.direct() : new LimitedAllocator(SlabAllocator.direct(), 1),
            MemoryBudget.ofBytes(budgetBytes), new EpochReclaimer(),
            new HeapKeySource(payload -> key((int) (payload & NUMBER_MASK))), 64L << 20);
        list = new SkipList(context, prefetchLevels, HASH);
    }

    SkipList list() {
        return list;
    }

    EpochReclaimer epochs() {
        return context.epochs();
    }

    /** Key of a number: some digits that sort otherwise than the numbers do, with a common beginning and of several lengths. */
    static byte[] key(final int number) {
        final int spread = Integer.reverse(number) >>> Integer.SIZE - NUMBER_BITS;
        return ("prefix/" + spread + (number % 3 == 0 ? "/a longer end" : "")).getBytes(StandardCharsets.UTF_8);
    }

    static long payload(final int number, final long generation) {
        return generation << NUMBER_BITS | number;
    }

    static int numberOf(final long payload) {
        return (int) (payload & NUMBER_MASK);
    }

    long put(final int number, final long generation) {
        final byte[] key = key(number);
        return list.put(key, 0, key.length, payload(number, generation));
    }

    long get(final int number) {
        final byte[] key = key(number);
        final int guard = epochs().enter();
        try {
            return list.get(key, 0, key.length);
        } finally {
            epochs().exit(guard);
        }
    }

    long remove(final int number) {
        final byte[] key = key(number);
        return list.remove(key, 0, key.length);
    }

    @Override
    public void close() {
        list.close();
        assertEquals(0, context.budget().used(), "bytes of the budget that a closed list keeps");
    }
}
