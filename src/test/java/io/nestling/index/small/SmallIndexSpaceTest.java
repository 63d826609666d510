/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.small;

import io.nestling.index.IndexFactory;
import io.nestling.index.IndexSpaceContract;

class SmallIndexSpaceTest extends IndexSpaceContract {
    @Override
    protected IndexFactory factory() {
        return SmallIndexFactory.INSTANCE;
    }

    /** Some thousand keys: a put takes time in proportion to their number. */
    @Override
    protected long tightBytes() {
        return 24 << 10;
    }
}
