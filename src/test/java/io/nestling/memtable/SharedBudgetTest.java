/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.catalog.IndexType;
import io.nestling.memory.BudgetShare;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SharedBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.StressThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Several memtables with one budget. */
class SharedBudgetTest {
    private static final long MIB = 1 << 20;
    private static final Duration SHORT = Duration.ofMillis(200);

    private static SharedBudget.Builder<Memtable> budget(final long bytes, final Consumer<Memtable> flush) {
        return SharedBudget.<Memtable>builder(bytes, flush).timeout(SHORT);
    }

    private static Memtable open(final SharedBudget<Memtable> budget) {
        return open(budget, IndexType.TRIE);
    }

    private static Memtable open(final SharedBudget<Memtable> budget, final IndexType index) {
        return Memtable.open(MemtableOptions.builder().index(index).shards(1).capacityBytes(64 * MIB)
            .sharedBudget(budget).build());
    }

    private static byte[] key(final long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    /** Writes until there is no memory; returns the number of writes. */
    private static int fill(final Memtable memtable, final int most) {
        int count = 0;
        while (count < most) {
            memtable.put(key(count), new byte[1_000]);
            count++;
        }
        return count;
    }

    @ParameterizedTest
    @EnumSource(IndexType.class)
    void shouldKeepManyMemtablesBelowTheLimitAndLoseNothing(final IndexType index) throws InterruptedException {
        final LinkedBlockingQueue<Memtable> full = new LinkedBlockingQueue<>();
        final SharedBudget<Memtable> budget =
            SharedBudget.<Memtable>builder(16 * MIB, full::add).softLimitBytes(12 * MIB).build();
        final int writers = 3;
        final int writes = 12_000;
        final AtomicReferenceArray<Memtable> active = new AtomicReferenceArray<>(writers);
        for (int i = 0; i < writers; i++) {
            active.set(i, open(budget, index));
        }
        final AtomicLong flushed = new AtomicLong();
        final AtomicInteger done = new AtomicInteger();
        final AtomicInteger flushes = new AtomicInteger();
        final StressThreads threads = new StressThreads();
        threads.start("flusher", () -> {
            while (done.get() < writers || !full.isEmpty()) {
                final Memtable memtable = full.poll(1, TimeUnit.MILLISECONDS);
                if (memtable == null) {
                    continue;
                }
                for (int i = 0; i < writers; i++) {
                    if (active.get(i) == memtable) {
                        active.set(i, open(budget, index));
                    }
                }
                memtable.freeze();
                flushed.addAndGet(memtable.flush(new CollectingSink()).entries());
                memtable.close();
                flushes.incrementAndGet();
            }
        });
        for (int writer = 0; writer < writers; writer++) {
            final int own = writer;
            threads.start("writer " + writer, () -> {
                for (long i = 0; i < writes;) {
                    try {
                        active.get(own).put(key(i), new byte[1_000]);
                        i++;
                    } catch (final IllegalStateException e) {
                        Thread.onSpinWait(); // it is being flushed: its successor takes the write
                    }
                    assertTrue(budget.used() <= budget.limit());
                }
                done.incrementAndGet();
            });
        }
        threads.join();
        for (int i = 0; i < writers; i++) {
            try (Memtable memtable = active.get(i)) {
                memtable.freeze();
                flushed.addAndGet(memtable.flush(new CollectingSink()).entries());
            }
        }
        assertEquals((long) writers * writes, flushed.get());
        assertTrue(flushes.get() > 1, flushes + " flushes");
        assertEquals(0, budget.used());
        assertEquals(List.of(), budget.uses());
    }

    @Test
    void shouldAskForTheLargestAndAmongEqualsForTheOldest() {
        final List<Memtable> asked = new ArrayList<>();
        try (SharedBudget<Memtable> budget = budget(8 * MIB, asked::add).softLimitBytes(4 * MIB).build();
            Memtable first = open(budget); Memtable second = open(budget); Memtable third = open(budget)) {
            fill(first, 100);
            fill(second, 500);
            assertEquals(3, budget.uses().size());
            assertSame(second, budget.uses().get(1).owner());
            assertEquals(budget.used(), budget.uses().stream().mapToLong(SharedBudget.Use::usedBytes).sum());
            assertEquals(List.of(), asked);
            fill(third, 3_800);
            assertSame(third, asked.get(0));
        }
        asked.clear();
        final Comparator<SharedBudget.Use<Memtable>> newest = Comparator.comparingLong(use -> -use.number());
        try (SharedBudget<Memtable> budget = budget(8 * MIB, asked::add).softLimitBytes(MIB).order(newest).build();
            Memtable first = open(budget); Memtable second = open(budget)) {
            fill(second, 10);
            fill(first, 1_500);
            assertSame(second, asked.get(0));
            assertSame(first, asked.get(1));
        }
    }

    /** Seen to fail with a share that only {@link Memtable#open} gives up, once it has the memtable's state. */
    @Test
    void shouldLeaveNothingChargedByAMemtableThatCannotBeOpened() {
        final SlabAllocator failing = new SlabAllocator() {
            @Override
            public Slab allocate(final long bytes) {
                throw new AssertionError("no slab is needed to open a memtable");
            }

            @Override
            public long maxSlabBytes() {
                throw new OutOfMemoryError("injected");
            }

            @Override
            public boolean lazy() {
                return true;
            }
        };
        try (SharedBudget<Memtable> budget = budget(MIB, memtable -> { }).build()) {
            final MemtableOptions options = MemtableOptions.builder().index(IndexType.TRIE).shards(1).memory(failing)
                .sharedBudget(budget).build();
            assertThrows(OutOfMemoryError.class, () -> Memtable.open(options));
            assertEquals(0, budget.used());
        }
    }

    /** Seen to fail with a check of what is left that the shared budget does not know of. */
    @Test
    void shouldWaitForTheFirstValueOfAShardThatIsLargerThanWhatIsLeft() {
        try (SharedBudget<Memtable> budget = SharedBudget.<Memtable>builder(
            2 * MIB, memtable -> new Thread(memtable::close).start()).softLimitBytes(2 * MIB).build();
            Memtable large = open(budget); Memtable small = open(budget)) {
            for (int i = 0; budget.limit() - budget.used() > 400 << 10; i++) {
                large.put(key(i), new byte[50_000]);
            }
            small.put(key(0), new byte[500_000]);
            assertEquals(500_000, small.get(key(0)).length);
        }
    }

    @Test
    void shouldWaitForAFlushThatWasAskedFor() throws InterruptedException {
        final CountDownLatch asked = new CountDownLatch(1);
        try (SharedBudget<Memtable> budget =
            SharedBudget.<Memtable>builder(4 * MIB, memtable -> asked.countDown()).build()) {
            final Memtable large = open(budget);
            try (Memtable small = open(budget)) {
                fill(small, 10);
                assertThrows(IllegalStateException.class, () -> {
                    final Thread flusher = new Thread(() -> {
                        try {
                            asked.await();
                            Thread.sleep(50);
                        } catch (final InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        large.close();
                    });
                    flusher.start();
                    fill(large, 10_000); // waits, and then finds the memtable closed
                });
                fill(small, 1_000);
                assertTrue(budget.used() > MIB);
            }
            assertEquals(0, budget.used());
        }
    }

    @Test
    void putThrowsSpaceExhaustedWhenNoFlushComes() {
        final AtomicInteger asked = new AtomicInteger();
        try (SharedBudget<Memtable> budget = budget(4 * MIB, memtable -> asked.incrementAndGet()).build();
            Memtable memtable = open(budget)) {
            final long start = System.nanoTime();
            final SpaceExhaustedException e =
                assertThrows(SpaceExhaustedException.class, () -> fill(memtable, 10_000));
            assertTrue(System.nanoTime() - start >= SHORT.toNanos(), "it did not wait");
            assertEquals(1, asked.get());
            assertTrue(e.getMessage().startsWith("expected at most 4194304 bytes in 1 memtables together but was more: "),
                e.getMessage());
            assertTrue(e.getMessage().contains("index trie") && e.getMessage().endsWith("within 200 ms"), e.getMessage());
            assertEquals(1_000, memtable.get(key(0)).length);
            assertTrue(budget.used() <= budget.limit());
        }
    }

    @Test
    void shouldLetTheReceiverOfARequestWrite() {
        final AtomicReference<Memtable> log = new AtomicReference<>();
        final AtomicInteger asked = new AtomicInteger();
        try (SharedBudget<Memtable> budget = budget(4 * MIB, memtable -> {
            log.get().put(key(asked.incrementAndGet()), new byte[10]);
            memtable.close();
        }).build(); Memtable other = open(budget)) {
            log.set(other);
            other.put(key(0), new byte[10]);
            for (int round = 0; round < 3; round++) {
                final Memtable memtable = open(budget);
                assertThrows(IllegalStateException.class, () -> fill(memtable, 10_000));
            }
            assertEquals(3, asked.get());
            assertEquals(10, other.get(key(3)).length);
        }
    }

    @Test
    void putThrowsWhatTheReceiverThrowsAndOthersWake() throws InterruptedException {
        final CountDownLatch goOn = new CountDownLatch(1);
        final CountDownLatch asking = new CountDownLatch(1);
        try (SharedBudget<Memtable> budget = SharedBudget.<Memtable>builder(4 * MIB, memtable -> {
            asking.countDown();
            try {
                goOn.await();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new UnsupportedOperationException("no flush today");
        }).softLimitBytes(4 * MIB).build(); Memtable memtable = open(budget); Memtable other = open(budget)) {
            final ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
            final StressThreads threads = new StressThreads();
            threads.start("asks", () -> thrown.add(assertThrows(RuntimeException.class, () -> fill(memtable, 10_000))));
            asking.await();
            threads.start("waits", () -> thrown.add(assertThrows(RuntimeException.class, () -> fill(other, 10_000))));
            Thread.sleep(50);
            goOn.countDown();
            threads.join();
            assertEquals(2, thrown.size());
            assertTrue(thrown.stream().anyMatch(e -> e instanceof UnsupportedOperationException), thrown.toString());
            assertEquals(1_000, memtable.get(key(0)).length);
        }
    }

    /** Seen to fail with a write that asks only before it waits. */
    @Test
    void shouldAskItselfAfterTheRequestOfAnotherThreadWasRefused() throws InterruptedException {
        final CountDownLatch asking = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        final AtomicInteger requests = new AtomicInteger();
        final AtomicReference<MemoryBudget> full = new AtomicReference<>();
        final AtomicReference<BudgetShare<String>> owner = new AtomicReference<>();
        try (SharedBudget<String> budget = SharedBudget.<String>builder(100, name -> {
            if (requests.incrementAndGet() == 1) {
                asking.countDown();
                try {
                    goOn.await();
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                throw new UnsupportedOperationException("no flush yet");
            }
            full.get().releaseAll();
            owner.get().leave();
        }).softLimitBytes(100).build()) {
            owner.set(share(budget, "full"));
            full.set(MemoryBudget.ofBytes(1_000, 1, owner.get()));
            assertTrue(full.get().tryAcquire(100));
            final StressThreads threads = new StressThreads();
            threads.start("asks", () -> assertThrows(UnsupportedOperationException.class, () -> awaitRoom(budget, "first")));
            asking.await();
            final AtomicReference<Thread> waiting = new AtomicReference<>();
            threads.start("waits", () -> {
                waiting.set(Thread.currentThread());
                awaitRoom(budget, "second");
            });
            while (waiting.get() == null || waiting.get().getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            goOn.countDown();
            threads.join();
            assertEquals(2, requests.get());
        }
    }

    private static BudgetShare<String> share(final SharedBudget<String> budget, final String name) {
        final BudgetShare<String> share = budget.join();
        share.setOwner(name, 0);
        return share;
    }

    /** Waits as a write does until 10 bytes are charged. */
    private static void awaitRoom(final SharedBudget<String> budget, final String name) {
        final BudgetShare<String> share = share(budget, name);
        final MemoryBudget memory = MemoryBudget.ofBytes(1_000, 1, share);
        long deadline = 0;
        for (long moment = share.moment(); !memory.tryAcquire(10); moment = share.moment()) {
            deadline = share.await(moment, deadline, new SpaceExhaustedException("expected 10 bytes"));
        }
    }

    /** Seen to fail with a share that keeps a charge which a stack overflow has kept from the budget. */
    @Test
    void shouldLeaveNothingChargedByAStackOverflow() throws InterruptedException {
        try (SharedBudget<String> budget = SharedBudget.<String>builder(1L << 40, name -> { }).build()) {
            final StressThreads threads = new StressThreads();
            threads.start("overflows", () -> {
                for (int round = 0; round < 20; round++) {
                    final BudgetShare<String> share = share(budget, "structure");
                    final MemoryBudget memory = MemoryBudget.ofBytes(1L << 40, 1, share);
                    overflow(memory, 0);
                    memory.releaseAll();
                    share.leave();
                    assertEquals(0, budget.used());
                }
            });
            threads.join();
        }
    }

    /** Charges a byte at each depth near the end of the stack, once one has failed. */
    private static boolean overflow(final MemoryBudget memory, final int depth) {
        boolean isNearEnd;
        try {
            isNearEnd = overflow(memory, depth + 1);
        } catch (final StackOverflowError e) {
            isNearEnd = true;
        }
        if (!isNearEnd) {
            return false;
        }
        try {
            memory.tryAcquire(1);
            return false;
        } catch (final StackOverflowError e) {
            return true;
        }
    }

    @Test
    void shouldWakeWritersWhenTheBudgetIsClosed() throws InterruptedException {
        final CountDownLatch asked = new CountDownLatch(1);
        final SharedBudget<Memtable> budget =
            SharedBudget.<Memtable>builder(4 * MIB, memtable -> asked.countDown()).softLimitBytes(4 * MIB).build();
        try (Memtable memtable = open(budget)) {
            final StressThreads threads = new StressThreads();
            threads.start("waits", () -> assertEquals("the shared budget is closed",
                assertThrows(IllegalStateException.class, () -> fill(memtable, 10_000)).getMessage()));
            asked.await();
            budget.close();
            threads.join();
            assertThrows(IllegalStateException.class, () -> open(budget));
            assertEquals(1_000, memtable.get(key(0)).length);
        }
        assertEquals(0, budget.used());
    }

    /** Its flush may wait for the writers to end, before it closes the memtable. */
    @Test
    void shouldWakeWritersOfAMemtableThatIsFrozen() throws InterruptedException {
        final CountDownLatch asked = new CountDownLatch(1);
        try (SharedBudget<Memtable> budget =
            SharedBudget.<Memtable>builder(4 * MIB, memtable -> asked.countDown()).softLimitBytes(4 * MIB).build();
            Memtable memtable = open(budget)) {
            final long start = System.nanoTime();
            final StressThreads threads = new StressThreads();
            threads.start("waits", () -> assertEquals("memtable is frozen",
                assertThrows(IllegalStateException.class, () -> fill(memtable, 10_000)).getMessage()));
            asked.await();
            memtable.freeze();
            threads.join();
            assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(20), "it waited for its own flush");
        }
    }

    /** Another memtable, which is refused by its own capacity, does not wait for a flush. */
    @Test
    void shouldNotWaitForAFlushThatDoesNotHelp() {
        final AtomicInteger asked = new AtomicInteger();
        try (SharedBudget<Memtable> budget =
            SharedBudget.<Memtable>builder(64 * MIB, memtable -> asked.incrementAndGet()).build();
            Memtable memtable = Memtable.open(MemtableOptions.builder().index(IndexType.TRIE).shards(1)
                .capacityBytes(2 * MIB).sharedBudget(budget).build())) {
            final SpaceExhaustedException e =
                assertThrows(SpaceExhaustedException.class, () -> fill(memtable, 10_000));
            assertEquals(0, asked.get());
            assertTrue(memtable.isFull());
            assertFalse(e.getMessage().contains("together"), e.getMessage());
        }
    }

    @Test
    void shouldObeyAnInterrupt() throws InterruptedException {
        final CountDownLatch asked = new CountDownLatch(1);
        try (SharedBudget<Memtable> budget =
            SharedBudget.<Memtable>builder(4 * MIB, memtable -> asked.countDown()).softLimitBytes(4 * MIB).build();
            Memtable memtable = open(budget)) {
            final AtomicReference<Throwable> thrown = new AtomicReference<>();
            final AtomicInteger interrupted = new AtomicInteger();
            final Thread writer = new Thread(() -> {
                thrown.set(assertThrows(SpaceExhaustedException.class, () -> fill(memtable, 10_000)));
                interrupted.set(Thread.currentThread().isInterrupted() ? 1 : 0);
            });
            writer.start();
            asked.await();
            writer.interrupt();
            writer.join();
            assertTrue(thrown.get().getMessage().endsWith("the thread was interrupted"), String.valueOf(thrown.get()));
            assertEquals(1, interrupted.get());
        }
    }

    @Test
    void shouldRefuseWhatIsLargerThanTheCapacityWithoutWaiting() {
        try (SharedBudget<Memtable> budget = SharedBudget.<Memtable>builder(256 * MIB, memtable -> {
            throw new AssertionError("nothing has to be flushed");
        }).build(); Memtable memtable = open(budget)) {
            memtable.put(key(1), new byte[10]);
            assertThrows(SpaceExhaustedException.class, () -> memtable.put(key(2), new byte[100 << 20]));
            assertFalse(memtable.get(key(1)) == null);
        }
    }

    @Test
    void shouldRefuseBadOptions() {
        final Consumer<Memtable> none = memtable -> { };
        assertEquals("expected a limit of at least 1 byte but was 0",
            assertThrows(IllegalArgumentException.class, () -> SharedBudget.builder(0, none)).getMessage());
        assertEquals("expected a soft limit of 1 to 100 bytes but was 101", assertThrows(IllegalArgumentException.class,
            () -> SharedBudget.builder(100, none).softLimitBytes(101)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> SharedBudget.builder(100, none).timeout(Duration.ofMillis(-1)));
    }
}
