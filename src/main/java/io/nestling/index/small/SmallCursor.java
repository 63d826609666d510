/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.small;

import io.nestling.index.SortedKeysCursor;

/**
 * A cursor over a {@link SmallIndex}. It takes the index's array when it is positioned, and again when it moves if the writer
 * has replaced the array since: then it finds its key again.
 * <h2>Thread safety</h2>
 * One thread, while another may write.
 */
final class SmallCursor extends SortedKeysCursor {
    private static final long[] NOTHING = {};

    private final SmallIndex index;
    private long[] payloads = NOTHING;

    SmallCursor(final SmallIndex index) {
        super(index.keys());
        this.index = index;
    }

    @Override
    protected long size() {
        return payloads.length;
    }

    @Override
    protected long payloadAt(final long position) {
        return SmallIndex.payload(payloads, (int) position);
    }

    @Override
    protected long lowerBound(final byte[] target, final int offset, final int length) {
        payloads = index.open();
        return SmallIndex.lowerBound(index.keys(), payloads, target, offset, length);
    }

    @Override
    public boolean first() {
        payloads = index.open();
        return super.first();
    }

    @Override
    public boolean last() {
        payloads = index.open();
        return super.last();
    }

    @Override
    public boolean next() {
        if (valid && index.open() != payloads) {
            at = lowerBound(key, 0, keyLength);
            if (at == size() || index.keys().compareKey(payloadAt(at), key, 0, keyLength) != 0) {
                at--; // its key was removed, and the next one has its position
            }
        }
        return super.next();
    }

    @Override
    public boolean previous() {
        if (valid && index.open() != payloads) {
            at = lowerBound(key, 0, keyLength);
        }
        return super.previous();
    }
}
