/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.memory.WriteFailure;

/** What a reader does that met the writer at work: look again at once, then leave the core to others. */
final class Backoff {
    private static final int SPINS = 64;
    private static final int YIELDS = 1024;
    private static final long PARK_NANOS = 20_000;

    private Backoff() {
    }

    /**
     * Waits a little.
     *
     * @param attempt how often it was tried, from 1
     * @param failure says whether the writer ended half-way, and nobody need wait
     */
    static void pause(final int attempt, final WriteFailure failure) {
        if (attempt < SPINS) {
            Thread.onSpinWait();
            return;
        }
        failure.check();
        if (attempt < YIELDS) {
            Thread.yield();
        } else {
            java.util.concurrent.locks.LockSupport.parkNanos(PARK_NANOS);
        }
    }
}
