/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.IndexModelContract;
import io.nestling.index.IndexFactory;

class CuckooTrieModelTest extends IndexModelContract {
    @Override
    protected IndexFactory factory() {
        return CuckooTrieFactory.INSTANCE;
    }
}
