/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndexContract;

import org.junit.jupiter.api.Nested;

class CoCuckooContractTest extends PointIndexContract {
    @Override
    protected IndexFactory factory() {
        return CoCuckooFactory.FOUR_SLOTS;
    }

    /** The same with one slot per bucket, as in the paper. */
    @Nested
    class WithOneSlot extends PointIndexContract {
        @Override
        protected IndexFactory factory() {
            return CoCuckooFactory.ONE_SLOT;
        }

        @Override
        protected long emptiedBytes(final long before, final long filled) {
            return filled / 2; // headers are a larger share of small regions
        }
    }

    /** The same with two slots per bucket. */
    @Nested
    class WithTwoSlots extends PointIndexContract {
        @Override
        protected IndexFactory factory() {
            return CoCuckooFactory.TWO_SLOTS;
        }

        @Override
        protected long emptiedBytes(final long before, final long filled) {
            return filled / 2; // headers are a larger share of small regions
        }
    }
}
