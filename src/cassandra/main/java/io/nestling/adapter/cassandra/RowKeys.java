/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.ClusteringPrefix;

/**
 * Encodes keys of the rows of wide partitions: the partition's number, four bytes, then the clustering in Cassandra's
 * byte-comparable form.
 */
final class RowKeys {
    private RowKeys() {
    }

    /** Encodes the key of a row, or the bytes that separate the rows below a bound from those above it. */
    static void encode(
        final int number, final ClusteringPrefix<?> prefix, final ClusteringComparator comparator,
        final KeyScratch destination) {
        encodeNumber(number, destination);
        ComparablePartitionKeys.append(
            comparator.asByteComparable(prefix).asComparableBytes(ComparablePartitionKeys.VERSION), destination);
    }

    /** Encodes the prefix of all rows of a partition, which sorts before them. */
    static void encodeNumber(final int number, final KeyScratch destination) {
        destination.length = 0;
        for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            destination.append(number >>> shift);
        }
    }
}
