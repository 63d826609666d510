/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.memory.Backoff;
import io.nestling.memory.WriteFailure;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Tells readers where the operations of the writer begin and end: odd while one is under way. Between two of them whatever
 * stands in the table can be reached from the root.
 * <h2>Thread safety</h2>
 * One writer, any number of readers.
 */
final class OperationCount {
    /* The count has a line of its own, on either side of which nothing else is written. */
    private static final int AT = 32;
    private static final int MOST_WAITS = 300;

    private final AtomicIntegerArray count = new AtomicIntegerArray(2 * AT);

    private final WriteFailure failure;

    OperationCount(final WriteFailure failure) {
        this.failure = failure;
    }

    /** An operation begins; nothing that it writes is seen without that. */
    void begin() {
        count.lazySet(AT, count.getPlain(AT) + 1);
        VarHandle.releaseFence();
    }

    /** It ends; who sees that sees all that it has written. */
    void end() {
        count.lazySet(AT, count.getPlain(AT) + 1);
    }

    /**
     * Waits for a moment without an operation, which lies between the call and the return; false if none came for long.
     */
    boolean awaitRest() {
        final int before = count.getAcquire(AT);
        int waits = 0;
        while ((before & 1) != 0 && count.getAcquire(AT) == before) {
            if (++waits > MOST_WAITS) {
                return false;
            }
            Backoff.pause(waits, failure);
        }
        return true;
    }
}
