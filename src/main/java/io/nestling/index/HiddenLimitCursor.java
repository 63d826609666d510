/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.Arrays;
import java.util.Objects;

/**
 * A cursor over the values of another cursor, which shows hidden entries, too, as tombstones. A move passes a limited number of
 * hidden entries; a move that meets more of them is incomplete ({@link EntryCursor#isIncomplete}).
 * <p> It stands above the cursor that merges, so that one limit counts the hidden entries of all inputs, in key order. With the
 * same content a move stops at the same key, however the entries are spread over the inputs.
 * <h2>Thread safety</h2>
 * Used by one thread at a time. It shows of concurrent writes what the other cursor shows.
 * <h2>Invariants</h2>
 * <ol>
 * <li>While it is on an entry, the other cursor is on it, too.</li>
 * <li>The continuation key is null unless the last move that positioned it was incomplete.</li>
 * </ol>
 * <h2>Pedigree</h2> RocksDB's {@code max_skippable_internal_keys} ends an iterator as incomplete; a continuation key is what the
 * Record Layer of FoundationDB calls a continuation.
 */
public final class HiddenLimitCursor extends DelegatingCursor {
    private final EntryCursor cursor;
    private final int limit;
    private boolean valid;
    private int commonPrefix;
    private byte[] continuationKey;

    private HiddenLimitCursor(final EntryCursor cursor, final int limit) {
        this.cursor = cursor;
        this.limit = limit;
    }

    /**
     * Limits the hidden entries that a move passes.
     *
     * @param cursor shows values and, as tombstones, hidden entries; it is moved and closed through the new one only
     * @param limit hidden entries that a move may pass
     * @return an unpositioned cursor over the values
     * @throws IllegalArgumentException if the limit is below 1
     */
    public static HiddenLimitCursor of(final EntryCursor cursor, final int limit) {
        return new HiddenLimitCursor(Objects.requireNonNull(cursor, "cursor"), checkLimit(limit));
    }

    /**
     * Checks a limit of hidden entries.
     *
     * @param limit the limit
     * @return the limit
     * @throws IllegalArgumentException if it is below 1, since a move must pass an entry to get on
     */
    public static int checkLimit(final int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("expected a limit of at least 1 hidden entry but was " + limit);
        }
        return limit;
    }

    @Override
    public boolean first() {
        leave();
        return settle(cursor.first(), true);
    }

    @Override
    public boolean last() {
        leave();
        return settle(cursor.last(), false);
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        leave();
        return settle(cursor.seek(key, offset, length), true);
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        leave();
        return settle(cursor.seekLowerThan(key, offset, length), false);
    }

    @Override
    public boolean next() {
        if (!valid) {
            return false;
        }
        leave();
        return settle(cursor.next(), true);
    }

    @Override
    public boolean previous() {
        if (!valid) {
            return false;
        }
        leave();
        return settle(cursor.previous(), false);
    }

    private void leave() {
        valid = false; // stays so if the move throws
        continuationKey = null;
    }

    /** Passes hidden entries until the other cursor is on a value, at its end, or on a hidden entry beyond the limit. */
    private boolean settle(final boolean found, final boolean forward) {
        commonPrefix = Integer.MAX_VALUE;
        boolean present = found;
        for (int passed = 0; present; passed++) {
            commonPrefix = Math.min(commonPrefix, cursor.commonPrefix());
            if (cursor.kind() == EntryKind.VALUE) {
                valid = true;
                return true;
            }
            if (passed == limit) {
                final byte[] key = cursor.key();
                continuationKey = forward ? key : Arrays.copyOf(key, key.length + 1); // the smallest key above it
                return false;
            }
            present = forward ? cursor.next() : cursor.previous();
        }
        return false;
    }

    @Override
    public boolean valid() {
        return valid;
    }

    @Override
    public boolean isIncomplete() {
        return continuationKey != null;
    }

    @Override
    public byte[] continuationKey() {
        if (continuationKey == null) {
            return super.continuationKey();
        }
        return continuationKey.clone();
    }

    @Override
    public int commonPrefix() {
        delegate();
        return commonPrefix;
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
        leave();
        cursor.close();
    }
}
