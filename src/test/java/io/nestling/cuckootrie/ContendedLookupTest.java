/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.Effort;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Lookups that ask for the end of the path alone say what a sorted map says, and come to an end beside a writer. */
class ContendedLookupTest {
    private static final long MAX_BYTES = 64L << 20;

    private final ContendedLookup lookup = new ContendedLookup();
    private int unknown;

    private long get(final TestTrie test, final byte[] key) {
        return lookup.get(test.trie().tableOpen(), test.context().keys(), key, 0, key.length);
    }

    @Test
    void shouldFindWhatIsThereAndNothingElse() {
        final Random random = new Random(Seeds.seed("ContendedLookupTest.shouldFindWhatIsThereAndNothingElse"));
        for (final KeyCorpus corpus : KeyCorpus.all()) {
            try (TestTrie test = new TestTrie(MAX_BYTES)) {
                final TreeMap<byte[], Integer> model = new TreeMap<>(Arrays::compareUnsigned);
                assertEquals(PointIndex.NONE, get(test, new byte[] {1}));
                for (final byte[] key : corpus.keys()) {
                    if (random.nextInt(3) > 0 && !model.containsKey(key)) {
                        model.put(key, test.put(key));
                    }
                }
                for (final byte[] key : corpus.keys()) {
                    assertSame(test, model, key);
                    assertSame(test, model, Arrays.copyOf(key, Math.min(PointIndex.MAX_KEY_BYTES, key.length + 1)));
                    assertSame(test, model, Arrays.copyOf(key, key.length / 2));
                    final byte[] other = key.clone();
                    if (other.length > 0) {
                        other[random.nextInt(other.length)] ^= (byte) (1 << random.nextInt(8));
                    }
                    assertSame(test, model, other);
                }
            }
        }
    }

    @Test
    void shouldKnowNothingWhileAnOperationIsUnderWay() {
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final int number = test.put("a key");
            final byte[] key = "a key".getBytes(StandardCharsets.ISO_8859_1);
            final OperationCount operations = test.trie().tableOpen().operations();
            operations.begin();
            assertEquals(ContendedLookup.INTERRUPTED, get(test, key));
            assertEquals(ContendedLookup.INTERRUPTED, get(test, new byte[] {1}));
            operations.end();
            assertEquals(number, get(test, key));
            assertEquals(PointIndex.NONE, get(test, new byte[] {1}));
        }
    }

    @Test
    void shouldAnswerAfterAPutThatFoundNoRoom() {
        try (TestTrie test = new TestTrie(MAX_BYTES, 64 << 10, 1)) {
            final Random random = new Random(2);
            final byte[] first = new byte[300];
            final int number = test.put(first);
            assertThrows(SpaceExhaustedException.class, () -> {
                while (true) {
                    final byte[] key = new byte[300];
                    random.nextBytes(key);
                    test.put(key);
                }
            });
            assertEquals(number, get(test, first));
            assertEquals(PointIndex.NONE, get(test, new byte[301]));
            test.remove(number);
            assertEquals(PointIndex.NONE, get(test, first));
        }
    }

    private void assertSame(final TestTrie test, final TreeMap<byte[], Integer> model, final byte[] key) {
        final Integer number = model.get(key);
        final long answer = get(test, key);
        if (number == null && answer == ContendedLookup.INTERRUPTED) {
            // Of the beginnings of a long key, two may have one hash, so that nothing is known of where a node stands.
            assertTrue(key.length > 1_000 && ++unknown < 10, () -> key.length + " bytes, " + unknown + " times");
            return;
        }
        assertEquals(number == null ? PointIndex.NONE : (long) number, answer);
    }

    /**
     * Beside a writer, keys that stay are there and keys that never come are not. Each of the others is put with greater payloads
     * again and again: no reader sees one that is less than what it saw before, or less than one that was put before it began.
     */
    @Test
    @Timeout(120)
    void shouldSayWhatIsSoAtSomeMomentWhileAWriterIsAtWork() throws Exception {
        final Random random = new Random(Seeds.seed("ContendedLookupTest.shouldSayWhatIsSoAtSomeMomentWhileAWriterIsAtWork"));
        try (TestTrie test = new TestTrie(MAX_BYTES)) {
            final byte[] prefix = new byte[200];
            random.nextBytes(prefix);
            final List<byte[]> stay = new ArrayList<>();
            final List<byte[]> change = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                final byte[] key = Arrays.copyOf(prefix, random.nextInt(prefix.length - 8) + 8);
                random.nextBytes(key);
                System.arraycopy(prefix, 0, key, 0, key.length - 4);
                (i % 2 == 0 ? stay : change).add(key);
            }
            final int[] stayNumbers = stay.stream().mapToInt(test::put).toArray();
            final AtomicLong[] shown = new AtomicLong[change.size()];
            Arrays.setAll(shown, i -> new AtomicLong(-1));
            final AtomicBoolean stop = new AtomicBoolean();
            final AtomicLong answers = new AtomicLong();
            final ExecutorService readers = Executors.newSingleThreadExecutor();
            try {
                final Future<?> reader = readers.submit(() -> {
                    final Random own = new Random(1);
                    while (!stop.get()) {
                        final int guard = test.context().epochs().enter();
                        try {
                            final int i = own.nextInt(stay.size());
                            final long there = get(test, stay.get(i));
                            assertTrue(there == stayNumbers[i] || there == ContendedLookup.INTERRUPTED, "stays: " + there);
                            final byte[] never = stay.get(i).clone();
                            never[never.length - 1] ^= 1;
                            final long missing = get(test, never);
                            assertTrue(missing < 0, "never there: " + missing);
                            final int c = own.nextInt(change.size());
                            final long least = shown[c].get();
                            final long seen = get(test, change.get(c));
                            assertTrue(seen < 0 || seen >= least, () -> seen + " after " + least);
                            if (there >= 0 && missing == PointIndex.NONE && seen != ContendedLookup.INTERRUPTED) {
                                answers.incrementAndGet();
                            }
                            if (seen >= 0) {
                                shown[c].accumulateAndGet(seen, Math::max);
                            }
                        } finally {
                            test.context().epochs().exit(guard);
                        }
                    }
                });
                final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Effort.count(700, 2_000, 2_000));
                final int[] numbers = new int[change.size()];
                Arrays.fill(numbers, -1);
                while (!reader.isDone() && (System.nanoTime() < end || answers.get() < 1_000)) {
                    final int c = random.nextInt(numbers.length);
                    if (numbers[c] >= 0) {
                        test.remove(numbers[c]);
                    }
                    numbers[c] = test.put(change.get(c));
                    final long put = numbers[c];
                    shown[c].accumulateAndGet(put, Math::max);
                }
                stop.set(true);
                reader.get();
            } finally {
                stop.set(true);
                readers.shutdown();
                assertTrue(readers.awaitTermination(1, TimeUnit.MINUTES));
            }
            assertTrue(answers.get() >= 1_000, answers + " answers");
            test.trie().verify();
        }
    }
}
