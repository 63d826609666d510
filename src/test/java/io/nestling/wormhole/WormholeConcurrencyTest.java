/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import io.nestling.index.IndexConcurrencyContract;
import io.nestling.index.IndexFactory;

/** The contract of indexes for {@link Wormhole}. */
class WormholeConcurrencyTest extends IndexConcurrencyContract {
    @Override
    protected IndexFactory factory() {
        return WormholeFactory.INSTANCE;
    }
}
