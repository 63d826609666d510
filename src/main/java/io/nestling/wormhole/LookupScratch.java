/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import io.nestling.offheap.ScratchPool;

import java.util.function.Supplier;

/**
 * The working objects of a lookup; the part for batches is created on demand.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class LookupScratch extends ScratchPool.Scratch {
    final MetaSearch search;
    private final Supplier<BatchLookup> batches;
    private BatchLookup batch;

    LookupScratch(final MetaSearch search, final Supplier<BatchLookup> batches) {
        this.search = search;
        this.batches = batches;
    }

    BatchLookup batch() {
        if (batch == null) {
            batch = batches.get();
        }
        return batch;
    }
}
