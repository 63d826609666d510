/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer.cassandra;

import io.nestling.bench.Values;
import io.nestling.index.EntryCursor;
import io.nestling.jmh.peer.PeerIndex;
import io.nestling.jmh.peer.SharedValues;
import io.nestling.memory.SpaceExhaustedException;

import org.apache.cassandra.db.tries.InMemoryTrie;
import org.apache.cassandra.io.compress.BufferType;
import org.apache.cassandra.utils.bytecomparable.ByteComparable;

/**
 * Cassandra's memtable trie with its structure off heap and its values, as it must, on the heap. Works with
 * the classes of Cassandra 5.0 and 6.0, whichever its class loader finds.
 * <h2>Thread safety</h2>
 * One writer and many readers. Close needs the end of all other use.
 */
public final class CassandraTrieIndex extends PeerIndex {
    /** Up to here Cassandra's memtable puts by recursion, the faster way. */
    private static final int MAX_RECURSIVE_KEY_BYTES = 128;

    private final InMemoryTrie<Object> trie = new InMemoryTrie<>(BufferType.OFF_HEAP);
    private final InMemoryTrie.UpsertTransformer<Object, Object> replacing = this::replace;
    private Object before;

    /** True if values are shared objects, not arrays. */
    private final boolean shared;

    /**
     * Makes an empty index.
     *
     * @param valueBytes length of the values, arrays of their own; 0 for shared objects
     */
    public CassandraTrieIndex(final int valueBytes) {
        super(valueBytes == 0 ? Values.MIN_BYTES : valueBytes);
        shared = valueBytes == 0;
    }

    /** The payload of an object of the trie. */
    long payloadOf(final Object value) {
        return shared ? SharedValues.payload((Integer) value) : payload((byte[]) value);
    }

    /** The value of an object of the trie. */
    byte[] valueOf(final Object value) {
        return shared ? value((Integer) value) : (byte[]) value;
    }

    private Object replace(final Object existing, final Object update) {
        before = existing;
        return update;
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        checkOpen();
        return payloadOf(trie.get(ByteComparable.fixedLength(key, offset, length)));
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        checkEntry(length, payload);
        before = null;
        try {
            final Object value = shared ? SharedValues.of(payload) : value(payload);
            trie.putSingleton(ByteComparable.fixedLength(key, offset, length), value, replacing,
                length <= MAX_RECURSIVE_KEY_BYTES);
        } catch (final InMemoryTrie.SpaceExhaustedException e) {
            throw new SpaceExhaustedException("Cassandra's trie is full at " + trie.valuesCount() + " keys and "
                + trie.sizeOffHeap() + " bytes: it has at most 2 GiB");
        }
        return payloadOf(before);
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        throw new UnsupportedOperationException("Cassandra's trie does not remove keys");
    }

    @Override
    public long entryCount() {
        checkOpen();
        return trie.valuesCount();
    }

    /**
     * Everything but the values: the trie spells its keys. On the heap are references to the values.
     */
    @Override
    public long bytesUsed() {
        checkOpen();
        return trie.sizeOffHeap() + trie.sizeOnHeap();
    }

    @Override
    public long totalBytes() {
        return bytesUsed() + (shared ? 0 : entryCount() * valueArrayBytes());
    }

    @Override
    public EntryCursor cursor() {
        checkOpen();
        return new CassandraTrieCursor(this, trie);
    }

    @Override
    protected void release() {
        trie.discardBuffers();
    }
}
