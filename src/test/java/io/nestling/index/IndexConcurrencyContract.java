/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.Effort;
import io.nestling.testing.KeyCorpus;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * One writer and three readers without locks. The writer publishes what it has done after each write; a
 * reader takes note of that, reads, and must find everything that was published before it began.
 * <p>
 * Payloads spell the number of their key and its generation, so that a reader can tell a torn or stale answer
 * from a right one. An index is filled from the beginning again and again, since most of what can go wrong
 * goes wrong while it grows: with keys in random, ascending and descending order by turns.
 */
@Tag("jdk")
public abstract class IndexConcurrencyContract extends IndexContract {
    /** System property: how long the test runs, in seconds. */
    public static final String SECONDS_PROP_NAME = "io.nestling.test.seconds";
    private static final int DEFAULT_SECONDS = Effort.count(1, 2, 2);
    private static final int READERS = 3;
    private static final int MAX_KEYS = 20_000;
    private static final int JOIN_MILLIS = 30_000;

    /** Number of keys that are written once; a sixteenth more are updated and removed over and over. */
    protected int keyCount() {
        return MAX_KEYS;
    }

    @Test
    public void shouldShowReadersEveryPublishedWrite() throws InterruptedException {
        final long seed = seed("shouldShowReadersEveryPublishedWrite");
        final long end = System.nanoTime()
            + Integer.getInteger(SECONDS_PROP_NAME, DEFAULT_SECONDS) * 1_000_000_000L;
        final ConcurrentKeys shuffled = new ConcurrentKeys(keys(new Random(seed)));
        final List<ConcurrentKeys> orders =
            List.of(shuffled, shuffled.sorted(Direction.FORWARD), shuffled.sorted(Direction.REVERSE));
        int rounds = 0;
        do {
            final ConcurrentKeys keys = orders.get(rounds % orders.size());
            try (IndexFixture fixture = new IndexFixture(factory(), maxBytes(), maxBytes(), keys.source())) {
                runRound(fixture, new PublishedProgress(keys), seed + rounds, end);
            }
            rounds++;
        } while (System.nanoTime() < end);
        assertTrue(rounds > 0);
    }

    private void runRound(
        final IndexFixture fixture, final PublishedProgress progress, final long seed, final long end)
        throws InterruptedException {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            final ConcurrentReader reader =
                new ConcurrentReader(fixture, progress, new Random(seed * READERS + i));
            threads.add(new Thread(() -> {
                try {
                    do {
                        reader.readOnce();
                    } while (!progress.done() && failure.get() == null);
                    reader.readOnce();
                } catch (final Throwable e) {
                    failure.compareAndSet(null, e);
                }
            }, "reader-" + i));
        }
        threads.forEach(Thread::start);
        try {
            final ConcurrentWriter writer = new ConcurrentWriter(fixture.index(), progress, new Random(seed));
            while (failure.get() == null && writer.writeOnce() && System.nanoTime() < end) {
                continue;
            }
        } catch (final RuntimeException | AssertionError e) {
            failure.compareAndSet(null, e);
        } finally {
            progress.finish();
            for (final Thread thread : threads) {
                thread.join(JOIN_MILLIS);
                if (thread.isAlive()) {
                    throw new AssertionError(thread.getName() + " does not come back", stackOf(thread));
                }
            }
        }
        if (failure.get() != null) {
            throw new AssertionError("replay with -Dseed: " + failure.get().getMessage(), failure.get());
        }
        progress.fillModel(fixture.model());
        fixture.check();
    }

    private static Throwable stackOf(final Thread thread) {
        final Throwable stack = new Throwable("stack of " + thread.getName());
        stack.setStackTrace(thread.getStackTrace());
        return stack;
    }

    /** Keys of all shapes in random order. */
    private byte[][] keys(final Random random) {
        final int count = keyCount() + keyCount() / ConcurrentKeys.STABLE_PER_CHANGING;
        final TreeSet<byte[]> seen = new TreeSet<>(Arrays::compareUnsigned);
        final List<byte[]> keys = new ArrayList<>();
        for (final KeyCorpus corpus : corpora()) {
            if (corpus.keyBytes() / corpus.size() < 400) {
                corpus.thinnedTo(count / 16).keys().stream().filter(seen::add).forEach(keys::add);
            }
        }
        distinctKeys(random, count).stream().filter(seen::add).forEach(keys::add);
        final List<byte[]> chosen = new ArrayList<>(keys.subList(0, Math.min(count, keys.size())));
        java.util.Collections.shuffle(chosen, random);
        return chosen.toArray(new byte[0][]);
    }
}
