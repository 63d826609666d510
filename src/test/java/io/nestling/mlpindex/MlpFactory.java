/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.bytes.KeyHash;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;

/** Makes indexes for the contracts. */
enum MlpFactory implements IndexFactory {
    INSTANCE;

    @Override
    public PointIndex create(final IndexContext context) {
        return new MlpIndex(context, KeyHash.ofSeed(0));
    }

    @Override
    public String indexName() {
        return "mlp_index";
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
