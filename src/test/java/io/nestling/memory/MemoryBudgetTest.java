/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A budget gives what it has and not a byte more. */
@Tag("bridge")
class MemoryBudgetTest {
    /** A thread for each task: the common pool may have one only. */
    private static final Executor THREADS = task -> new Thread(task).start();
    @Test
    void shouldGiveUpToItsCapacity() {
        final MemoryBudget budget = MemoryBudget.ofBytes(100);
        assertTrue(budget.tryAcquire(60));
        assertFalse(budget.tryAcquire(41));
        assertEquals(60, budget.used());
        assertEquals(40, budget.remaining());
        assertTrue(budget.tryAcquire(40));
        assertFalse(budget.tryAcquire(1));
        assertTrue(budget.tryAcquire(0));
        budget.release(100);
        assertEquals(0, budget.used());
        assertEquals(100, budget.capacity());
    }

    @Test
    void shouldNotOverflowNearTheGreatestNumber() {
        final MemoryBudget budget = MemoryBudget.ofBytes(Long.MAX_VALUE - 10);
        assertTrue(budget.tryAcquire(100));
        assertFalse(budget.tryAcquire(Long.MAX_VALUE));
        assertFalse(budget.tryAcquire(Long.MAX_VALUE - 109));
        assertEquals(100, budget.used());
        assertTrue(budget.tryAcquire(Long.MAX_VALUE - 110));
        assertEquals(0, budget.remaining());
    }

    @Test
    void shouldGrowInSmallerStepsWhereThereIsLittle() {
        assertEquals(16 << 10, MemoryBudget.ofBytes(1).step());
        assertEquals(16 << 10, MemoryBudget.ofBytes(1 << 20, 8).step());
        assertEquals(128 << 10, MemoryBudget.ofBytes(4 << 20, 2).step());
        assertEquals(64 << 10, MemoryBudget.ofBytes((4 << 20) - 1, 2).step());
        assertEquals(MemoryBudget.SLAB_BYTES, MemoryBudget.ofBytes(1L << 30).step());
        assertEquals(MemoryBudget.SLAB_BYTES, MemoryBudget.ofBytes(Long.MAX_VALUE, 1).step());
    }

    @Test
    void shouldNotGiveMoreToManyThreads() throws Exception {
        final MemoryBudget budget = MemoryBudget.ofBytes(1000);
        final AtomicLong held = new AtomicLong();
        final CompletableFuture<?>[] all = new CompletableFuture<?>[4];
        for (int thread = 0; thread < all.length; thread++) {
            final int bytes = 1 + 97 * thread;
            all[thread] = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 50_000; i++) {
                    if (budget.tryAcquire(bytes)) {
                        assertTrue(held.addAndGet(bytes) <= 1000, "more was given than there is");
                        held.addAndGet(-bytes);
                        budget.release(bytes);
                    }
                }
            }, THREADS);
        }
        CompletableFuture.allOf(all).get(60, TimeUnit.SECONDS);
        assertEquals(0, budget.used());
    }

    @Test
    void ofBytesThrowsIllegalArgumentWhenThereIsNothing() {
        assertThrows(IllegalArgumentException.class, () -> MemoryBudget.ofBytes(0));
        assertThrows(IllegalArgumentException.class, () -> MemoryBudget.ofBytes(-5));
    }

    @Test
    void releaseThrowsIllegalStateWhenMoreComesBackThanWasGiven() {
        final MemoryBudget budget = MemoryBudget.ofBytes(10);
        budget.tryAcquire(3);
        final IllegalStateException e = assertThrows(IllegalStateException.class, () -> budget.release(5));
        assertTrue(e.getMessage().contains("at most 3 bytes but was 5"), e.getMessage());
    }

    /** Seen to fail with a count of all refusals. */
    @Test
    void shouldNotCountARefusalOfWhatNoWriteNeeds() {
        try (SharedBudget<Object> shared = SharedBudget.builder(1_000, owner -> { }).build()) {
            final BudgetShare<Object> share = shared.join();
            final MemoryBudget budget = MemoryBudget.ofBytes(10_000, 1, share);
            final long before = share.moment();
            assertTrue(budget.tryAcquireAhead(600));
            assertFalse(budget.tryAcquireAhead(600));
            assertEquals(before, share.moment());
            assertFalse(budget.tryAcquire(600));
            assertNotEquals(before, share.moment());
            assertEquals(600, budget.used());
        }
    }

    /** Seen to fail with what the structure takes when it becomes the owner. */
    @Test
    void shouldNotAskForTheFlushOfWhatIsEmpty() {
        final List<Object> asked = new ArrayList<>();
        try (SharedBudget<Object> shared = SharedBudget.builder(1_000, asked::add).softLimitBytes(50).build()) {
            final BudgetShare<Object> share = shared.join();
            share.setOwner("empty", 100); // before it is charged, which the first write does
            final MemoryBudget budget = MemoryBudget.ofBytes(10_000, 1, share);
            assertTrue(budget.tryAcquire(100));
            share.beforeWrite();
            assertEquals(List.of(), asked);
            assertTrue(budget.tryAcquire(1));
            share.beforeWrite();
            assertEquals(List.of("empty"), asked);
        }
    }
}
