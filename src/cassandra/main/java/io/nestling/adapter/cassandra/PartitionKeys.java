/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.dht.IPartitioner;
import org.apache.cassandra.dht.Murmur3Partitioner;

/**
 * Translates partition keys to bytes that sort as Cassandra sorts partitions, and back.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
interface PartitionKeys {
    /** Bytes of a key. */
    void encode(DecoratedKey key, KeyScratch destination);

    /** Bytes that part the keys below a position from those above it; those of the key if it is one. */
    void encodePosition(PartitionPosition position, KeyScratch destination);

    /** The key of some bytes, which are copied. */
    DecoratedKey decode(byte[] bytes, int length);

    /** Bytes of the partition key alone, without token. */
    int keyLength(byte[] bytes, int length);

    /** The translation for keys of a partitioner. */
    static PartitionKeys of(final IPartitioner partitioner) {
        return partitioner instanceof Murmur3Partitioner
            ? Murmur3PartitionKeys.INSTANCE : new ComparablePartitionKeys(partitioner);
    }
}
