/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;

/** A cursor that now and then goes one entry too far. */
final class SkippingCursor extends ForwardedCursor {
    private static final int EVERY = 40;

    private int moves;

    SkippingCursor(final EntryCursor cursor) {
        super(cursor);
    }

    private boolean moved(final boolean valid) {
        return valid && ++moves % EVERY == 0 ? super.next() : valid;
    }

    @Override
    public boolean first() {
        return moved(super.first());
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        return moved(super.seek(key, offset, length));
    }

    @Override
    public boolean next() {
        return moved(super.next());
    }

    @Override
    public long payload() {
        return cursor().payload();
    }
}
