/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** A cursor that knows whether it stands on an entry, and shows nothing if it does not. */
public abstract class PositionedCursor implements EntryCursor {
    /** Whether the cursor stands on an entry. */
    protected boolean valid;

    /** Makes a cursor that stands on no entry. */
    protected PositionedCursor() {
    }

    @Override
    public final boolean valid() {
        return valid;
    }

    /**
     * Checks that there is an entry to be shown.
     *
     * @throws IllegalStateException if the cursor stands on no entry
     */
    protected final void checkValid() {
        if (!valid) {
            throw new IllegalStateException("the cursor stands on no entry");
        }
    }
}
