/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.bytes.KeyHash;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;
import io.nestling.testing.LimitedAllocator;

/** Makes skip lists for the contracts of indexes. */
enum SkipListFactory implements IndexFactory {
    INSTANCE {
        @Override
        public PointIndex create(final IndexContext context) {
            return new SkipList(context, 3, KeyHash.ofSeed(0));
        }
    },
    /** Lists that find keys by their order, as there is no memory for a hash. */
    ORDERED {
        @Override
        public PointIndex create(final IndexContext context) {
            return new SkipList(withoutHash(context), SkipList.MAX_PREFETCH_LEVELS, KeyHash.ofSeed(0));
        }
    };

    /** A context in which there is memory for nodes alone. */
    static IndexContext withoutHash(final IndexContext context) {
        return new IndexContext(new LimitedAllocator(context.allocator(), 1), context.budget(), context.epochs(), context.keys(),
            context.maxBytes(), context.failure());
    }

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
