/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.index.IndexFactory;
import io.nestling.index.IndexModelContract;

import org.junit.jupiter.api.Nested;

class SkipListModelTest extends IndexModelContract {
    @Override
    protected IndexFactory factory() {
        return SkipListFactory.INSTANCE;
    }

    /** The same without a hash. */
    @Nested
    class WithoutHash extends IndexModelContract {
        @Override
        protected IndexFactory factory() {
            return SkipListFactory.ORDERED;
        }
    }
}
