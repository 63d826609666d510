/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.bytes.KeyHash;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;

/** Makes skip lists for the contracts of indexes. */
enum SkipListFactory implements IndexFactory {
    INSTANCE {
        @Override
        public PointIndex create(final IndexContext context) {
            return new SkipList(context, 3, true, KeyHash.ofSeed(0));
        }
    },
    /** Lists that find keys by their order. */
    ORDERED {
        @Override
        public PointIndex create(final IndexContext context) {
            return new SkipList(context, SkipList.MAX_PREFETCH_LEVELS, false, KeyHash.ofSeed(0));
        }
    };

    @Override
    public String indexName() {
        return "skip_list";
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
        return true;
    }
}
