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
 * Encodes partition keys as bytes that sort as Cassandra sorts partitions, and decodes them.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
interface PartitionKeys {
    /** Encodes a key. */
    void encode(DecoratedKey key, KeyScratch destination);

    /** Encodes a position: the bytes separate the keys below it from those above; if it is a key, they are those of the key. */
    void encodePosition(PartitionPosition position, KeyScratch destination);

    /** Decodes a key from bytes, which are copied. */
    DecoratedKey decode(byte[] bytes, int length);

    /** Returns the length of the encoded partition key without the token. */
    int keyLength(byte[] bytes, int length);

    /** Returns the encoding of a partitioner's keys. */
    static PartitionKeys of(final IPartitioner partitioner) {
        return partitioner instanceof Murmur3Partitioner
            ? Murmur3PartitionKeys.INSTANCE : new ComparablePartitionKeys(partitioner);
    }
}
