/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.SlabAllocator;

/**
 * The sizes of the slabs of a shard; one of the records, and of the log of new keys, may be followed by others.
 * <p>
 * If memory is taken only as it is touched, each slab can hold the whole memtable: the budget limits them together. If a slab is
 * taken at once, the index gets half of the shard's share, and the records get slabs of half a share, one after the other; range
 * tombstones, which all shards share, get an eighth of the whole.
 */
record SlabSizes(long indexBytes, long recordBytes, long orderBytes, long rangeBytes) {
    private static final int PART = 8;

    static SlabSizes of(final MemtableOptions options, final MemoryBudget budget) {
        final SlabAllocator allocator = options.slabs();
        final long capacity = options.capacityBytes();
        // The minimum comes before rounding, since the capacity may be the largest number.
        final long wanted =
            Math.min(allocator.lazy() ? capacity : capacity / options.shards() / 2, allocator.maxSlabBytes());
        final long step = budget.step();
        final long steps = wanted / step + (wanted % step == 0 ? 0 : 1);
        final long bytes = steps > allocator.maxSlabBytes() / step ? allocator.maxSlabBytes() : steps * step;
        final long part = allocator.lazy() ? bytes : roundUp(bytes / PART, step);
        final long ranges = allocator.lazy() ? bytes : Math.min(roundUp(capacity / PART, step), allocator.maxSlabBytes());
        return new SlabSizes(bytes, bytes, part, ranges);
    }

    private static long roundUp(final long bytes, final long step) {
        return (bytes + step - 1) / step * step;
    }
}
