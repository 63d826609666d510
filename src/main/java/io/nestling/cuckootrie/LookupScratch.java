/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.memory.ScratchPool;

/**
 * What a lookup works with, each part made when it is needed.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class LookupScratch extends ScratchPool.Scratch {
    static final ScratchPool<LookupScratch> POOL = new ScratchPool<>(LookupScratch::new);

    final UpperLookup upper = new UpperLookup();
    private Descent walk;
    private PatientLookup patient;
    private BatchLookup batch;

    Descent walk() {
        if (walk == null) {
            walk = new Descent();
        }
        return walk;
    }

    PatientLookup patient() {
        if (patient == null) {
            patient = new PatientLookup();
        }
        return patient;
    }

    BatchLookup batch() {
        if (batch == null) {
            batch = new BatchLookup(this);
        }
        return batch;
    }
}
