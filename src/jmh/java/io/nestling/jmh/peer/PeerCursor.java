/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.index.EntryCursor;

/** Keeps whether a cursor stands on an entry, and refuses the accessors where it does not. */
public abstract class PeerCursor implements EntryCursor {
    private boolean valid;

    /** Creates an unpositioned cursor. */
    protected PeerCursor() {
    }

    /**
     * Says where a move has led.
     *
     * @param onEntry whether the cursor stands on an entry now
     * @return the same
     */
    protected final boolean moved(final boolean onEntry) {
        valid = onEntry;
        return onEntry;
    }

    /** Throws unless the cursor stands on an entry. */
    protected final void checkValid() {
        if (!valid) {
            throw new IllegalStateException("the cursor is not on an entry");
        }
    }

    @Override
    public final boolean valid() {
        return valid;
    }

    @Override
    public void close() {
        valid = false;
    }
}
