/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.cuckoo;

/**
 * Linear hashing: maps a hash to one of {@code n} buckets, for any {@code n}, so that a table grows by one
 * bucket at a time and each step moves the nodes of one bucket only.
 * <p>
 * With {@code n} between {@code 2^k} and {@code 2^(k+1)}, the low {@code k + 1} bits of a hash are its bucket
 * if there is such a bucket, else the low {@code k} bits are. The step from {@code n} to {@code n + 1} buckets
 * adds bucket {@code n}, which takes its nodes from bucket {@code n - 2^k} alone: those whose hash has bit
 * {@code k} set. The step back returns them.
 * <p>
 * Example: of 6 buckets, hash {@code 0b1101} belongs to bucket 5 (its low three bits); hash {@code 0b1111} to bucket
 * 3, because there is no bucket 7 yet.
 * <h2>Thread safety</h2>
 * Stateless. A reader that computed a bucket from a number of buckets that has changed since may look into the node's
 * former bucket. It reads the number again and looks once more before it reports a miss.
 * <p>
 * Scheme: W. Litwin, Linear Hashing: A New Tool for File and Table Addressing, VLDB 1980.
 */
public final class BucketAddressing {
    private BucketAddressing() {
    }

    /** Returns the bucket of a hash, 0 to {@code buckets - 1}; only low bits of the hash count. */
    public static long bucketOf(final long hash, final long buckets) {
        final long high = Long.highestOneBit(buckets);
        final long bucket = hash & (high << 1) - 1;
        // Without a branch, which would be unpredictable: the mask is all ones if this bucket exists.
        return bucket & (high - 1 | bucket - buckets >> Long.SIZE - 1);
    }

    /**
     * Returns the bucket from which a new last bucket takes its nodes, and to which they return: its number without the highest
     * bit.
     */
    public static long splitFrom(final long bucket) {
        return bucket & ~Long.highestOneBit(bucket);
    }

    /** Returns the bit of a hash that decides whether its node moves to a new last bucket when {@link #splitFrom} is split. */
    public static long splitBit(final long bucket) {
        return Long.highestOneBit(bucket);
    }
}
