/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer.cassandra;

import io.nestling.jmh.peer.PeerCursor;

import java.util.Arrays;

import org.apache.cassandra.db.tries.Trie;
import org.apache.cassandra.utils.bytecomparable.ByteComparable;

/** Walks the trie, or the part of it from a key on, by an iterator. Cassandra 5.0 walks forward only. */
final class CassandraTrieCursor extends PeerCursor {
    private final CassandraTrieIndex index;
    private final Trie<Object> trie;
    private Entries entries;
    private boolean stepped;

    CassandraTrieCursor(final CassandraTrieIndex index, final Trie<Object> trie) {
        this.index = index;
        this.trie = trie;
    }

    @Override
    public boolean first() {
        return start(trie);
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        return start(trie.subtrie(ByteComparable.fixedLength(key, offset, length), true, null, false));
    }

    private boolean start(final Trie<Object> part) {
        checkOpen();
        entries = new Entries(part);
        stepped = false;
        return moved(entries.advance());
    }

    @Override
    public boolean next() {
        if (!valid()) {
            return false;
        }
        stepped = true;
        return moved(entries.advance());
    }

    @Override
    public boolean last() {
        throw forwardOnly();
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        throw forwardOnly();
    }

    @Override
    public boolean previous() {
        throw forwardOnly();
    }

    private static UnsupportedOperationException forwardOnly() {
        return new UnsupportedOperationException("Cassandra's trie is walked forward only");
    }

    @Override
    public byte[] keyBuffer() {
        checkValid();
        return entries.keyBuffer();
    }

    @Override
    public int keyLength() {
        checkValid();
        return entries.keyLength();
    }

    @Override
    public byte[] key() {
        checkValid();
        return Arrays.copyOf(entries.keyBuffer(), entries.keyLength());
    }

    @Override
    public int commonPrefix() {
        checkValid();
        return stepped ? entries.commonPrefix() : 0;
    }

    @Override
    public byte[] value() {
        checkValid();
        return index.valueOf(entries.value());
    }

    @Override
    public long payload() {
        checkValid();
        return index.payloadOf(entries.value());
    }
}
