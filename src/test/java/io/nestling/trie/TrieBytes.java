/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import io.nestling.index.IndexContext;

import java.util.HexFormat;

/** A trie whose keys are written in hexadecimal digits, and the bytes that it lies in. */
final class TrieBytes implements AutoCloseable {
    private static final HexFormat HEX = HexFormat.of();

    private final InMemoryTrie trie = new InMemoryTrie(IndexContext.standalone(16L << 20));

    InMemoryTrie trie() {
        return trie;
    }

    TrieNodes nodes() {
        return trie.nodes;
    }

    long put(final String key, final long payload) {
        final byte[] bytes = HEX.parseHex(key);
        return trie.put(bytes, 0, bytes.length, payload);
    }

    long remove(final String key) {
        final byte[] bytes = HEX.parseHex(key);
        return trie.remove(bytes, 0, bytes.length);
    }

    long get(final String key) {
        final byte[] bytes = HEX.parseHex(key);
        return trie.get(bytes, 0, bytes.length);
    }

    /** Bytes of the slab as digits. */
    String hex(final long offset, final int length) {
        final byte[] bytes = new byte[length];
        nodes().slab().getBytes(offset, bytes, 0, length);
        return HEX.formatHex(bytes);
    }

    /** A pointer as it lies in memory. */
    String pointerHex(final int pointer) {
        return HEX.toHexDigits(Integer.reverseBytes(pointer));
    }

    @Override
    public void close() {
        trie.close();
    }
}
