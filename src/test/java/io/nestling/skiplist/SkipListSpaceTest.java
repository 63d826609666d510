/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.index.IndexFactory;
import io.nestling.index.IndexSpaceContract;

class SkipListSpaceTest extends IndexSpaceContract {
    @Override
    protected IndexFactory factory() {
        return SkipListFactory.INSTANCE;
    }
}
