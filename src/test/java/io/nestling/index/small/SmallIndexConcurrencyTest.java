/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.small;

import io.nestling.index.IndexConcurrencyContract;
import io.nestling.index.IndexFactory;

class SmallIndexConcurrencyTest extends IndexConcurrencyContract {
    @Override
    protected IndexFactory factory() {
        return SmallIndexFactory.INSTANCE;
    }
}
