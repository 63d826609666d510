/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.offheap.ScratchPool;

/**
 * The working objects of a lookup, created on demand.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class LookupScratch extends ScratchPool.Scratch {
    static final ScratchPool<LookupScratch> POOL = new ScratchPool<>(LookupScratch::new);

    final DepthGuessLookup guess = new DepthGuessLookup();
    private Descent walk;
    private ContendedLookup patient;
    private CuckooTrieBatchLookup batch;

    Descent walk() {
        if (walk == null) {
            walk = new Descent();
        }
        return walk;
    }

    ContendedLookup contended() {
        if (patient == null) {
            patient = new ContendedLookup();
        }
        return patient;
    }

    CuckooTrieBatchLookup batch() {
        if (batch == null) {
            batch = new CuckooTrieBatchLookup(this);
        }
        return batch;
    }
}
