/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.index.IndexConcurrencyContract;
import io.nestling.index.IndexFactory;

class SkipListConcurrencyTest extends IndexConcurrencyContract {
    @Override
    protected IndexFactory factory() {
        return SkipListFactory.INSTANCE;
    }
}
