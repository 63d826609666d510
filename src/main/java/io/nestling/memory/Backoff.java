/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import java.util.concurrent.locks.LockSupport;

/** How a thread waits for what another thread is about to do: it spins, then it yields the processor, then it parks. */
public final class Backoff {
    /** Pauses that keep the processor. */
    public static final int SPINS = 128;
    private static final int YIELDS = 256;
    private static final long PARK_NANOS = 20_000L;

    private Backoff() {
    }

    /**
     * Pauses once.
     *
     * @param attempt number of the pauses before this one; the more there were, the longer it is
     */
    public static void pause(final int attempt) {
        if (attempt < SPINS) {
            Thread.onSpinWait();
        } else if (attempt < YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(PARK_NANOS);
        }
    }

    /**
     * Pauses once, unless the writer that is waited for will never go on.
     *
     * @param attempt number of the pauses before this one
     * @param failure says whether a write ended half-way
     * @throws IllegalStateException if one did
     */
    public static void pause(final int attempt, final WriteFailure failure) {
        if (attempt >= SPINS) {
            failure.check();
        }
        pause(attempt);
    }

    /**
     * Parks for a time, even if the thread is interrupted; it still is afterwards.
     *
     * @param nanos the time in nanoseconds
     */
    public static void park(final long nanos) {
        final long start = System.nanoTime();
        boolean interrupted = false;
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - start)) {
            LockSupport.parkNanos(left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
