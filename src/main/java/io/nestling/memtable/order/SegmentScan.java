/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import java.util.Arrays;

/**
 * Scans a segment again and again for records that were added since the last time. It remembers, for each chunk that is not
 * full yet, which of its slots were found.
 * <h2>Thread safety</h2>
 * One thread at a time. Writers may add records meanwhile.
 */
final class SegmentScan {
    private static final int INITIAL_CHUNKS = 8;
    private static final int ALL_FOUND = -1;

    private final KeySegment segment;
    private long scanned;
    private long[] openChunks = new long[INITIAL_CHUNKS];
    private int[] foundSlots = new int[INITIAL_CHUNKS];
    private int openCount;

    /** Creates a scan of a segment, or of nothing if it is null. */
    SegmentScan(final KeySegment segment) {
        this.segment = segment;
    }

    /** Returns the segment, or null. */
    KeySegment segment() {
        return segment;
    }

    /** Returns the records that were not found before, on the heap and unsorted. */
    KeyEntries newKeys() {
        long[] found = new long[KeySegment.CHUNK_ENTRIES];
        int count = 0;
        int stillOpen = 0;
        openChunks();
        for (int chunk = 0; chunk < openCount; chunk++) {
            int slots = foundSlots[chunk];
            for (int i = 0; i < KeySegment.CHUNK_ENTRIES; i++) {
                final long record = (slots >>> i & 1) == 0 ? segment.record(openChunks[chunk] + i) : 0;
                if (record > 0) {
                    if (count == found.length) {
                        found = Arrays.copyOf(found, 2 * count);
                    }
                    found[count++] = record;
                    slots |= 1 << i;
                }
            }
            if (slots != ALL_FOUND) {
                openChunks[stillOpen] = openChunks[chunk];
                foundSlots[stillOpen++] = slots;
            }
        }
        openCount = stillOpen;
        final KeyEntries entries = KeyEntries.onHeap(count);
        for (int i = 0; i < count; i++) {
            entries.set(i, 0, found[i]);
        }
        return entries;
    }

    private void openChunks() {
        for (final long end = segment == null ? 0 : segment.taken(); scanned < end; scanned += KeySegment.CHUNK_ENTRIES) {
            if (openCount == openChunks.length) {
                foundSlots = Arrays.copyOf(foundSlots, 2 * openCount);
                openChunks = Arrays.copyOf(openChunks, 2 * openCount);
            }
            openChunks[openCount] = scanned;
            foundSlots[openCount++] = 0;
        }
    }
}
