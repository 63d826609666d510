/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import io.nestling.bytes.ByteComparison;
import io.nestling.bytes.KeyChunk;
import io.nestling.index.KeyBufferCursor;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.RecordStore;

/**
 * A cursor over a sorted run. Its payloads are the pointers of the run's records, which need not be
 * the newest ones. It prefetches the records a few steps ahead.
 * <h2>Thread safety</h2>
 * One thread, within a guard in which the run was found.
 */
final class KeyRunCursor extends KeyBufferCursor {
    private static final int AHEAD = 8;

    private final RecordStore records;
    private final KeyEntries entries;
    private byte[] spareKey = new byte[key.length];
    private long at;

    KeyRunCursor(final RecordStore records, final KeyEntries entries) {
        this.records = records;
        this.entries = entries;
    }

    @Override
    public boolean first() {
        return enter(0, 1);
    }

    @Override
    public boolean last() {
        return enter(entries.size() - 1, -1);
    }

    @Override
    public boolean seek(final byte[] target, final int offset, final int length) {
        return enter(lowerBound(records, entries, target, offset, length), 1);
    }

    @Override
    public boolean seekLowerThan(final byte[] target, final int offset, final int length) {
        return enter(lowerBound(records, entries, target, offset, length) - 1, -1);
    }

    /** Returns the position of the first key at or above a given one. */
    static long lowerBound(
        final KeySource keys, final KeyEntries entries, final byte[] target, final int offset, final int length) {
        final long prefix = KeyChunk.at(target, offset, length, 0);
        long low = 0;
        long high = entries.size();
        while (low < high) {
            final long middle = low + high >>> 1;
            final int byPrefix = Long.compareUnsigned(entries.prefix(middle), prefix);
            if (byPrefix < 0
                || byPrefix == 0 && keys.compareKey(entries.record(middle), target, offset, length) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean enter(final long position, final int direction) {
        for (int i = 1; i < AHEAD; i++) {
            prefetch(position + (long) direction * i);
        }
        return moveTo(position, 0, direction);
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
        valid = position >= 0 && position < entries.size();
        if (!valid) {
            return false;
        }
        prefetch(position + (long) direction * AHEAD);
        final long record = entries.record(position);
        final int length = records.copyKeyIfFits(record, spareKey);
        if (spareKey.length < length) {
            spareKey = new byte[Math.max(length, 2 * spareKey.length)];
            records.copyKey(record, spareKey, 0);
        }
        final int shared = Math.min(prefixLimit, Math.min(keyLength, length));
        commonPrefix = prefixLimit == 0 ? 0 : ByteComparison.commonPrefix(key, 0, shared, spareKey, 0, shared);
        final byte[] before = key;
        key = spareKey;
        spareKey = before;
        keyLength = length;
        at = position;
        return true;
    }

    private void prefetch(final long position) {
        if (position >= 0 && position < entries.size()) {
            records.prefetch(entries.record(position));
        }
    }

    @Override
    public long payload() {
        checkValid();
        return entries.record(at);
    }

    @Override
    public void close() {
        valid = false;
    }
}
