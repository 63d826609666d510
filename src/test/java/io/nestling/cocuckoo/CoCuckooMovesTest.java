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
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.RegisterHistory;
import io.nestling.testing.RegisterHistory.Kind;
import io.nestling.testing.RegisterHistory.Operation;
import io.nestling.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keys that come and go in regions that are nearly full, so that others move all the time: slots are taken again and
 * again by other keys, while readers and writers of a few hot keys look at them.
 */
class CoCuckooMovesTest {
    private static final int REGIONS = 2;
    private static final int ROUNDS = 40;
    private static final int OPERATIONS = 60;
    private static final int HOT = 3;
    private static final int NUMBER_BITS = 16;

    private final List<byte[]> keys = new ArrayList<>();
    private final EpochReclaimer epochs = new EpochReclaimer();

    private byte[] keyOf(final long payload) {
        return keys.get((int) payload & (1 << NUMBER_BITS) - 1);
    }

    private CoCuckoo open() {
        return new CoCuckoo(new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(16 << 20), epochs,
            new HeapKeySource(this::keyOf), 16 << 20), CoCuckooFixture.HASH);
    }

    /** Keys of one region of ten bits, each of 8 or of 11 bytes. */
    private void makeKeys(final int count, final Random random) {
        keys.clear();
        while (keys.size() < count) {
            final byte[] key = new byte[random.nextBoolean() ? 8 : 11];
            random.nextBytes(key);
            if ((CoCuckooFixture.hash(key) & (1 << 10) - 1) == 0x155) {
                keys.add(key);
            }
        }
    }

    private long get(final CoCuckoo index, final int number) {
        final byte[] key = keys.get(number);
        final int guard = epochs.enter();
        try {
            return index.get(key, 0, key.length);
        } finally {
            epochs.exit(guard);
        }
    }

    private static long payload(final int number, final long generation) {
        return generation << NUMBER_BITS | number;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void shouldExplainHotKeysAmongKeysThatMove(final int threads) throws Exception {
        final Random random = Seeds.random("shouldExplainHotKeysAmongKeysThatMove");
        final int room = RegionLayout.MAX_BUCKETS * RegionLayout.SLOTS_PER_BUCKET * REGIONS;
        makeKeys(2 * room, random);
        try (CoCuckoo index = open()) {
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final AtomicBoolean end = new AtomicBoolean();
            final int stays = room / 3;
            for (int i = HOT; i < stays; i++) {
                index.put(keys.get(i), 0, keys.get(i).length, payload(i, 1));
            }
            final List<Thread> others = new ArrayList<>();
            others.add(start(failure, () -> churn(index, stays, room, random.nextLong(), end)));
            others.add(start(failure, () -> readWhatStays(index, stays, end)));
            for (int round = 0; round < ROUNDS && failure.get() == null; round++) {
                runRound(index, threads, round, random.nextLong(), failure);
            }
            end.set(true);
            for (final Thread other : others) {
                other.join(60_000);
                assertTrue(!other.isAlive(), "a thread does not come back");
            }
            if (failure.get() != null) {
                throw new AssertionError(failure.get());
            }
            index.verify();
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private static Thread start(final AtomicReference<Throwable> failure, final Work work) {
        final Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (final Throwable e) {
                failure.compareAndSet(null, e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Keeps the regions as full as they get without growth by keys that come and go. */
    private void churn(final CoCuckoo index, final int stays, final int room, final long seed, final AtomicBoolean end) {
        final Random random = new Random(seed);
        final boolean[] there = new boolean[keys.size()];
        int count = stays;
        while (!end.get()) {
            final int number = stays + random.nextInt(keys.size() - stays);
            final byte[] key = keys.get(number);
            final long expected = there[number] ? payload(number, 2) : PointIndex.NONE;
            if (there[number] || count > room * 9 / 10) {
                assertEquals(expected, index.remove(key, 0, key.length));
                count -= there[number] ? 1 : 0;
                there[number] = false;
            } else {
                assertEquals(expected, index.putIfAbsent(key, 0, key.length, payload(number, 2)));
                count++;
                there[number] = true;
            }
            assertEquals(there[number] ? payload(number, 2) : PointIndex.NONE, get(index, number));
        }
    }

    private void readWhatStays(final CoCuckoo index, final int stays, final AtomicBoolean end) {
        while (!end.get()) {
            for (int number = HOT; number < stays; number++) {
                assertEquals(payload(number, 1), get(index, number), "a key that stays");
            }
        }
    }

    private void runRound(
        final CoCuckoo index, final int threads, final int round, final long seed, final AtomicReference<Throwable> failure)
        throws InterruptedException {
        final RegisterHistory[] histories = new RegisterHistory[HOT];
        final long[] initial = new long[HOT];
        for (int number = 0; number < HOT; number++) {
            histories[number] = new RegisterHistory();
            initial[number] = get(index, number);
        }
        final List<Thread> running = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            final int id = thread;
            running.add(start(failure, () -> {
                final Random random = new Random(seed + id);
                for (int i = 0; i < OPERATIONS / threads; i++) {
                    final int number = random.nextInt(HOT);
                    final Operation done = operate(index, number, random.nextInt(5),
                        payload(number, 1 + i + (long) OPERATIONS * (id + (long) threads * round)));
                    if (done != null) {
                        histories[number].add(done);
                    }
                }
            }));
        }
        for (final Thread thread : running) {
            thread.join(60_000);
            assertTrue(!thread.isAlive(), "a thread does not come back");
        }
        for (int number = 0; number < HOT && failure.get() == null; number++) {
            assertTrue(histories[number].isLinearizable(initial[number]),
                "key " + number + " in round " + round + ", at first " + initial[number] + ":\n" + histories[number]);
        }
    }

    private Operation operate(final CoCuckoo index, final int number, final int choice, final long payload) {
        final byte[] key = keys.get(number);
        final long seen = choice == 4 ? get(index, number) : 0;
        final long calledAt = System.nanoTime();
        final long result;
        Kind kind = Kind.PUT;
        switch (choice) {
            case 0:
                result = get(index, number);
                kind = Kind.GET;
                break;
            case 1:
                result = index.put(key, 0, key.length, payload);
                break;
            case 2:
                result = index.remove(key, 0, key.length);
                kind = Kind.REMOVE;
                break;
            case 3:
                result = index.putIfAbsent(key, 0, key.length, payload);
                kind = result == PointIndex.NONE ? Kind.PUT : Kind.GET;
                break;
            case 4:
                if (seen == PointIndex.NONE || !index.replace(key, 0, key.length, seen, payload)) {
                    return null;
                }
                result = seen;
                break;
            default:
                throw new AssertionError(choice);
        }
        return new Operation(kind, payload, result, calledAt, System.nanoTime());
    }
}
