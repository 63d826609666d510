/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.memtable.FragmentTree.Fragment;

/**
 * Caches the fragment of the range tombstones around a cursor's position, so that most keys need no lookup.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class TombstoneWindow {
    private final Fragment fragments;
    private boolean known;
    private byte[] start;
    private byte[] end;
    private long newest;

    /** Creates a window on the range tombstones as of a visible sequence number. */
    TombstoneWindow(final RangeTombstones tombstones, final long visible) {
        this.fragments = tombstones.fragments(visible);
    }

    /** Returns the sequence number of the newest range tombstone that covers a key, or 0. */
    long newestCovering(final byte[] key, final int length) {
        if (fragments == null) {
            return 0;
        }
        if (!known || !contains(key, length)) {
            final Fragment fragment = FragmentTree.at(fragments, key, length);
            final Fragment next = FragmentTree.behind(fragments, key, length);
            start = fragment == null ? null : fragment.start();
            end = next == null ? null : next.start();
            newest = RangeTombstones.newest(fragment);
            known = true;
        }
        return newest;
    }

    private boolean contains(final byte[] key, final int length) {
        return (start == null || ByteComparison.compare(start, 0, start.length, key, 0, length) <= 0)
            && (end == null || ByteComparison.compare(key, 0, length, end, 0, end.length) < 0);
    }
}
