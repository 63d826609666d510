/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

/**
 * The error by which a write of a structure ended halfway, an error that its contract does not name.
 * <p>
 * Such a write is like a writer that has stalled for good: what it locked stays locked, and what it began stays half done, which
 * readers tolerate of any writer. So nothing is repaired. Later writes, and threads that would wait for the failed
 * one, call {@link #check} and throw.
 * <h2>Thread safety</h2>
 * Any thread. The cause is a field, so that a catch block sets it without a call, which might overflow the stack again.
 */
public final class WriteFailure {
    /** The error that ended a write halfway; null if none did. */
    public volatile Throwable cause;

    /** Creates an object without an error. */
    public WriteFailure() {
    }

    /** Throws an {@link IllegalStateException} if a write ended halfway, with that write's error as its cause. */
    public void check() {
        if (cause != null) {
            throw new IllegalStateException("no more writes since one failed halfway: " + cause, cause);
        }
    }
}
