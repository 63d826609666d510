/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;

/**
 * A cursor that forwards its moves to another one.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
abstract class ForwardedCursor implements EntryCursor {
    private final EntryCursor cursor;

    ForwardedCursor(final EntryCursor cursor) {
        this.cursor = cursor;
    }

    /** Returns the other cursor. */
    final EntryCursor cursor() {
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
    public byte[] keyBuffer() {
        return cursor.keyBuffer();
    }

    @Override
    public int keyLength() {
        return cursor.keyLength();
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
