/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

/**
 * The place of a structure that says that a write ended half-way, by an error that its contract does not name.
 * <p>
 * Such a write is a writer that stands still for ever: what it locked stays locked, and what it began stays as it is, which
 * readers bear from any writer. So nothing is repaired; writes that come later, and everybody who would wait for the one that
 * failed, {@link #check} and throw.
 * <h2>Thread safety</h2>
 * Any thread. The cause is a field: who catches an error sets it without a call, which might overflow the stack again.
 */
public final class WriteFailure {
    /** What ended a write half-way; null if nothing did. */
    public volatile Throwable cause;

    /** Makes one for a structure without failure. */
    public WriteFailure() {
    }

    /**
     * Throws if a write ended half-way.
     *
     * @throws IllegalStateException with that write's error as its cause
     */
    public void check() {
        if (cause != null) {
            throw new IllegalStateException("no more writes since one failed halfway: " + cause, cause);
        }
    }
}
