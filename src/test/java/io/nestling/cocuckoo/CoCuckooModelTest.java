/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import io.nestling.index.IndexFactory;
import io.nestling.index.IndexModelContract;

class CoCuckooModelTest extends IndexModelContract {
    @Override
    protected IndexFactory factory() {
        return CoCuckooFactory.INSTANCE;
    }
}
