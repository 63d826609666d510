/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;

/** Makes Cuckoo Tries for the contracts of indexes. */
enum CuckooTrieFactory implements IndexFactory {
    INSTANCE;

    @Override
    public PointIndex create(final IndexContext context) {
        return new CuckooTrie(context, 0);
    }

    @Override
    public String indexName() {
        return "cuckoo_trie";
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public boolean storesKeys() {
        return false;
    }

    @Override
    public boolean concurrentWriters() {
        return false;
    }
}
