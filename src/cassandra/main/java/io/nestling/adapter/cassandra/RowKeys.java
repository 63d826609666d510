/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.ClusteringPrefix;

/**
 * Keys of the rows of wide partitions: the partition's number, four bytes, then the clustering in Cassandra's byte-comparable
 * form.
 */
final class RowKeys {
    private RowKeys() {
    }

    /** The key of a row, or what parts the rows below a bound from those above it. */
    static void encode(
        final int number, final ClusteringPrefix<?> prefix, final ClusteringComparator comparator,
        final KeyScratch destination) {
        encodeNumber(number, destination);
        ComparablePartitionKeys.append(
            comparator.asByteComparable(prefix).asComparableBytes(ComparablePartitionKeys.VERSION), destination);
    }

    /** What lies before all rows of a partition. */
    static void encodeNumber(final int number, final KeyScratch destination) {
        destination.length = 0;
        for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            destination.append(number >>> shift);
        }
    }
}
