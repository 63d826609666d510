/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.bytes.ByteComparison;

/**
 * A cursor over the entries of another cursor whose keys lie in a range {@code [from, to)}, as if the other cursor had no
 * entries outside of the range.
 * <p> A move compares with a bound only from the byte at which the last key differed from it, so that a
 * scan compares each byte of the bounds once.
 * <h2>Thread safety</h2>
 * Used by one thread at a time. It shows of concurrent writes what the other cursor shows.
 * <h2>Invariants</h2>
 * <ol>
 * <li>While it is on an entry, the other cursor is on it too, and {@code from <= key < to}.</li>
 * <li>{@code fromPrefix} and {@code toPrefix} are the lengths of the prefixes that the key shares with the
 * bounds.</li>
 * </ol>
 */
public final class BoundedCursor extends DelegatingCursor {
    private static final int UNBOUNDED = -1;

    /*
     * Why a prefix length is enough. Let a key k below the bound share its first p bytes with it, and let the
     * next greater key share its first h bytes with k. If h < p, the next key exceeds k, and so the bound, at
     * byte h. If h > p, it differs from the bound at byte p just as k does. Only h = p needs bytes to be
     * compared, from p on. A move away from a bound keeps min(h, p) in all three cases. Descending to the
     * lower bound is the mirror image. No bound is a prefix of -1, below any h.
     */
    private final EntryCursor cursor;
    private final byte[] from;
    private final byte[] to;
    private int fromPrefix;
    private int toPrefix;
    private boolean valid;

    private BoundedCursor(final EntryCursor cursor, final byte[] from, final byte[] to) {
        this.cursor = cursor;
        this.from = from;
        this.to = to;
    }

    /**
     * Restricts a cursor to a range. If {@code from} is not below {@code to}, the range is empty.
     *
     * @param cursor the cursor, which is moved and closed through the new one only
     * @param fromInclusive smallest key of the range, or null for no lower bound
     * @param toExclusive first key after the range, or null for no upper bound
     * @return an unpositioned cursor
     * @throws NullPointerException if {@code cursor} is null
     */
    public static BoundedCursor of(
        final EntryCursor cursor, final byte[] fromInclusive, final byte[] toExclusive) {
        if (cursor == null) {
            throw new NullPointerException("cursor");
        }
        return new BoundedCursor(
            cursor,
            fromInclusive == null ? null : fromInclusive.clone(),
            toExclusive == null ? null : toExclusive.clone());
    }

    /**
     * Restricts a cursor to the keys that begin with a prefix.
     *
     * @param cursor the cursor, which is moved and closed through the new one only
     * @param prefix the prefix; all keys if it is empty
     * @return an unpositioned cursor
     * @throws NullPointerException if one is null
     */
    public static BoundedCursor ofPrefix(final EntryCursor cursor, final byte[] prefix) {
        return of(cursor, prefix, ByteComparison.prefixEnd(prefix));
    }

    @Override
    public boolean first() {
        valid = false;
        return settle(from == null ? cursor.first() : cursor.seek(from));
    }

    @Override
    public boolean last() {
        valid = false;
        return settle(to == null ? cursor.last() : cursor.seekLowerThan(to));
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        if (from != null && ByteComparison.compare(key, offset, length, from, 0, from.length) < 0) {
            return first();
        }
        valid = false;
        return settle(cursor.seek(key, offset, length));
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        if (to != null && ByteComparison.compare(key, offset, length, to, 0, to.length) > 0) {
            return last();
        }
        valid = false;
        return settle(cursor.seekLowerThan(key, offset, length));
    }

    /** Compares a key found by other means than a step with both bounds. */
    private boolean settle(final boolean found) {
        if (!found) {
            return false;
        }
        fromPrefix = from == null ? UNBOUNDED : prefixWith(from, 0);
        toPrefix = to == null ? UNBOUNDED : prefixWith(to, 0);
        valid = (from == null || !isBelow(from, fromPrefix)) && (to == null || isBelow(to, toPrefix));
        return valid;
    }

    @Override
    public boolean next() {
        if (!valid) {
            return false;
        }
        valid = false;
        if (!cursor.next()) {
            return false;
        }
        final int shared = cursor.commonPrefix();
        if (shared < toPrefix) {
            return false;
        }
        if (shared == toPrefix) {
            toPrefix = prefixWith(to, shared);
            if (!isBelow(to, toPrefix)) {
                return false;
            }
        }
        fromPrefix = Math.min(fromPrefix, shared);
        valid = true;
        return true;
    }

    @Override
    public boolean previous() {
        if (!valid) {
            return false;
        }
        valid = false;
        if (!cursor.previous()) {
            return false;
        }
        final int shared = cursor.commonPrefix();
        if (shared < fromPrefix) {
            return false;
        }
        if (shared == fromPrefix) {
            fromPrefix = prefixWith(from, shared);
            if (isBelow(from, fromPrefix)) {
                return false;
            }
        }
        toPrefix = Math.min(toPrefix, shared);
        valid = true;
        return true;
    }

    /**
     * Returns the length of the prefix that the current key shares with a bound, given that they share the first {@code known}
     * bytes.
     */
    private int prefixWith(final byte[] bound, final int known) {
        return known + ByteComparison.commonPrefix(
            cursor.keyBuffer(), known, cursor.keyLength() - known, bound, known, bound.length - known);
    }

    /** Returns whether the current key sorts before a bound with which it shares exactly {@code prefix} bytes. */
    private boolean isBelow(final byte[] bound, final int prefix) {
        if (prefix == bound.length) {
            return false;
        }
        return prefix == cursor.keyLength()
            || Byte.compareUnsigned(cursor.keyBuffer()[prefix], bound[prefix]) < 0;
    }

    @Override
    public boolean valid() {
        return valid;
    }

    @Override
    public boolean isIncomplete() {
        if (valid || !cursor.isIncomplete()) {
            return false;
        }
        final byte[] key = cursor.continuationKey(); // beyond where the move began: only a move out of the range fails here
        return (from == null || ByteComparison.compare(from, key) < 0) && (to == null || ByteComparison.compare(key, to) < 0);
    }

    @Override
    public byte[] continuationKey() {
        return isIncomplete() ? cursor.continuationKey() : super.continuationKey();
    }

    @Override
    public int commonPrefix() {
        return delegate().commonPrefix();
    }

    @Override
    protected EntryCursor delegate() {
        if (!valid) {
            throw notValid();
        }
        return cursor;
    }

    /** Closes the other cursor. Closing twice does nothing. */
    @Override
    public void close() {
        valid = false;
        cursor.close();
    }
}
