/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import io.nestling.index.IndexFactory;
import io.nestling.index.IndexModelContract;

import org.junit.jupiter.api.Nested;

class CoCuckooModelTest extends IndexModelContract {
    @Override
    protected IndexFactory factory() {
        return CoCuckooFactory.FOUR_SLOTS;
    }

    /** The same with one slot per bucket, as in the paper. */
    @Nested
    class WithOneSlot extends IndexModelContract {
        @Override
        protected IndexFactory factory() {
            return CoCuckooFactory.ONE_SLOT;
        }
    }
}
