/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.util.concurrent.locks.LockSupport;

/** How a thread waits for something that another thread is about to do: it spins, then yields, then parks. */
final class Waiting {
    /** Pauses that do not give the processor away. */
    static final int SPINS = 200;
    private static final int YIELDS = 220;
    private static final long PARK_NANOS = 20_000L;

    private Waiting() {
    }

    /** One pause, the longer the more there were before it. */
    static void pause(final int before) {
        if (before < SPINS) {
            Thread.onSpinWait();
        } else if (before < YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(PARK_NANOS);
        }
    }

    /** Parks for a time, even if the thread is interrupted, which it is afterwards, too. */
    static void park(final long nanos) {
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
