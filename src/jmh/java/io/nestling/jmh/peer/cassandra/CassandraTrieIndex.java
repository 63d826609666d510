/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer.cassandra;

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

    private final InMemoryTrie<Integer> trie = new InMemoryTrie<>(BufferType.OFF_HEAP);
    private final InMemoryTrie.UpsertTransformer<Integer, Integer> replacing = this::replace;
    private Integer before;

    /** Makes an empty index. */
    public CassandraTrieIndex() {
    }

    private Integer replace(final Integer existing, final Integer update) {
        before = existing;
        return update;
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        checkOpen();
        return SharedValues.payload(trie.get(ByteComparable.fixedLength(key, offset, length)));
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        checkEntry(length, payload);
        before = null;
        try {
            trie.putSingleton(ByteComparable.fixedLength(key, offset, length), SharedValues.of(payload), replacing,
                length <= MAX_RECURSIVE_KEY_BYTES);
        } catch (final InMemoryTrie.SpaceExhaustedException e) {
            throw new SpaceExhaustedException("Cassandra's trie is full at " + trie.valuesCount() + " keys and "
                + trie.sizeOffHeap() + " bytes: it has at most 2 GiB");
        }
        return SharedValues.payload(before);
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
     * Everything: the trie spells its keys. On the heap there are references to the values; the values are
     * shared.
     */
    @Override
    public long bytesUsed() {
        checkOpen();
        return trie.sizeOffHeap() + trie.sizeOnHeap();
    }

    @Override
    public long totalBytes() {
        return bytesUsed();
    }

    @Override
    public EntryCursor cursor() {
        checkOpen();
        return new CassandraTrieCursor(trie);
    }

    @Override
    protected void release() {
        trie.discardBuffers();
    }
}
