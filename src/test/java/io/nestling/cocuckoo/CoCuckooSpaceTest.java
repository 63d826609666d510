/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import io.nestling.index.IndexFactory;
import io.nestling.index.IndexSpaceContract;

class CoCuckooSpaceTest extends IndexSpaceContract {
    @Override
    protected IndexFactory factory() {
        return CoCuckooFactory.INSTANCE;
    }
}
