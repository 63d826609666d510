/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** A cursor that keeps whether it is on an entry, for the checks of its accessors. */
public abstract class PositionedCursor implements EntryCursor {
    /** True if the cursor is on an entry. */
    protected boolean valid;

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
}
