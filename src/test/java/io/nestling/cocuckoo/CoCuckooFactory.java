/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;

/** Makes CoCuckoos for the contracts of indexes. */
enum CoCuckooFactory implements IndexFactory {
    INSTANCE;

    @Override
    public PointIndex create(final IndexContext context) {
        return new CoCuckoo(context, CoCuckooFixture.HASH);
    }

    @Override
    public String indexName() {
        return "cocuckoo";
    }

    @Override
    public boolean ordered() {
        return false;
    }

    @Override
    public boolean storesKeys() {
        return false;
    }

    @Override
    public boolean concurrentWriters() {
        return true;
    }
}
