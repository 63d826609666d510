/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import io.nestling.bytes.KeyChunk;
import io.nestling.index.SortedKeysCursor;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.RecordStore;

/**
 * A cursor over a sorted run. Its payloads are the pointers of the run's records, which need not be
 * the newest ones. It prefetches the records a few steps ahead.
 * <h2>Thread safety</h2>
 * One thread, within a guard in which the run was found.
 */
final class KeyRunCursor extends SortedKeysCursor {
    private static final int AHEAD = 8;

    private final RecordStore records;
    private final KeyEntries entries;

    KeyRunCursor(final RecordStore records, final KeyEntries entries) {
        super(records);
        this.records = records;
        this.entries = entries;
    }

    @Override
    protected long size() {
        return entries.size();
    }

    @Override
    protected long payloadAt(final long position) {
        return entries.record(position);
    }

    @Override
    protected long lowerBound(final byte[] target, final int offset, final int length) {
        return lowerBound(records, entries, target, offset, length);
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

    @Override
    protected void prefetchAhead(final long position, final int direction, final boolean positioned) {
        for (int i = positioned ? 1 : AHEAD; i <= AHEAD; i++) {
            final long ahead = position + (long) direction * i;
            if (ahead >= 0 && ahead < entries.size()) {
                records.prefetch(entries.record(ahead));
            }
        }
    }
}
