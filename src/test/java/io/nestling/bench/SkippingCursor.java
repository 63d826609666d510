/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;

/** A cursor that now and then goes one entry too far. */
final class SkippingCursor implements EntryCursor {
    private static final int EVERY = 40;

    private final EntryCursor cursor;
    private int moves;

    SkippingCursor(final EntryCursor cursor) {
        this.cursor = cursor;
    }

    private boolean moved(final boolean there) {
        return there && ++moves % EVERY == 0 ? cursor.next() : there;
    }

    @Override
    public boolean first() {
        return moved(cursor.first());
    }

    @Override
    public boolean last() {
        return cursor.last();
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        return moved(cursor.seek(key, offset, length));
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        return cursor.seekLowerThan(key, offset, length);
    }

    @Override
    public boolean next() {
        return moved(cursor.next());
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
    public long payload() {
        return cursor.payload();
    }

    @Override
    public void close() {
        cursor.close();
    }
}
