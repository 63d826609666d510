/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** A cursor that keeps whether it is on an entry, and whether it is closed, for the checks of its accessors and moves. */
public abstract class PositionedCursor implements EntryCursor {
    /** True if the cursor is on an entry. */
    protected boolean valid;
    private boolean closed;

    /** Creates an unpositioned cursor. */
    protected PositionedCursor() {
    }

    @Override
    public final boolean valid() {
        return valid;
    }

    /**
     * Checks that the cursor is on an entry.
     *
     * @throws IllegalStateException if it is not
     */
    protected final void checkValid() {
        if (!valid) {
            throw DelegatingCursor.notValid();
        }
    }

    /**
     * Checks that the cursor is not closed, for the moves that position it.
     *
     * @throws IllegalStateException if it is
     */
    protected final void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the cursor is closed");
        }
    }

    @Override
    public void close() {
        valid = false;
        closed = true;
    }
}
