/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.bytes.ByteComparison;

import java.util.ArrayList;
import java.util.List;

/**
 * Ranges of keys as bounds in ascending order: keys from bound 0 on and below bound 1 are inside, those below bound 2 are
 * outside, and so on. A key is inside if an odd number of bounds is at or below it.
 * <h2>Thread safety</h2>
 * Immutable.
 */
final class RangeBounds {
    private final byte[][] bounds;
    /* Number of leading bytes that a bound shares with the one before. */
    private final int[] shared;

    RangeBounds(final List<KeyRange> ranges) {
        bounds = join(ranges).toArray(new byte[0][]);
        shared = new int[bounds.length];
        for (int i = 1; i < bounds.length; i++) {
            final byte[] before = bounds[i - 1];
            shared[i] = ByteComparison.commonPrefix(before, 0, before.length, bounds[i], 0, bounds[i].length);
        }
    }

    private static List<byte[]> join(final List<KeyRange> ranges) {
        final List<KeyRange> sorted = new ArrayList<>(ranges);
        sorted.sort((left, right) -> ByteComparison.compare(from(left), from(right)));
        final List<byte[]> bounds = new ArrayList<>();
        for (final KeyRange range : sorted) {
            final byte[] from = from(range);
            final byte[] to = range.toExclusive();
            if (to != null && ByteComparison.compare(from, to) >= 0) {
                continue;
            }
            final int count = bounds.size();
            if (count % 2 == 1) {
                break; // the last range has no end
            }
            if (count == 0 || ByteComparison.compare(bounds.get(count - 1), from) < 0) {
                bounds.add(from);
                if (to != null) {
                    bounds.add(to);
                }
            } else if (to == null) {
                bounds.remove(count - 1);
            } else if (ByteComparison.compare(bounds.get(count - 1), to) < 0) {
                bounds.set(count - 1, to);
            }
        }
        return bounds;
    }

    private static byte[] from(final KeyRange range) {
        return range.fromInclusive() == null ? new byte[0] : range.fromInclusive();
    }

    int count() {
        return bounds.length;
    }

    int length(final int bound) {
        return bounds[bound].length;
    }

    int byteAt(final int bound, final int index) {
        return bounds[bound][index] & 0xFF;
    }

    /** Returns the number of leading bytes that a bound other than the first shares with the one before. */
    int sharedWithBefore(final int bound) {
        return shared[bound];
    }
}
