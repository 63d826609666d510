/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.SlabAllocator;
import io.nestling.offheap.WriteFailure;

import java.util.Objects;

/**
 * The environment of an index: the source of its memory, the guards of its readers, and the source of the keys of its payloads.
 *
 * @param allocator source of slabs
 * @param budget what slabs are charged to as they grow
 * @param epochs guards of readers; retired blocks are reused only when no guard can hold them
 * @param keys reads the key of a payload; indexes that store keys do not use it
 * @param maxBytes most bytes that the index may grow to, address space for which is reserved up front
 * @param failure records the error that ended a write halfway, of the index or of its owner
 */
@SuppressWarnings("exports") // its parts are for the indexes of this module
public record IndexContext(
    SlabAllocator allocator, MemoryBudget budget, EpochReclaimer epochs, KeySource keys, long maxBytes, WriteFailure failure) {

    /** Checks that no component is missing. */
    public IndexContext {
        Objects.requireNonNull(allocator, "allocator");
        Objects.requireNonNull(budget, "budget");
        Objects.requireNonNull(epochs, "epochs");
        Objects.requireNonNull(keys, "keys");
        Objects.requireNonNull(failure, "failure");
        if (maxBytes <= 0) {
            throw new IllegalArgumentException("expected maxBytes of at least 1 but was " + maxBytes);
        }
    }

    /**
     * Creates a context for an index that records its failed writes on its own.
     *
     * @param allocator source of slabs
     * @param budget what slabs are charged to as they grow
     * @param epochs guards of readers
     * @param keys reads the key of a payload
     * @param maxBytes most bytes that the index may grow to
     */
    public IndexContext(
        final SlabAllocator allocator, final MemoryBudget budget, final EpochReclaimer epochs, final KeySource keys,
        final long maxBytes) {
        this(allocator, budget, epochs, keys, maxBytes, new WriteFailure());
    }

    /**
     * Returns a context for an index without a memtable that stores its keys: the default allocator, a budget of its own.
     *
     * @param maxBytes most bytes that the index may grow to
     * @return a new context
     */
    public static IndexContext standalone(final long maxBytes) {
        return new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(maxBytes), new EpochReclaimer(), KeySource.NONE,
            maxBytes);
    }
}
