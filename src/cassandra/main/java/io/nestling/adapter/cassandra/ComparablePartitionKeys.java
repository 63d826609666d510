/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.BufferDecoratedKey;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.dht.IPartitioner;
import org.apache.cassandra.utils.bytecomparable.ByteComparable;
import org.apache.cassandra.utils.bytecomparable.ByteSource;

import java.util.Arrays;

/** Encodes keys of any partitioner in Cassandra's byte-comparable form. */
final class ComparablePartitionKeys implements PartitionKeys {
    static final ByteComparable.Version VERSION = ByteComparable.Version.OSS50;

    private final IPartitioner partitioner;

    ComparablePartitionKeys(final IPartitioner partitioner) {
        this.partitioner = partitioner;
    }

    @Override
    public void encode(final DecoratedKey key, final KeyScratch destination) {
        encodePosition(key, destination);
    }

    @Override
    public void encodePosition(final PartitionPosition position, final KeyScratch destination) {
        destination.length = 0;
        append(position.asComparableBytes(VERSION), destination);
    }

    static void append(final ByteSource source, final KeyScratch destination) {
        for (int b = source.next(); b != ByteSource.END_OF_STREAM; b = source.next()) {
            destination.append(b);
        }
    }

    @Override
    public DecoratedKey decode(final byte[] bytes, final int length) {
        final byte[] copy = Arrays.copyOf(bytes, length);
        return BufferDecoratedKey.fromByteComparable(ByteComparable.fixedLength(copy), VERSION, partitioner);
    }

    @Override
    public int keyLength(final byte[] bytes, final int length) {
        return decode(bytes, length).getKeyLength();
    }
}
