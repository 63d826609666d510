/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;

import java.util.Arrays;

/**
 * Remembers the fragment of the range tombstones in which a walk is, so that most keys need no lookup.
 * <p>
 * What it remembers stays right: the fragments as of a visible sequence number do not change, they are only
 * split further.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class TombstoneWindow {
    private final RangeTombstones tombstones;
    private final long visible;
    private boolean known;
    private byte[] start;
    private byte[] end;
    private long newest;

    TombstoneWindow(final RangeTombstones tombstones, final long visible) {
        this.tombstones = tombstones;
        this.visible = visible;
    }

    /** The newest range tombstone that covers a key, as of the visible sequence number: its number, or 0. */
    long newestCovering(final byte[] keyBuffer, final int keyLength) {
        if (tombstones.isEmpty()) {
            return 0;
        }
        if (!known || !contains(keyBuffer, keyLength)) {
            final byte[] key = Arrays.copyOf(keyBuffer, keyLength);
            start = tombstones.fragmentStart(key);
            end = tombstones.fragmentEnd(key);
            newest = tombstones.newestCovering(key, visible);
            known = true;
        }
        return newest;
    }

    private boolean contains(final byte[] key, final int length) {
        return (start == null || ByteComparison.compare(start, 0, start.length, key, 0, length) <= 0)
            && (end == null || ByteComparison.compare(key, 0, length, end, 0, end.length) < 0);
    }
}
