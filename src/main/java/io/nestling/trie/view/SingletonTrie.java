/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.index.Direction;
import io.nestling.index.EntryArguments;
import io.nestling.index.PointIndex;

/** A trie of one key, or of none. */
final class SingletonTrie implements Trie {
    static final Trie EMPTY = new SingletonTrie();

    private final byte[] key;
    private final long payload;

    private SingletonTrie() {
        key = new byte[0];
        payload = PointIndex.NONE;
    }

    SingletonTrie(final byte[] key, final long payload) {
        EntryArguments.checkEntry(key, 0, key.length, payload);
        this.key = key.clone();
        this.payload = payload;
    }

    @Override
    public TrieCursor cursor(final Direction direction) {
        return new SingletonCursor(key, payload, direction);
    }
}
