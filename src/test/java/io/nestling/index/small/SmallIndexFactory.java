/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.small;

import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;

/** Makes small indexes for the contracts of indexes, which put more keys into them than a structure would. */
enum SmallIndexFactory implements IndexFactory {
    INSTANCE;

    @Override
    public PointIndex create(final IndexContext context) {
        return new SmallIndex(context);
    }

    @Override
    public String indexName() {
        return "small";
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public boolean storesKeys() {
        return false;
    }

    @Override
    public boolean concurrentWriters() {
        return false;
    }
}
