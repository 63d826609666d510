/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.offheap.EpochReclaimer;

import java.util.function.Supplier;

/**
 * Finds out at which sequence numbers a memtable may be read: notes those of snapshots and windows, until no guard from before
 * is left.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class ReadNumbersTracker {
    private final Supplier<long[]> numbersRead;
    private final EpochReclaimer epochs;
    /* Numbers read at when the epoch was noted, and when it was noted before: no guard is left from before that. */
    private long[] candidate = {};
    private long[] settled = {};
    private long candidateVisible = -1;
    private long settledVisible = -1;
    private long notedIn;

    /**
     * Creates a tracker. {@code numbersRead} finds the visible number, then those of the open snapshots and windows; a reader
     * without a window has a guard of the epochs.
     */
    ReadNumbersTracker(final Supplier<long[]> numbersRead, final EpochReclaimer epochs) {
        this.numbersRead = numbersRead;
        this.epochs = epochs;
    }

    /** Returns the numbers at which the memtable may be read from now on. */
    ReadNumbers now() {
        epochs.tryAdvance();
        epochs.tryAdvance();
        final boolean quiescent = epochs.isQuiescent(notedIn); // first: who leaves a guard later may open a window before that
        final long[] now = numbersRead.get();
        if (quiescent) {
            final long epoch = epochs.epochOfUnlinking(); // after the numbers were read
            settled = candidate;
            settledVisible = candidateVisible;
            candidate = now;
            candidateVisible = now[0];
            notedIn = epoch;
        }
        return new ReadNumbers(settledVisible, settled, now);
    }
}
