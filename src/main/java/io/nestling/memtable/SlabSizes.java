/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SlabAllocator;

/**
 * How large the slabs of a shard are made.
 * <p>
 * Where memory is taken only as it is touched, each slab could hold the whole memtable: the budget limits
 * them together. Where a slab is taken at once, the index gets half of the shard's share and the records
 * slabs of half a share, one after the other.
 *
 * @param indexBytes size of the index's slab
 * @param recordBytes size of one slab of records
 * @param orderBytes size of one slab of keys that are to be put in order
 */
record SlabSizes(long indexBytes, long recordBytes, long orderBytes) {
    private static final int ORDER_PART = 8;

    static SlabSizes of(final MemtableOptions options, final MemoryBudget budget) {
        final SlabAllocator allocator = options.allocator();
        final long capacity = options.capacityBytes();
        // Before it is rounded, as there may be no limit at all.
        final long wanted =
            Math.min(allocator.lazy() ? capacity : capacity / options.shards() / 2, allocator.maxSlabBytes());
        final long step = budget.step();
        final long steps = wanted / step + (wanted % step == 0 ? 0 : 1);
        final long bytes = steps > allocator.maxSlabBytes() / step ? allocator.maxSlabBytes() : steps * step;
        final long part = allocator.lazy() ? bytes : (bytes / ORDER_PART + step - 1) / step * step;
        return new SlabSizes(bytes, bytes, part);
    }
}
