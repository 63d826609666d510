/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** Does what another cursor does, so that a subclass can do one thing wrong. */
class ForwardingCursor extends DelegatingCursor {
    private final EntryCursor cursor;

    ForwardingCursor(final EntryCursor cursor) {
        this.cursor = cursor;
    }

    @Override
    protected EntryCursor delegate() {
        return cursor;
    }

    @Override
    public boolean first() {
        return cursor.first();
    }

    @Override
    public boolean last() {
        return cursor.last();
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        return cursor.seek(key, offset, length);
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        return cursor.seekLowerThan(key, offset, length);
    }

    @Override
    public boolean next() {
        return cursor.next();
    }

    @Override
    public boolean previous() {
        return cursor.previous();
    }

    @Override
    public boolean valid() {
        return cursor.valid();
    }

    @Override
    public int commonPrefix() {
        return cursor.commonPrefix();
    }

    @Override
    public void close() {
        cursor.close();
    }
}
