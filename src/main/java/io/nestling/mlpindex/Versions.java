/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.memory.Backoff;
import io.nestling.memory.WriteFailure;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Version words that tell readers when what they read plainly may have been torn: odd while the writer changes something
 * that the word stands for. Each word stands for many places; sharing one costs a reader a second look and nothing else.
 * <h2>Thread safety</h2>
 * One writer; any number of readers.
 */
final class Versions {

    private final AtomicIntegerArray words;
    private final int mask;
    private final WriteFailure failure;

    /** Makes versions that are waited for until a write fails halfway. */
    Versions(final int count, final WriteFailure failure) {
        this.failure = failure;
        words = new AtomicIntegerArray(count);
        mask = count - 1;
    }

    /** Waits until no change is under way and gives the version to {@link #unchanged}. */
    int begin(final long place) {
        final int stripe = (int) place & mask;
        int version = words.getAcquire(stripe);
        for (int spins = 0; (version & 1) != 0; spins++) {
            Backoff.pause(spins, failure);
            version = words.getAcquire(stripe);
        }
        return version;
    }

    /** Returns whether everything read since {@link #begin} was read from one state. */
    boolean unchanged(final long place, final int version) {
        VarHandle.acquireFence();
        return words.getOpaque((int) place & mask) == version;
    }

    void beginChange(final long place) {
        final int stripe = (int) place & mask;
        words.setOpaque(stripe, words.getPlain(stripe) + 1);
        // No store of the change may become visible before the odd version.
        VarHandle.releaseFence();
    }

    void endChange(final long place) {
        final int stripe = (int) place & mask;
        words.setRelease(stripe, words.getPlain(stripe) + 1);
    }

    /** Pauses while the writer is at work. */
    void pause(final int times) {
        Backoff.pause(times, failure);
    }
}
