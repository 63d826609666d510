/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Effort;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.RegisterHistory;
import io.nestling.testing.RegisterHistory.Kind;
import io.nestling.testing.RegisterHistory.Operation;
import io.nestling.testing.Threads;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every index for many writers does, besides {@link PointIndexContract}. */
public abstract class ConcurrentIndexContract extends IndexContract {
    private static final int NUMBER_BITS = 20;
    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;
    private static final int KEYS = 24_000;
    private static final int ROUNDS = Effort.count(100, 200, 200);
    private static final int OPERATIONS = 60;
    private static final int REGISTERS = 3;

    /** An index for several threads. Keys have numbers, and a payload spells the number of its key in its low bits. */
    protected static final class Subject implements AutoCloseable {
        private final IndexContext context;
        private final ConcurrentIndex index;

        Subject(final IndexFactory factory, final long budgetBytes, final long maxBytes) {
            context = new IndexContext(
                SlabAllocator.direct(), MemoryBudget.ofBytes(budgetBytes), new EpochReclaimer(),
                new HeapKeySource(payload -> key((int) (payload & NUMBER_MASK))), maxBytes);
            index = (ConcurrentIndex) factory.create(context);
        }

        long get(final int number) {
            final byte[] key = key(number);
            final int guard = context.epochs().enter();
            try {
                return index.get(key, 0, key.length);
            } finally {
                context.epochs().exit(guard);
            }
        }

        long put(final int number, final long generation) {
            final byte[] key = key(number);
            return index.put(key, 0, key.length, payload(number, generation));
        }

        /** At once, or in steps: with a glance first, under one guard. */
        long putIfAbsent(final int number, final long generation) {
            final byte[] key = key(number);
            if ((number + generation) % 2 == 0) {
                return index.putIfAbsent(key, 0, key.length, payload(number, generation));
            }
            final int guard = context.epochs().enter();
            try {
                final long hash = index.hash(key, 0, key.length);
                final long before = index.tryGet(hash, key, 0, key.length);
                return before != PointIndex.NONE
                    ? before : index.putIfAbsent(hash, key, 0, key.length, payload(number, generation));
            } finally {
                context.epochs().exit(guard);
            }
        }

        boolean replace(final int number, final long expected, final long generation) {
            final byte[] key = key(number);
            if ((number + generation) % 2 == 0) {
                return index.replace(key, 0, key.length, expected, payload(number, generation));
            }
            final int guard = context.epochs().enter();
            try {
                return index.replace(index.hash(key, 0, key.length), key, 0, key.length, expected, payload(number, generation));
            } finally {
                context.epochs().exit(guard);
            }
        }

        long remove(final int number) {
            final byte[] key = key(number);
            return index.remove(key, 0, key.length);
        }

        @Override
        public void close() {
            index.close();
            assertEquals(0, context.budget().used(), "bytes of the budget that a closed index keeps");
        }
    }

    private Subject openSubject() {
        return new Subject(factory(), maxBytes(), maxBytes());
    }

    /** Key of a number: with a common beginning and of several lengths. */
    static byte[] key(final int number) {
        final int spread = Integer.reverse(number) >>> Integer.SIZE - NUMBER_BITS;
        return ("key/" + spread + (number % 3 == 0 ? "/with a longer end" : "")).getBytes(StandardCharsets.UTF_8);
    }

    private static long payload(final int number, final long generation) {
        return generation << NUMBER_BITS | number;
    }

    private static int numberOf(final long payload) {
        return (int) (payload & NUMBER_MASK);
    }

    @Test
    public void shouldPutIfAbsentAndReplaceAsItSays() {
        try (Subject subject = openSubject()) {
            assertFalse(subject.replace(1, payload(1, 1), 2));
            assertEquals(PointIndex.NONE, subject.putIfAbsent(1, 1));
            assertEquals(payload(1, 1), subject.putIfAbsent(1, 2));
            assertEquals(payload(1, 1), subject.get(1));
            assertFalse(subject.replace(1, payload(1, 3), 2));
            assertEquals(payload(1, 1), subject.get(1));
            assertTrue(subject.replace(1, payload(1, 1), 2));
            assertEquals(payload(1, 2), subject.get(1));
            assertFalse(subject.replace(1, payload(1, 1), 3));
            assertFalse(subject.replace(2, payload(1, 2), 3));
            assertEquals(payload(1, 2), subject.remove(1));
            assertFalse(subject.replace(1, payload(1, 2), 3));
            assertEquals(PointIndex.NONE, subject.putIfAbsent(1, 4));
            assertEquals(1, subject.index.entryCount());
            subject.index.verify();
        }
    }

    @Test
    public void shouldRefuseBadInputOfManyWriters() {
        try (Subject subject = openSubject()) {
            final byte[] key = key(1);
            final byte[] tooLong = new byte[PointIndex.MAX_KEY_BYTES + 1];
            final ConcurrentIndex index = subject.index;
            for (final long payload : new long[] {-1, PointIndex.MAX_PAYLOAD + 1}) {
                assertThrows(IllegalArgumentException.class, () -> index.putIfAbsent(key, 0, key.length, payload));
                assertThrows(IllegalArgumentException.class, () -> index.replace(key, 0, key.length, 1, payload));
                assertThrows(IllegalArgumentException.class, () -> index.putIfAbsent(0, key, 0, key.length, payload));
                assertThrows(IllegalArgumentException.class, () -> index.replace(0, key, 0, key.length, 1, payload));
            }
            assertThrows(IllegalArgumentException.class, () -> index.putIfAbsent(tooLong, 0, tooLong.length, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> index.putIfAbsent(key, 1, key.length, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> index.replace(key, 1, key.length, 1, 1));
            assertEquals(0, index.entryCount());
            index.verify();
        }
    }

    @Test
    public void writesThrowIllegalStateExceptionWhenClosed() {
        final Subject subject = openSubject();
        subject.close();
        assertThrows(IllegalStateException.class, () -> subject.putIfAbsent(1, 1));
        assertThrows(IllegalStateException.class, () -> subject.replace(1, 1, 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8})
    public void shouldTakeKeysFromManyWritersWhileReadersSeeAllThatIsThere(final int writers) throws Exception {
        try (Subject subject = openSubject()) {
            final AtomicIntegerArray written = new AtomicIntegerArray(writers);
            final AtomicInteger running = new AtomicInteger(writers);
            Threads.runTogether(writers + 2, thread -> {
                if (thread >= writers) {
                    final Random random = new Random(thread);
                    do {
                        readPublished(subject, written, writers, random);
                    } while (running.get() > 0);
                    return;
                }
                try {
                    for (int i = thread; i < KEYS; i += writers) {
                        assertEquals(PointIndex.NONE, i % 2 == 0 ? subject.put(i, 1) : subject.putIfAbsent(i, 1));
                        written.incrementAndGet(thread);
                    }
                } finally {
                    running.decrementAndGet();
                }
            });
            subject.index.verify();
            assertEquals(KEYS, subject.index.entryCount());
            for (int i = 0; i < KEYS; i++) {
                assertEquals(payload(i, 1), subject.get(i));
            }
        }
    }

    private static void readPublished(
        final Subject subject, final AtomicIntegerArray written, final int writers, final Random random) {
        final KeyBatch batch = new KeyBatch();
        final long[] payloads = new long[writers];
        final int[] numbers = new int[writers];
        for (int writer = 0; writer < writers; writer++) {
            final int count = written.get(writer);
            final int number = count == 0 ? -1
                : writer + writers * (random.nextBoolean()
                    ? random.nextInt(count) : count - 1 - random.nextInt(Math.min(count, 20)));
            final byte[] key = key(Math.max(0, number));
            numbers[writer] = number;
            batch.add(key, 0, key.length);
            if (number >= 0) {
                assertEquals(payload(number, 1), subject.get(number), "what was put before the read");
            }
        }
        final int guard = subject.context.epochs().enter();
        try {
            subject.index.getAll(batch, payloads);
        } finally {
            subject.context.epochs().exit(guard);
        }
        for (int writer = 0; writer < writers; writer++) {
            if (numbers[writer] >= 0) {
                assertEquals(payload(numbers[writer], 1), payloads[writer], "what was put before the batch was read");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    public void shouldAddEachKeyOnceWhenAllPutTheSameKeys(final int writers) throws Exception {
        try (Subject subject = openSubject()) {
            final AtomicInteger added = new AtomicInteger();
            final long[][] winners = new long[writers][KEYS];
            Threads.runTogether(writers, thread -> {
                for (int i = 0; i < KEYS; i++) {
                    final long before = subject.putIfAbsent(i, 1 + thread);
                    if (before == PointIndex.NONE) {
                        added.incrementAndGet();
                        winners[thread][i] = payload(i, 1 + thread);
                    } else {
                        winners[thread][i] = before;
                    }
                }
            });
            subject.index.verify();
            assertEquals(KEYS, added.get());
            assertEquals(KEYS, subject.index.entryCount());
            for (int i = 0; i < KEYS; i++) {
                for (int thread = 0; thread < writers; thread++) {
                    assertEquals(subject.get(i), winners[thread][i], "all writers were told the same payload");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    public void shouldReplaceEachPayloadOnce(final int writers) throws Exception {
        final int keys = 2_000;
        final int rounds = 4;
        try (Subject subject = openSubject()) {
            final ConcurrentHashMap<Long, Boolean> replaced = new ConcurrentHashMap<>();
            final AtomicInteger added = new AtomicInteger();
            Threads.runTogether(writers, thread -> {
                for (int i = 0; i < keys * rounds; i++) {
                    final int number = (i * 7 + thread) % keys;
                    final long before = subject.put(number, 1 + thread + (long) writers * i);
                    if (before == PointIndex.NONE) {
                        added.incrementAndGet();
                    } else {
                        assertEquals(number, numberOf(before));
                        assertEquals(null, replaced.put(before, true), "a payload is replaced once");
                    }
                }
            });
            subject.index.verify();
            assertEquals(keys, added.get());
            assertEquals(writers * rounds * keys - keys, replaced.size());
            for (int i = 0; i < keys; i++) {
                assertEquals(null, replaced.get(subject.get(i)), "what is there was not replaced");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    public void shouldCountRightIfAllReplaceTheSameFewPayloads(final int writers) throws Exception {
        final int hot = 3;
        final int steps = 6_000;
        try (Subject subject = openSubject()) {
            for (int i = 0; i < hot; i++) {
                subject.put(i, 0);
            }
            final AtomicInteger running = new AtomicInteger(writers);
            Threads.runTogether(writers + 1, thread -> {
                if (thread == writers) {
                    // Keys around them come, and move those that count.
                    for (int i = 0; i < KEYS || running.get() > 0; i++) {
                        subject.put(hot + i % KEYS, 1 + i / KEYS);
                    }
                    return;
                }
                try {
                    for (int i = 0; i < steps; i++) {
                        long before;
                        do {
                            before = subject.get(i % hot);
                        } while (!subject.replace(i % hot, before, (before >>> NUMBER_BITS) + 1));
                    }
                } finally {
                    running.decrementAndGet();
                }
            });
            subject.index.verify();
            for (int i = 0; i < hot; i++) {
                assertEquals(payload(i, (long) steps / hot * writers), subject.get(i));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    public void shouldLoseNothingOnAFewHotKeys(final int writers) throws Exception {
        final long seed = seed("shouldLoseNothingOnAFewHotKeys");
        final int hot = 4;
        final int operations = 10_000;
        try (Subject subject = openSubject()) {
            final ConcurrentHashMap<Long, Boolean> gone = new ConcurrentHashMap<>();
            final AtomicLong puts = new AtomicLong();
            Threads.runTogether(writers, thread -> {
                final Random random = new Random(seed + thread);
                for (int i = 0; i < operations; i++) {
                    final int number = random.nextInt(hot);
                    final long before;
                    if (random.nextInt(3) == 0) {
                        before = subject.remove(number);
                    } else {
                        before = subject.put(number, 1 + thread + (long) writers * i);
                        puts.incrementAndGet();
                    }
                    if (before != PointIndex.NONE) {
                        assertEquals(number, numberOf(before));
                        assertEquals(null, gone.put(before, true), "a payload is returned once");
                    }
                }
            });
            subject.index.verify();
            int present = 0;
            for (int i = 0; i < hot; i++) {
                final long payload = subject.get(i);
                if (payload != PointIndex.NONE) {
                    present++;
                    assertEquals(null, gone.get(payload));
                }
            }
            assertEquals(present, subject.index.entryCount());
            assertEquals(puts.get() - present, gone.size(), "every payload is replaced, removed or there");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    public void shouldKeepWhatStaysWhileOtherKeysComeAndGo(final int writers) throws Exception {
        final long seed = seed("shouldKeepWhatStaysWhileOtherKeysComeAndGo");
        final int keys = 12_000;
        try (Subject subject = openSubject()) {
            // Even numbers stay, odd ones come and go, each at the hands of one writer.
            for (int i = 0; i < keys; i += 2) {
                subject.put(i, 1);
            }
            final AtomicInteger running = new AtomicInteger(writers);
            Threads.runTogether(writers + 2, thread -> {
                final Random random = new Random(seed + thread);
                if (thread >= writers) {
                    do {
                        final int number = 2 * random.nextInt(keys / 2);
                        assertEquals(payload(number, 1), subject.get(number), "a key that stays");
                    } while (running.get() > 0);
                    return;
                }
                try {
                    comeAndGo(subject, keys, writers, thread, random);
                } finally {
                    running.decrementAndGet();
                }
            });
            subject.index.verify();
            assertEquals(keys / 2, subject.index.entryCount());
        }
    }

    private static void comeAndGo(
        final Subject subject, final int keys, final int writers, final int thread, final Random random) {
        final boolean[] there = new boolean[keys];
        for (int i = 0; i < 30_000; i++) {
            final int number = 2 * (random.nextInt(keys / 2 / writers) * writers + thread) + 1;
            if (number < keys) {
                final long expected = there[number] ? payload(number, 2) : PointIndex.NONE;
                final boolean put = random.nextBoolean();
                assertEquals(expected, put ? subject.put(number, 2) : subject.remove(number));
                there[number] = put;
                assertEquals(put ? payload(number, 2) : PointIndex.NONE, subject.get(number));
            }
        }
        for (int number = 0; number < keys; number++) {
            if (there[number]) {
                assertEquals(payload(number, 2), subject.remove(number));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    public void shouldStayWholeWhenSpaceRunsOutUnderManyWriters(final int writers) throws Exception {
        try (Subject subject = new Subject(factory(), tightBytes(), maxBytes())) {
            final AtomicIntegerArray written = new AtomicIntegerArray(writers);
            Threads.runTogether(writers, thread -> {
                for (int i = thread;; i += writers) {
                    try {
                        assertEquals(PointIndex.NONE, i % 2 == 0 ? subject.put(i, 1) : subject.putIfAbsent(i, 1));
                        written.incrementAndGet(thread);
                    } catch (final SpaceExhaustedException e) {
                        return;
                    }
                }
            });
            subject.index.verify();
            long total = 0;
            for (int writer = 0; writer < writers; writer++) {
                total += written.get(writer);
                for (int i = 0; i < written.get(writer); i++) {
                    assertEquals(payload(writer + i * writers, 1), subject.get(writer + i * writers));
                }
            }
            assertEquals(total, subject.index.entryCount());
            assertTrue(total > 100, () -> subject.index.entryCount() + " keys fit");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8})
    public void shouldExplainWhatAllThreadsSaw(final int threads) throws Exception {
        final long seed = seed("shouldExplainWhatAllThreadsSaw");
        try (Subject subject = openSubject()) {
            for (int round = 0; round < ROUNDS; round++) {
                final String unexplained = runRound(subject, threads, round, seed);
                assertTrue(unexplained == null, unexplained);
            }
            subject.index.verify();
        }
    }

    /** Lets threads work on a few keys and returns a history that cannot be explained, or null. */
    private static String runRound(final Subject subject, final int threads, final int round, final long seed)
        throws Exception {
        final RegisterHistory[] histories = new RegisterHistory[REGISTERS];
        final long[] initial = new long[REGISTERS];
        for (int key = 0; key < REGISTERS; key++) {
            histories[key] = new RegisterHistory();
            initial[key] = subject.get(key);
        }
        final int each = OPERATIONS / threads;
        Threads.runTogether(threads, thread -> {
            final Random random = new Random(seed + round * 31L + thread);
            for (int i = 0; i < each; i++) {
                final int key = random.nextInt(REGISTERS);
                final Operation done = operate(
                    subject, key, random.nextInt(5), 1 + i + (long) each * (thread + (long) threads * round));
                if (done != null) {
                    histories[key].add(done);
                }
                // Growth goes on beside it.
                subject.put(REGISTERS + (round * OPERATIONS + each * thread + i) % KEYS, 1);
            }
        });
        for (int key = 0; key < REGISTERS; key++) {
            if (!histories[key].isLinearizable(initial[key])) {
                return "key " + key + " in round " + round + ", at first " + initial[key] + ":\n" + histories[key];
            }
        }
        return null;
    }

    /**
     * Does one thing; a replacement is a put that is told what it replaced, a key that is there makes a get of a
     * put if absent.
     */
    private static Operation operate(final Subject subject, final int key, final int choice, final long generation) {
        final long argument = payload(key, generation);
        final long seen = choice == 4 ? subject.get(key) : 0;
        final long calledAt = System.nanoTime();
        final long result;
        Kind kind = Kind.PUT;
        switch (choice) {
            case 0:
                result = subject.get(key);
                kind = Kind.GET;
                break;
            case 1:
                result = subject.put(key, generation);
                break;
            case 2:
                result = subject.remove(key);
                kind = Kind.REMOVE;
                break;
            case 3:
                result = subject.putIfAbsent(key, generation);
                kind = result == PointIndex.NONE ? Kind.PUT : Kind.GET;
                break;
            case 4:
                if (seen == PointIndex.NONE || !subject.replace(key, seen, generation)) {
                    return null;
                }
                result = seen;
                break;
            default:
                throw new AssertionError(choice);
        }
        return new Operation(kind, argument, result, calledAt, System.nanoTime());
    }
}
