/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.LoweredLimit;
import io.nestling.offheap.Backoff;
import io.nestling.offheap.WriteFailure;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Hands out sequence numbers and makes them visible in order: a reader that sees number {@code n} sees every
 * write up to {@code n}.
 * <p>
 * A writer claims numbers, applies its write, completes the numbers, and waits until they are visible. The thread that
 * closes the last gap also makes the complete writes behind it visible, so that a stalled writer delays
 * no one once its write is complete.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. A thread that has claimed numbers must complete them or set {@link #failedAt},
 * and must not wait in between for a thread that may claim later.
 * <h2>Invariants</h2>
 * <ol>
 * <li>{@code visible <= claimed}, and neither ever shrinks.</li>
 * <li>Every write with a number at or below {@code visible} was complete before {@code visible} was set.</li>
 * <li>From {@code first - 1} on, {@code visible} is moved by the owner of {@code first} alone, or by any thread
 * once a slot shows that {@code first} is complete.</li>
 * </ol>
 */
final class SequenceGate {
    private static final int CLAIMED = 16;
    private static final int VISIBLE = 17;
    private static final int WORDS = 34;
    private static final int SLOTS = LoweredLimit.powerOfTwo("memtable.gateSlots", 256, 1);
    static final long NO_FAILURE = Long.MAX_VALUE;

    /* Side by side, far from all else: a write completes soon after its claim, so it mostly takes one
       cache line, once. */
    private final AtomicLongArray words = new AtomicLongArray(WORDS);
    /*
     * Complete writes that are not visible yet, by first number modulo the number of slots. A slot is free if
     * the absolute value of its number is visible; it is negative while its owner writes to it.
     */
    private final AtomicLongArray firsts = new AtomicLongArray(SLOTS);
    private final AtomicLongArray lasts = new AtomicLongArray(SLOTS);
    private final WriteFailure failure;
    /**
     * First number of a write that failed halfway after it had claimed its numbers: from then on neither it nor a later
     * number becomes visible. A field, so that it can be set without a call, after the failure's cause. It may only decrease.
     */
    volatile long failedAt = NO_FAILURE;

    SequenceGate(final long firstSequence, final WriteFailure failure) {
        this.failure = failure;
        words.set(CLAIMED, firstSequence - 1);
        words.set(VISIBLE, firstSequence - 1);
    }

    /** Returns the greatest number that readers may see; all writes up to it were applied (acquire). */
    long visible() {
        return words.getAcquire(VISIBLE);
    }

    /** Returns the greatest number that was claimed. */
    long claimed() {
        return words.get(CLAIMED);
    }

    /** Claims a number of consecutive sequence numbers and returns the first. */
    long claim(final long count) {
        return words.getAndAdd(CLAIMED, count) + 1;
    }

    /** Completes the applied write with the claimed numbers {@code first} to {@code last}. */
    void complete(final long first, final long last) {
        // memtable-concurrency.md, claim 1
        final int slot = slot(first);
        for (int spins = 0; visible() != first - 1; spins++) {
            final long held = firsts.get(slot);
            if (Math.abs(held) <= visible() && firsts.compareAndSet(slot, held, -first)) {
                lasts.set(slot, last);
                firsts.set(slot, first);
                advance(words.get(VISIBLE));
                return;
            }
            if (failedAt < first) {
                return; // it will never be visible
            }
            Backoff.pause(spins);
        }
        words.set(VISIBLE, last);
        advance(last);
    }

    private static int slot(final long first) {
        return (int) first & (SLOTS - 1);
    }

    /**
     * Makes the complete writes behind a visible number visible. Called after each change of a slot or of the visible number,
     * all of which are volatile: of two writes that complete at once, at least one sees what the other has done.
     */
    private void advance(final long from) {
        for (long visible = from; firsts.get(slot(visible + 1)) == visible + 1; visible = words.get(VISIBLE)) {
            // Fails if another write has taken the slot over: then the number has moved on.
            words.compareAndSet(VISIBLE, visible, lasts.get(slot(visible + 1)));
        }
    }

    /**
     * Waits until a complete write is visible; throws if it or an earlier write has failed, so that it will never be visible.
     */
    void await(final long last) {
        for (int spins = 0; visible() < last; spins++) {
            if (failedAt <= last) {
                throw failed();
            }
            Backoff.pause(spins);
        }
    }

    /** Returns whether a write has failed halfway. */
    boolean isPoisoned() {
        return failure.cause != null;
    }

    /** Checks that no write has failed halfway; throws with that write's error as the cause. */
    void checkNotPoisoned() {
        if (isPoisoned()) {
            throw failed();
        }
    }

    private IllegalStateException failed() {
        final long failed = failedAt;
        return new IllegalStateException("memtable takes no more writes since "
            + (failed == NO_FAILURE ? "a write" : "write " + failed) + " failed halfway: " + failure.cause, failure.cause);
    }
}
