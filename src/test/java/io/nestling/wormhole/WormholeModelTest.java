/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import io.nestling.index.IndexFactory;
import io.nestling.index.IndexModelContract;

/** The contract of indexes for {@link Wormhole}. */
class WormholeModelTest extends IndexModelContract {
    @Override
    protected IndexFactory factory() {
        return WormholeFactory.INSTANCE;
    }
}
