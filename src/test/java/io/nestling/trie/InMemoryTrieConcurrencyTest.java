/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import io.nestling.index.IndexConcurrencyContract;
import io.nestling.index.IndexFactory;

class InMemoryTrieConcurrencyTest extends IndexConcurrencyContract {
    @Override
    protected IndexFactory factory() {
        return TrieFactory.INSTANCE;
    }
}
