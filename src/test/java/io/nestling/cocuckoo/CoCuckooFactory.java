/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;

/** Makes indexes for the contracts of indexes, with several numbers of slots per bucket. */
enum CoCuckooFactory implements IndexFactory {
    ONE_SLOT(1),
    TWO_SLOTS(2),
    FOUR_SLOTS(4);

    private final int slotsPerBucket;

    CoCuckooFactory(final int slotsPerBucket) {
        this.slotsPerBucket = slotsPerBucket;
    }

    @Override
    public PointIndex create(final IndexContext context) {
        return new CoCuckoo(context, slotsPerBucket, CoCuckooFixture.HASH);
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
