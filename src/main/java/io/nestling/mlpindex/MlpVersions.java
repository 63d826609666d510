/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.offheap.Backoff;
import io.nestling.offheap.WriteFailure;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Version words that show readers when plain reads may have been torn: odd while the writer changes something that the word
 * covers. Each word covers many offsets; a shared word only costs a reader a retry.
 * <h2>Thread safety</h2>
 * One writer; any number of readers.
 */
final class MlpVersions {

    private final AtomicIntegerArray words;
    private final int mask;
    private final WriteFailure failure;

    /** Makes versions for which readers wait until a write fails halfway. */
    MlpVersions(final int count, final WriteFailure failure) {
        this.failure = failure;
        words = new AtomicIntegerArray(count);
        mask = count - 1;
    }

    /** Waits until no change is under way; returns the version for {@link #unchanged}. */
    int begin(final long offset) {
        final int stripe = (int) offset & mask;
        int version = words.getAcquire(stripe);
        for (int spins = 0; (version & 1) != 0; spins++) {
            Backoff.pause(spins, failure);
            version = words.getAcquire(stripe);
        }
        return version;
    }

    /** Returns whether all reads since {@link #begin} saw one state. */
    boolean unchanged(final long offset, final int version) {
        VarHandle.acquireFence();
        return words.getOpaque((int) offset & mask) == version;
    }

    void beginChange(final long offset) {
        final int stripe = (int) offset & mask;
        words.setOpaque(stripe, words.getPlain(stripe) + 1);
        // No store of the change may become visible before the odd version.
        VarHandle.releaseFence();
    }

    void endChange(final long offset) {
        final int stripe = (int) offset & mask;
        words.setRelease(stripe, words.getPlain(stripe) + 1);
    }

    /** Pauses while the writer works. */
    void pause(final int times) {
        Backoff.pause(times, failure);
    }
}
