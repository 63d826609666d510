/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.dht.AbstractBounds;
import org.apache.cassandra.dht.Bounds;
import org.apache.cassandra.dht.IncludingExcludingBounds;
import org.apache.cassandra.dht.Range;

import java.util.Arrays;

/**
 * A range of encoded partition keys.
 *
 * @param from first key of the range; null if unbounded
 * @param to first key after the range; null if unbounded
 */
record PartitionRange(byte[] from, byte[] to) {
    static final PartitionRange ALL = new PartitionRange(null, null);

    /** Returns the range of a read. */
    static PartitionRange of(final AbstractBounds<PartitionPosition> bounds, final PartitionKeys keys) {
        final boolean both = bounds instanceof Bounds;
        final boolean withStart = both || bounds instanceof IncludingExcludingBounds;
        final boolean withEnd = both || bounds instanceof Range;
        return new PartitionRange(bound(bounds.left, !withStart, keys), bound(bounds.right, withEnd, keys));
    }

    /** Returns the range from one position, inclusive, to another, exclusive. */
    static PartitionRange of(final PartitionPosition from, final PartitionPosition to, final PartitionKeys keys) {
        return new PartitionRange(bound(from, false, keys), bound(to, false, keys));
    }

    private static byte[] bound(final PartitionPosition position, final boolean after, final PartitionKeys keys) {
        if (position == null || position.isMinimum()) {
            return null;
        }
        final KeyScratch scratch = new KeyScratch();
        keys.encodePosition(position, scratch);
        // The next key after a key is the key followed by a zero.
        return Arrays.copyOf(scratch.bytes, after ? scratch.length + 1 : scratch.length);
    }

    /** Returns whether a key is before the end of the range. */
    boolean reaches(final byte[] key, final int length) {
        return to == null || Arrays.compareUnsigned(key, 0, length, to, 0, to.length) < 0;
    }
}
