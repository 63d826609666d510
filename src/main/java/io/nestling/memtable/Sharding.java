/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.bytes.Hashing;
import io.nestling.bytes.KeyHash;
import io.nestling.index.PointIndex;

import java.util.Arrays;
import java.util.Objects;

/**
 * How keys are spread over the shards of a memtable.
 * <h2>Thread safety</h2>
 * Immutable: any thread.
 */
public final class Sharding {
    private static final Sharding BY_HASH = new Sharding(null);

    private final byte[][] boundaries;

    private Sharding(final byte[][] boundaries) {
        this.boundaries = boundaries;
    }

    /**
     * Spreads keys evenly by a hash. Scans merge the shards.
     *
     * @return the sharding
     */
    public static Sharding byHash() {
        return BY_HASH;
    }

    /**
     * Gives each shard a range of keys. Scans go from shard to shard.
     *
     * @param boundaries first keys of the second and all later shards, ascending; there is one shard more
     *     than boundaries
     * @return the sharding
     * @throws NullPointerException if a boundary is null
     * @throws IllegalArgumentException if a boundary is not above the one before, or longer than a key may be
     */
    public static Sharding byRanges(final byte[]... boundaries) {
        Objects.requireNonNull(boundaries, "boundaries");
        final byte[][] copy = new byte[boundaries.length][];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = Objects.requireNonNull(boundaries[i], "boundaries[" + i + "]").clone();
            if (copy[i].length > PointIndex.MAX_KEY_BYTES) {
                throw new IllegalArgumentException(
                    "boundary " + i + " has " + copy[i].length + " bytes, a key at most "
                    + PointIndex.MAX_KEY_BYTES);
            }
            if (i > 0 && ByteComparison.compare(copy[i - 1], copy[i]) >= 0) {
                throw new IllegalArgumentException(
                    "boundary " + i + " " + Arrays.toString(copy[i]) + " is not above the one before, "
                        + Arrays.toString(copy[i - 1]));
            }
        }
        return new Sharding(copy);
    }

    /**
     * Tells whether shards hold ranges.
     *
     * @return false if keys are spread by hash
     */
    public boolean isByRanges() {
        return boundaries != null;
    }

    /** Number of shards that the boundaries ask for; only of a sharding by ranges. */
    int rangeCount() {
        return boundaries.length + 1;
    }

    /** The shard of a key; the hash is not that of an index, to which the keys of one shard have to look random. */
    int shardOf(final byte[] key, final int offset, final int length, final int shards, final KeyHash keyHash) {
        if (shards == 1) {
            return 0;
        }
        return boundaries == null
            ? Hashing.reduce(keyHash.hash(key, offset, length), shards)
            : rangeOf(key, offset, length);
    }

    /** The shard of a key; only of a sharding by ranges. */
    int rangeOf(final byte[] key, final int offset, final int length) {
        int low = 0;
        int high = boundaries.length;
        while (low < high) {
            final int middle = (low + high) >>> 1;
            final byte[] boundary = boundaries[middle];
            if (ByteComparison.compare(boundary, 0, boundary.length, key, offset, length) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public String toString() {
        return boundaries == null ? "by hash" : "by " + rangeCount() + " ranges";
    }
}
