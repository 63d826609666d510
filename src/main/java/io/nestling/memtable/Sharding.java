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
import java.util.List;
import java.util.Objects;

/**
 * The rule by which the keys of a memtable are distributed over its shards.
 * <h2>Thread safety</h2>
 * Immutable: any thread.
 */
public final class Sharding {
    /* Fewer sampled keys a range tell little about the next memtable. */
    private static final int MIN_KEYS_OF_RANGE = 3;
    private static final int MOST_SHARE = 2;
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
     * Returns a sharding by ranges for the next memtable of a store, learned from those that it flushed before: scans then meet
     * one shard after the other, at about the speed of a single shard, while writes of keys that are distributed as before go to
     * all shards alike. If the ranges learned from the flush before the last would have given one shard more than {@value
     * #MOST_SHARE} times its part of the last flush's keys, the keys move on, as ascending ones do; then the sharding is by hash,
     * so that writers do not meet in one shard. It is by hash, too, for one shard, and where a sample has fewer than {@value
     * #MIN_KEYS_OF_RANGE} keys for each shard: always for more than 85 shards, since a sample has at most {@value
     * KeySample#MAX_KEYS}. Keys that come otherwise than before are held all the same, at worst all of them in one shard.
     * <p>
     * The memtable's options name the same number of shards, as a sharding by hash does not tell one.
     *
     * @param shards number of shards, 1 to {@link MemtableOptions#MAX_SHARDS}
     * @param flushes results of the latest flushes, oldest first; the last two are used, and with fewer the sharding is by hash
     * @return the sharding
     * @throws NullPointerException if one of the last two results is null
     * @throws IllegalArgumentException if the number of shards is out of range
     */
    public static Sharding learned(final int shards, final List<FlushResult> flushes) {
        if (shards < 1 || shards > MemtableOptions.MAX_SHARDS) {
            throw new IllegalArgumentException(
                "expected shards of 1 to " + MemtableOptions.MAX_SHARDS + " but was " + shards);
        }
        if (shards == 1 || flushes.size() < 2) {
            return BY_HASH;
        }
        final KeySample before = flushes.get(flushes.size() - 2).keys();
        final KeySample last = flushes.get(flushes.size() - 1).keys();
        if (Math.min(before.size(), last.size()) < MIN_KEYS_OF_RANGE * shards) {
            return BY_HASH;
        }
        final int most = last.mostInOneRange(new Sharding(before.boundaries(shards)));
        return most > MOST_SHARE * last.size() / shards ? BY_HASH : new Sharding(last.boundaries(shards));
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
