/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.offheap.EpochReclaimer;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What other threads do at the moment at which numbers are noted, in all other respects in one thread. */
class ReadNumbersTrackerTest {
    private static final Runnable NOTHING = () -> { };

    private final EpochReclaimer epochs = new EpochReclaimer();
    private final ReadNumbersTracker tracker = new ReadNumbersTracker(this::numbersRead, epochs);
    private long[] numbers = {5};
    private Runnable before = NOTHING;
    private Runnable behind = NOTHING;

    private long[] numbersRead() {
        final Runnable first = before;
        before = NOTHING;
        first.run();
        final long[] read = numbers;
        final Runnable last = behind;
        behind = NOTHING;
        last.run();
        return read;
    }

    @Test
    void shouldKnowReadersOnceThoseFromBeforeHaveLeft() {
        assertTrue(tracker.now().mayRead(6, 7));
        numbers = new long[] {10, 5};
        assertTrue(tracker.now().mayRead(6, 7));
        assertFalse(tracker.now().mayRead(6, 7));
        assertTrue(tracker.now().mayRead(5, 6));
        assertTrue(tracker.now().mayRead(10, 11));
        assertTrue(tracker.now().mayRead(8, 12));
        numbers = new long[] {20};
        assertTrue(tracker.now().mayRead(5, 6), "read at when numbers were noted before");
        assertFalse(tracker.now().mayRead(5, 6));
    }

    @Test
    void shouldNotKnowReadersWhileThoseFromBeforeAreInside() {
        final int guard = epochs.enter();
        numbers = new long[] {10};
        for (int i = 0; i < 5; i++) {
            assertTrue(tracker.now().mayRead(5, 6));
        }
        epochs.exit(guard);
        tracker.now();
        assertFalse(tracker.now().mayRead(5, 6));
    }

    /** Seen to fail with windows that are listed before the look whether readers from before have left. */
    @Test
    void shouldKnowAReaderThatOpensAWindowAndLeavesItsGuardOnceWindowsAreListed() {
        final int guard = epochs.enter(); // and reads 5
        numbers = new long[] {10};
        tracker.now();
        behind = () -> {
            numbers = new long[] {10, 5};
            epochs.exit(guard);
            advance();
        };
        assertTrue(tracker.now().mayRead(5, 6));
        for (int i = 0; i < 5; i++) {
            final ReadNumbers now = tracker.now();
            assertTrue(now.mayRead(5, 6));
            assertFalse(i > 0 && now.mayRead(6, 7));
        }
    }

    /** Seen to fail with an epoch that is noted before the numbers. */
    @Test
    void shouldKnowAReaderThatEntersBeforeNumbersAreNoted() {
        final int[] guard = new int[1];
        before = () -> {
            advance();
            guard[0] = epochs.enter(); // and reads 5
            numbers = new long[] {10};
        };
        for (int i = 0; i < 5; i++) {
            assertTrue(tracker.now().mayRead(5, 6));
        }
        epochs.exit(guard[0]);
    }

    /** Another thread moves the epoch on as far as readers permit. */
    private void advance() {
        while (epochs.epoch() < 10 && epochs.tryAdvance()) {
            Thread.onSpinWait();
        }
    }
}
