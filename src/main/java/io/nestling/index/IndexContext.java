/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.KeySource;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SlabAllocator;
import io.nestling.memory.WriteFailure;

import java.util.Objects;

/**
 * What an index works with: where its memory comes from, who still reads what it replaces, and where the keys
 * of its payloads stand.
 *
 * @param allocator source of slabs
 * @param budget what slabs are charged to as they grow
 * @param epochs guards of readers; blocks that were replaced are reused only when no guard can hold them
 * @param keys reads the key of a payload; indexes that store keys do not use it
 * @param maxBytes most bytes that the index may grow to, address space for which is reserved up front
 * @param failure says whether a write ended half-way, of the index or of what it belongs to
 */
public record IndexContext(
    SlabAllocator allocator, MemoryBudget budget, EpochReclaimer epochs, KeySource keys, long maxBytes, WriteFailure failure) {

    /** Checks that nothing is missing. */
    public IndexContext {
        Objects.requireNonNull(allocator, "allocator");
        Objects.requireNonNull(budget, "budget");
        Objects.requireNonNull(epochs, "epochs");
        Objects.requireNonNull(keys, "keys");
        Objects.requireNonNull(failure, "failure");
        if (maxBytes <= 0) {
            throw new IllegalArgumentException("maxBytes " + maxBytes + " is not positive");
        }
    }

    /**
     * A context for an index whose failed writes are its own affair.
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
     * A context for an index that stands alone and stores its keys itself: memory from the default allocator,
     * a budget of its own.
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
