/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.OrderedIndexContract;
import io.nestling.index.IndexFactory;

class CuckooTrieContractTest extends OrderedIndexContract {
    @Override
    protected IndexFactory factory() {
        return CuckooTrieFactory.INSTANCE;
    }
}
