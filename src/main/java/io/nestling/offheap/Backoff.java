/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import java.util.concurrent.locks.LockSupport;

/** Waits a little before a retry: spins at first, then yields the processor, then parks. */
public final class Backoff {
    /** Number of pauses that spin. */
    public static final int SPINS = 128;
    private static final int YIELDS = 256;
    private static final long PARK_NANOS = 20_000L;

    private Backoff() {
    }

    /** Pauses once, the longer the more attempts there were before. */
    public static void pause(final int attempt) {
        if (attempt < SPINS) {
            Thread.onSpinWait();
        } else if (attempt < YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(PARK_NANOS);
        }
    }

    /** Pauses once; once pauses no longer spin, throws if a write has failed, for which the caller might wait for ever. */
    public static void pause(final int attempt, final WriteFailure failure) {
        if (attempt >= SPINS) {
            failure.check();
        }
        pause(attempt);
    }

    /** Parks for some nanoseconds, even if the thread is interrupted. An interrupt is kept. */
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
