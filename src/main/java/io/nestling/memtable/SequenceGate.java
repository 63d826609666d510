/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.LoweredLimit;
import io.nestling.memory.Backoff;
import io.nestling.memory.WriteFailure;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Hands out sequence numbers and makes them visible in order: a reader that sees number {@code n} sees every
 * write up to {@code n}.
 * <p>
 * A write claims its numbers, is applied, says that it is complete, and waits until it is visible. Whoever
 * closes the last gap also makes the complete writes behind it visible, so that a writer which is not running
 * right now holds nobody up once its write is complete.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. Who has claimed numbers must complete them or say in {@link #failedAt} that it
 * cannot, and must not wait in between for somebody who may claim later.
 * <h2>Invariants</h2>
 * <ol>
 * <li>{@code visible <= claimed}, and neither ever shrinks.</li>
 * <li>Every write with a number at or below {@code visible} was complete before {@code visible} was set.</li>
 * <li>From {@code first - 1} on, {@code visible} is moved by the owner of {@code first} alone, or by anybody
 * once a slot says that {@code first} is complete.</li>
 * </ol>
 */
final class SequenceGate {
    private static final int CLAIMED = 16;
    private static final int VISIBLE = 32;
    private static final int WORDS = 48;
    private static final int SLOTS = LoweredLimit.powerOfTwo("memtable.gateSlots", 1024, 1);
    static final long NO_FAILURE = Long.MAX_VALUE;

    /* 128 bytes between the two words and around them: readers of one do not meet writers of the other. */
    private final AtomicLongArray words = new AtomicLongArray(WORDS);
    /*
     * Complete writes that are not visible yet, by first number modulo the number of slots. A slot is free if
     * what it holds, without the sign, is visible; it is negative while its owner is still writing to it.
     */
    private final AtomicLongArray firsts = new AtomicLongArray(SLOTS);
    private final AtomicLongArray lasts = new AtomicLongArray(SLOTS);
    private final WriteFailure failure;
    /**
     * First number of a write that failed halfway after it had claimed its numbers: neither it nor a later one that is not yet
     * visible will be. A field, to be set after the failure's cause without a call, and to be made smaller only.
     */
    volatile long failedAt = NO_FAILURE;

    SequenceGate(final long firstSequence, final WriteFailure failure) {
        this.failure = failure;
        words.set(CLAIMED, firstSequence - 1);
        words.set(VISIBLE, firstSequence - 1);
    }

    /** Greatest number that readers may see; whatever it stands for was applied (acquire). */
    long visible() {
        return words.getAcquire(VISIBLE);
    }

    /** Claims a number of consecutive sequence numbers and returns the first. */
    long claim(final int count) {
        return words.getAndAdd(CLAIMED, count) + 1;
    }

    /** Says that the write with the claimed numbers {@code first} to {@code last} was applied. */
    void complete(final long first, final long last) {
        final int slot = slot(first);
        for (int spins = 0; visible() != first - 1; spins++) {
            final long held = firsts.get(slot);
            if (Math.abs(held) <= visible() && firsts.compareAndSet(slot, held, -first)) {
                lasts.set(slot, last);
                firsts.set(slot, first);
                advance();
                return;
            }
            if (failedAt < first) {
                return; // nobody will look for it
            }
            Backoff.pause(spins);
        }
        words.set(VISIBLE, last);
        advance();
    }

    private static int slot(final long first) {
        return (int) first & (SLOTS - 1);
    }

    /**
     * Moves on over complete writes. Called after each change of a slot or of the number, all of which are
     * volatile: of two writes that complete one after the other, at least one sees what the other has done.
     */
    private void advance() {
        while (true) {
            final long visible = words.get(VISIBLE);
            final int slot = slot(visible + 1);
            if (firsts.get(slot) != visible + 1) {
                return;
            }
            // If the slot was taken over by another write meanwhile, then the number has moved on, and this
            // fails.
            words.compareAndSet(VISIBLE, visible, lasts.get(slot));
        }
    }

    /**
     * Waits until a complete write is visible.
     *
     * @throws IllegalStateException if it or a write before it has failed, so that it will never be
     */
    void await(final long last) {
        for (int spins = 0; visible() < last; spins++) {
            if (failedAt <= last) {
                throw failed();
            }
            Backoff.pause(spins);
        }
    }

    /** Whether no write has failed halfway. */
    boolean isSound() {
        return failure.cause == null;
    }

    /** Throws if a write has failed halfway. */
    void checkSound() {
        if (failure.cause != null) {
            throw failed();
        }
    }

    private IllegalStateException failed() {
        final long failed = failedAt;
        return new IllegalStateException("memtable takes no more writes since "
            + (failed == NO_FAILURE ? "a write" : "write " + failed) + " failed halfway: " + failure.cause, failure.cause);
    }
}
