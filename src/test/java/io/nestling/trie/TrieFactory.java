/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;

/** Makes tries for the contracts of indexes. */
enum TrieFactory implements IndexFactory {
    INSTANCE;

    @Override
    public PointIndex create(final IndexContext context) {
        return new InMemoryTrie(context);
    }

    @Override
    public String indexName() {
        return "trie";
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public boolean storesKeys() {
        return true;
    }

    @Override
    public boolean concurrentWriters() {
        return false;
    }
}
