/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.offheap.Backoff;
import io.nestling.offheap.PaddedAtomicLong;
import io.nestling.offheap.WriteFailure;

import java.lang.invoke.VarHandle;

/**
 * Shows readers when the writer is inside an operation: the count is odd then. Between two operations the root leads to every
 * entry of the table.
 * <h2>Thread safety</h2>
 * One writer, any number of readers.
 */
final class OperationCount {
    private static final int MOST_WAITS = 300;

    private final PaddedAtomicLong count = new PaddedAtomicLong(0);
    private final WriteFailure failure;

    OperationCount(final WriteFailure failure) {
        this.failure = failure;
    }

    /** Begins an operation: readers see the count before anything it writes. */
    void begin() {
        count.setRelease(count.get() + 1);
        VarHandle.releaseFence();
    }

    /** Ends an operation: readers that see this count see everything it wrote. */
    void end() {
        count.setRelease(count.get() + 1);
    }

    /**
     * Waits for a moment without an operation, between call and return; returns false if none came for long.
     */
    boolean awaitIdle() {
        final long before = count.get();
        int waits = 0;
        while ((before & 1) != 0 && count.get() == before) {
            if (++waits > MOST_WAITS) {
                return false;
            }
            Backoff.pause(waits, failure);
        }
        return true;
    }
}
