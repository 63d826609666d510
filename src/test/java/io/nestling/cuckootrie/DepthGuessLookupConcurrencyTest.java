/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.PointIndex;
import io.nestling.testing.Effort;
import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A key that comes and goes, looked up by turns by its leaf's hash alone ({@code get}) and along its path ({@code seek}): while a
 * removal is the last write that began, it is not there again once one of them missed it; after a put, it is not gone again.
 */
class DepthGuessLookupConcurrencyTest {
    private static final int KEYS = 4_000;
    private static final int KEY_BYTES = 8;
    private static final int LONG_KEY_BYTES = 34;
    private static final long MILLIS = Effort.count(500, 1_500, 1_500);

    private volatile long putsBegun;
    private volatile long removalsBegun;
    private volatile boolean done;
    /* How often a round saw the key neither, only the second, only the first, or both times. */
    private final long[] seen = new long[4];
    private long leavesFound;
    /* A key that is always there. */
    private byte[] stays;
    private final AtomicReference<String> fault = new AtomicReference<>();

    @Test
    void shouldAgreeWithWalksAlongThePath() throws InterruptedException {
        try (TestTrie test = trieOfShortKeys(new Random(1))) {
            final byte[] hot = {0, 1, 2, 3, 4, 5, 6, 7};
            writeWhileRead(test, hot, test.put(hot.clone()));
            assertTrue(leavesFound > 100, leavesFound + " times found by its leaf alone");
        }
    }

    /** Two keys without others at their first four symbols: with one of them a node goes, and the other's leaf moves up. */
    @Test
    void shouldAgreeWithWalksWhereALeafGivesWay() throws InterruptedException {
        try (TestTrie test = trieOfShortKeys(new Random(3))) {
            stays = new byte[] {0, 1, 2, 3, 4, 5, 6, 7};
            test.put(stays.clone());
            final byte[] hot = stays.clone();
            hot[2] ^= 8; // the fifth symbol
            writeWhileRead(test, hot, test.put(hot.clone()));
            assertTrue(leavesFound > 100, leavesFound + " times found by its leaf alone");
        }
    }

    private static TestTrie trieOfShortKeys(final Random random) {
        final TestTrie test = new TestTrie(8L << 20);
        final byte[] key = new byte[KEY_BYTES];
        for (int i = 0; i < KEYS; i++) {
            do {
                random.nextBytes(key);
                key[0] = 0;
            } while (key[1] == 1 && (key[2] & 0xF0) == 0); // none has the first four symbols of the hot one
            test.put(key.clone());
        }
        assertEquals(4, test.trie().tableOpen().guessedDepth());
        return test;
    }

    private void writeWhileRead(final TestTrie test, final byte[] hot, final int number) throws InterruptedException {
        final Thread reader = new Thread(() -> read(test, hot));
        reader.start();
        final long end = System.nanoTime() + MILLIS * 1_000_000;
        long removals = 0;
        while (System.nanoTime() < end && fault.get() == null) {
            removalsBegun = ++removals;
            test.remove(number);
            putsBegun = removals;
            assertEquals(PointIndex.NONE, test.trie().put(hot, 0, hot.length, number));
        }
        done = true;
        reader.join();
        assertNull(fault.get());
        assertTrue(removals > 1_000, removals + " removals");
        assertTrue(seen[0] > 0 && seen[3] > 0, "never or always there");
    }

    /** Two keys that share so many bytes that a chain of nodes with checkpoints leads to them, which goes with one of them. */
    @Test
    void shouldNotBeginAtACheckpointThatGoesOutOfReach() throws InterruptedException {
        final Random random = new Random(2);
        try (TestTrie test = new TestTrie(8L << 20)) {
            for (int i = 0; i < KEYS; i++) {
                final byte[] key = new byte[LONG_KEY_BYTES];
                random.nextBytes(key);
                test.put(key);
                final byte[] second = key.clone();
                second[LONG_KEY_BYTES - 1] ^= 1;
                test.put(second);
            }
            final byte[] stays = new byte[LONG_KEY_BYTES];
            random.nextBytes(stays);
            test.put(stays);
            final byte[] hot = stays.clone();
            hot[LONG_KEY_BYTES - 1] ^= 2;
            writeWhileRead(test, hot, test.put(hot.clone()));
        }
    }

    private void read(final TestTrie test, final byte[] hot) {
        long rounds = 0;
        try (EntryCursor cursor = test.trie().cursor()) {
            while (!done && fault.get() == null) {
                final int guard = test.context().epochs().enter();
                compare(test, cursor, hot, rounds++);
                test.context().epochs().exit(guard);
            }
        } catch (final Throwable e) {
            fault.compareAndSet(null, e.toString());
        }
        if (rounds < 1_000) {
            fault.compareAndSet(null, "only " + rounds + " rounds");
        }
    }

    private void compare(final TestTrie test, final EntryCursor cursor, final byte[] hot, final long round) {
        final long removals = removalsBegun;
        final long puts = putsBegun;
        final boolean bySeekFirst = round % 2 == 0;
        final boolean first = bySeekFirst ? isAhead(test, cursor, hot) : isThere(test, hot);
        final boolean second = bySeekFirst ? isThere(test, hot) : isAhead(test, cursor, hot);
        if (puts < removals && first != second && putsBegun == puts) {
            report(!first, "there again during or after a removal", bySeekFirst);
        } else if (puts == removals && first != second && removalsBegun == removals) {
            report(first, "gone again during or after a put", bySeekFirst);
        }
        seen[(first ? 2 : 0) + (second ? 1 : 0)]++;
        if (stays != null && !(isThere(test, stays) && isAhead(test, cursor, stays))) {
            fault.compareAndSet(null, "the key beside it was not found");
        }
    }

    private void report(final boolean wrong, final String what, final boolean bySeekFirst) {
        if (wrong) {
            fault.compareAndSet(null, what + ", seek first: " + bySeekFirst);
        }
    }

    /* The leaf alone first, whatever else this thread has looked up. */
    private boolean isThere(final TestTrie test, final byte[] key) {
        final NodeTable table = test.trie().tableOpen();
        final int depth = table.guessedDepth();
        final DepthGuessLookup guess = new DepthGuessLookup();
        if (depth > 0
            && guess.get(table, depth, test.context().keys(), key, 0, key.length) != PointIndex.NONE) {
            leavesFound++;
            return true;
        }
        return test.get(key) != PointIndex.NONE;
    }

    private static boolean isAhead(final TestTrie test, final EntryCursor cursor, final byte[] key) {
        return cursor.seek(key, 0, key.length)
            && test.context().keys().compareKey(cursor.payload(), key, 0, key.length) == 0;
    }
}
