/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import java.util.Arrays;

/**
 * Scans a segment again and again for records that were added since the last time.
 * <h2>Thread safety</h2>
 * One thread at a time. Writers may add records meanwhile.
 */
final class SegmentScan {
    private final KeySegment segment;
    private long scanned;
    /* Slots before that one which held no record yet. */
    private long[] open = {};

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
        final long end = segment == null ? 0 : segment.taken();
        final long[] slots = Arrays.copyOf(open, open.length + (int) (end - scanned));
        for (int i = open.length; i < slots.length; i++) {
            slots[i] = scanned++;
        }
        final long[] found = new long[slots.length];
        int count = 0;
        int stillOpen = 0;
        for (final long slot : slots) {
            final long record = segment.record(slot);
            if (record > 0) {
                found[count++] = record;
            } else {
                slots[stillOpen++] = slot;
            }
        }
        open = Arrays.copyOf(slots, stillOpen);
        final KeyEntries entries = KeyEntries.onHeap(count);
        for (int i = 0; i < count; i++) {
            entries.set(i, 0, found[i]);
        }
        return entries;
    }
}
