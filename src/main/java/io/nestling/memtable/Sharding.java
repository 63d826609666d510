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
 * The rule by which the keys of a memtable are distributed over its shards.
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
     * Returns a sharding that distributes keys evenly by a secret hash. Scans merge the shards.
     *
     * @return the sharding
     */
    public static Sharding byHash() {
        return BY_HASH;
    }

    /**
     * Returns a sharding in which each shard holds a range of keys. Scans go from shard to shard.
     *
     * @param boundaries first keys of the second and all later shards, ascending: one fewer than shards
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
                throw new IllegalArgumentException("expected boundary " + i + " of at most " + PointIndex.MAX_KEY_BYTES
                    + " bytes but was " + copy[i].length);
            }
            if (i > 0 && ByteComparison.compare(copy[i - 1], copy[i]) >= 0) {
                throw new IllegalArgumentException("expected boundary " + i + " above the one before, "
                    + Arrays.toString(copy[i - 1]) + ", but was " + Arrays.toString(copy[i]));
            }
        }
        return new Sharding(copy);
    }

    /**
     * Returns whether each shard holds a range of keys.
     *
     * @return false if keys are distributed by hash
     */
    public boolean isByRanges() {
        return boundaries != null;
    }

    /** Returns the number of ranges, of a sharding by ranges. */
    int rangeCount() {
        return boundaries.length + 1;
    }

    /** Returns the shard of a key. The hash is not that of an index: to an index the keys of one shard must look random. */
    int shardOf(final byte[] key, final int offset, final int length, final int shards, final KeyHash keyHash) {
        if (shards == 1) {
            return 0;
        }
        return boundaries == null
            ? Hashing.reduce(keyHash.hash(key, offset, length), shards)
            : rangeOf(key, offset, length);
    }

    /** Returns the shard of a key, of a sharding by ranges. */
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
