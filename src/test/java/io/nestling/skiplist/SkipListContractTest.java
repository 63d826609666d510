/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.index.IndexFactory;
import io.nestling.index.OrderedIndexContract;

class SkipListContractTest extends OrderedIndexContract {
    @Override
    protected IndexFactory factory() {
        return SkipListFactory.INSTANCE;
    }

    @Override
    protected long emptiedBytes(final long before, final long filled) {
        return filled / 4; // the hash keeps its buckets
    }
}
