/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.bytes.ByteComparison;
import io.nestling.offheap.KeySource;

/** A cursor over payloads that lie in the order of their keys, which it reads from a key source. */
public abstract class SortedKeysCursor extends KeyBufferCursor {
    private final KeySource keys;
    private byte[] spareKey = new byte[key.length];
    /** Number of the entry, from 0. */
    protected long at;

    /**
     * Creates an unpositioned cursor.
     *
     * @param keys reads the keys
     */
    @SuppressWarnings("exports") // for the indexes of this module
    protected SortedKeysCursor(final KeySource keys) {
        this.keys = keys;
    }

    /**
     * Returns the number of entries.
     *
     * @return the count
     */
    protected abstract long size();

    /**
     * Returns a payload.
     *
     * @param position number of the entry, from 0
     * @return the payload
     */
    protected abstract long payloadAt(long position);

    /**
     * Returns the position of the first key at or above a given one.
     *
     * @param target array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return the number of smaller keys
     */
    protected abstract long lowerBound(byte[] target, int offset, int length);

    /**
     * Prefetches entries ahead of one that the cursor moves to; does nothing unless overridden.
     *
     * @param position where the cursor will be
     * @param direction 1 or -1
     * @param positioned whether the move positions the cursor, and no entry ahead was prefetched
     */
    protected void prefetchAhead(final long position, final int direction, final boolean positioned) {
    }

    @Override
    public boolean first() {
        checkOpen();
        return moveTo(0, 0, 1);
    }

    @Override
    public boolean last() {
        checkOpen();
        return moveTo(size() - 1, 0, -1);
    }

    @Override
    public boolean seek(final byte[] target, final int offset, final int length) {
        checkOpen();
        return moveTo(lowerBound(target, offset, length), 0, 1);
    }

    @Override
    public boolean seekLowerThan(final byte[] target, final int offset, final int length) {
        checkOpen();
        return moveTo(lowerBound(target, offset, length) - 1, 0, -1);
    }

    @Override
    public boolean next() {
        return valid && moveTo(at + 1, Integer.MAX_VALUE, 1);
    }

    @Override
    public boolean previous() {
        return valid && moveTo(at - 1, Integer.MAX_VALUE, -1);
    }

    /** Moves to a position, if it exists, and compares the key with the one before up to a limit. */
    private boolean moveTo(final long position, final int prefixLimit, final int direction) {
        valid = false; // stays so if something throws
        if (position < 0 || position >= size()) {
            return false;
        }
        prefetchAhead(position, direction, prefixLimit == 0);
        final long payload = payloadAt(position);
        final int length = keys.copyKeyIfFits(payload, spareKey);
        if (spareKey.length < length) {
            spareKey = new byte[Math.max(length, 2 * spareKey.length)];
            keys.copyKey(payload, spareKey, 0);
        }
        final int shared = Math.min(prefixLimit, Math.min(keyLength, length));
        commonPrefix = prefixLimit == 0 ? 0 : ByteComparison.commonPrefix(key, 0, shared, spareKey, 0, shared);
        final byte[] before = key;
        key = spareKey;
        spareKey = before;
        keyLength = length;
        at = position;
        valid = true;
        return true;
    }

    @Override
    public long payload() {
        checkValid();
        return payloadAt(at);
    }
}
