/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;

/** Keeps whether a cursor stands on an entry, refuses the accessors where it does not, and has what all entries have. */
public abstract class PeerCursor implements EntryCursor {
    private boolean valid;
    private boolean closed;

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

    /** Throws if the cursor is closed. */
    protected final void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the cursor is closed");
        }
    }

    /**
     * The value of the entry.
     *
     * @return an array that holds nothing else
     */
    @Override
    public abstract byte[] value();

    @Override
    public final int valueLength() {
        return value().length;
    }

    @Override
    public final int copyValue(final byte[] destination, final int offset) {
        final byte[] value = value();
        System.arraycopy(value, 0, destination, offset, value.length);
        return value.length;
    }

    @Override
    public long payload() {
        return PeerIndex.payload(value());
    }

    @Override
    public final long sequence() {
        return 1;
    }

    @Override
    public final EntryKind kind() {
        return EntryKind.VALUE;
    }

    @Override
    public final boolean valid() {
        return valid;
    }

    @Override
    public void close() {
        valid = false;
        closed = true;
    }
}
