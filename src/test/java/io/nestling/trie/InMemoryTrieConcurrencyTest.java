/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import io.nestling.index.IndexConcurrencyContract;
import io.nestling.index.IndexFactory;
import org.junit.jupiter.api.Tag;

/** With every bridge, for all indexes: what differs between bridges, memory and prefetching, they use in one way. */
@Tag("bridge")
class InMemoryTrieConcurrencyTest extends IndexConcurrencyContract {
    @Override
    protected IndexFactory factory() {
        return TrieFactory.INSTANCE;
    }
}
