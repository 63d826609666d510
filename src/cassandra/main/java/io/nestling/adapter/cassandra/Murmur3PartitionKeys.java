/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.index.PointIndex;
import org.apache.cassandra.db.BufferDecoratedKey;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Token;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Encodes keys of the Murmur3 partitioner: the token with its sign flipped, eight bytes, and the bytes of the key. */
final class Murmur3PartitionKeys implements PartitionKeys {
    static final PartitionKeys INSTANCE = new Murmur3PartitionKeys();

    private static final VarHandle LONG =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN).withInvokeExactBehavior();

    private Murmur3PartitionKeys() {
    }

    @Override
    public void encode(final DecoratedKey key, final KeyScratch destination) {
        final ByteBuffer bytes = key.getKey();
        final int keyLength = bytes.remaining();
        destination.reserve(Long.BYTES + keyLength);
        LONG.set(destination.bytes, 0, key.getToken().getLongValue() ^ Long.MIN_VALUE);
        bytes.get(bytes.position(), destination.bytes, Long.BYTES, keyLength);
        destination.length = Long.BYTES + keyLength;
    }

    @Override
    public void encodePosition(final PartitionPosition position, final KeyScratch destination) {
        if (position instanceof DecoratedKey) {
            encode((DecoratedKey) position, destination);
            return;
        }
        final long token = position.getToken().getLongValue();
        destination.reserve(Long.BYTES + 1);
        destination.length = Long.BYTES;
        if (((Token.KeyBound) position).isMinimumBound) {
            LONG.set(destination.bytes, 0, token ^ Long.MIN_VALUE);
        } else if (token != Long.MAX_VALUE) {
            LONG.set(destination.bytes, 0, token + 1 ^ Long.MIN_VALUE);
        } else {
            // Sorts after all keys, which are shorter.
            destination.reserve(PointIndex.MAX_KEY_BYTES);
            destination.length = PointIndex.MAX_KEY_BYTES;
            Arrays.fill(destination.bytes, 0, destination.length, (byte) 0xFF);
        }
    }

    @Override
    public DecoratedKey decode(final byte[] bytes, final int length) {
        return new BufferDecoratedKey(
            new Murmur3Partitioner.LongToken((long) LONG.get(bytes, 0) ^ Long.MIN_VALUE),
            ByteBuffer.wrap(Arrays.copyOfRange(bytes, Long.BYTES, length)));
    }

    @Override
    public int keyLength(final byte[] bytes, final int length) {
        return length - Long.BYTES;
    }
}
