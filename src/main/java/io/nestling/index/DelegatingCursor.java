/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** A cursor that shows the entry of another cursor. Subclasses implement the moves. */
public abstract class DelegatingCursor implements EntryCursor {
    /** Creates a cursor. */
    protected DelegatingCursor() {
    }

    /**
     * Returns the cursor whose entry is shown.
     *
     * @return a valid cursor
     * @throws IllegalStateException if this cursor is not on an entry
     */
    protected abstract EntryCursor delegate();

    /**
     * Returns the exception of accessors for a cursor that is not on an entry.
     *
     * @return an exception to throw
     */
    protected static IllegalStateException notValid() {
        return new IllegalStateException("the cursor is not on an entry");
    }

    @Override
    public byte[] keyBuffer() {
        return delegate().keyBuffer();
    }

    @Override
    public int keyLength() {
        return delegate().keyLength();
    }

    @Override
    public byte[] key() {
        return delegate().key();
    }

    @Override
    public long payload() {
        return delegate().payload();
    }

    @Override
    public int valueLength() {
        return delegate().valueLength();
    }

    @Override
    public int copyValue(final byte[] destination, final int offset) {
        return delegate().copyValue(destination, offset);
    }

    @Override
    public byte[] value() {
        return delegate().value();
    }

    @Override
    public long sequence() {
        return delegate().sequence();
    }

    @Override
    public EntryKind kind() {
        return delegate().kind();
    }

    @Override
    public long expiry() {
        return delegate().expiry();
    }
}
