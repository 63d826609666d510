/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.IndexModelContract;
import io.nestling.index.IndexFactory;

/** In a table that begins with 16 buckets, so that it grows and shrinks in sequences that are verified after each step. */
class CuckooTrieModelTest extends IndexModelContract {
    @Override
    protected long maxBytes() {
        return 8L << 20;
    }

    @Override
    protected IndexFactory factory() {
        return CuckooTrieFactory.INSTANCE;
    }
}
