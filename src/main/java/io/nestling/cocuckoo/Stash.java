/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.offheap.Slab;

/**
 * The keys of a region that have no room in it and would have none in a larger one either, or that have a reservation while
 * memory is missing for a larger one. A list of blocks.
 * <pre>
 *  byte 0       8         16       32              128
 *       +-------+---------+--------+--------+-- --+
 *       | next  | unused  | slot 0 | slot 1 | ... |    7 slots, see RegionLayout
 *       +-------+---------+--------+--------+-- --+
 *
 *  next   0   8   plain, before the block is published by the region's word for its stash   0: last block
 * </pre>
 * <h2>Thread safety</h2>
 * A key is added under the lock of the whole region; it is removed, or its payload replaced, as in a bucket.
 */
final class Stash {
    /** Slots of a block. */
    static final int SLOTS = 7;
    private static final int SLOTS_OFFSET = SLOT_BYTES;

    private Stash() {
    }

    /** Returns the offset of the first slot of a block. */
    static long slots(final long block) {
        return block + SLOTS_OFFSET;
    }

    /** Returns the first block of a region's stash, or {@link RegionLayout#NULL}. */
    static long first(final Slab slab, final long base) {
        return (slab.getIntAcquire(base + STATE_OFFSET) & UNSIGNED_INT_MASK) >>> STASH_SHIFT << LINE_SHIFT;
    }

    /** Returns a free slot in the stash of a region, or {@link RegionLayout#NULL}. */
    static long freeSlot(final Slab slab, final long base) {
        for (long block = first(slab, base); block != NULL; block = slab.getLong(block)) {
            for (int i = 0; i < SLOTS; i++) {
                final long slot = slots(block) + ((long) i << SLOT_SHIFT);
                if (!isPresent(slab.getLongAcquire(slot))) {
                    return slot;
                }
            }
        }
        return NULL;
    }

    /** Returns the number of keys in the stash of a region. */
    static int keys(final Slab slab, final long base) {
        int keys = 0;
        for (long block = first(slab, base); block != NULL; block = slab.getLong(block)) {
            for (int i = 0; i < SLOTS; i++) {
                keys += isPresent(slab.getLongAcquire(slots(block) + ((long) i << SLOT_SHIFT))) ? 1 : 0;
            }
        }
        return keys;
    }

    /** Prepends a new block to the stash of a region that is locked as a whole or not published yet. */
    static void addBlock(final Slab slab, final long base, final long block) {
        slab.clear(block, RegionArena.STASH_BYTES);
        slab.putLong(block, first(slab, base));
        final int closed = slab.getIntAcquire(base + STATE_OFFSET) & CLOSED;
        slab.putLongRelease(base + CORE_LOCK_OFFSET, slab.getLong(base + CORE_LOCK_OFFSET) | CORE_SPECIAL);
        slab.putIntRelease(base + STATE_OFFSET, (int) (block >>> LINE_SHIFT << STASH_SHIFT) | closed);
    }
}
