/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;

import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** Slabs of a system that refuses some of them. */
final class RefusingSlabs implements SlabAllocator {
    private final SlabAllocator source = SlabAllocator.direct();
    private final AtomicInteger refusals = new AtomicInteger();
    private final Random random;
    private volatile double refused;

    /** One that refuses a part of all slabs. */
    RefusingSlabs(final double refused, final Random random) {
        this.refused = refused;
        this.random = random;
    }

    /** Sets the part of further slabs that is refused. */
    void refuse(final double part) {
        refused = part;
    }

    int refusals() {
        return refusals.get();
    }

    @Override
    public Slab allocate(final long bytes) {
        if (random.nextDouble() < refused) {
            refusals.incrementAndGet();
            throw new SpaceExhaustedException("refused " + bytes + " bytes");
        }
        return source.allocate(bytes);
    }

    @Override
    public long maxSlabBytes() {
        return source.maxSlabBytes();
    }

    @Override
    public boolean lazy() {
        return source.lazy();
    }
}
