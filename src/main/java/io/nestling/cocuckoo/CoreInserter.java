/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.offheap.Slab;

/**
 * Adds keys in the simple and most frequent case: both buckets are in the subgraph of bucket 0 of a region of the largest class
 * without a stash, no slot in them has the key's tag, and a slot is free, or becomes free by one move of a key to its other
 * bucket. All of this is read before the lock is taken, after the lock's word, which counts its changes. It holds under the lock
 * if that word is unchanged. So the lines of a put are requested together, and nothing is read twice.
 * <h2>Thread safety</h2>
 * Any number of writers. They need no guard: if the block of a region was reused since the directory was read, its word cannot be
 * locked as a region's, until the block is a published region again (cocuckoo-concurrency.md, claim 13).
 */
final class CoreInserter {
    private final Slab slab;

    CoreInserter(final Slab slab) {
        this.slab = slab;
    }

    /**
     * Adds a key in the simple case; {@code region} is that of the hash by the directory. Returns whether the key was added; if
     * not, nothing has changed, and the key may be present.
     */
    boolean put(final long region, final long hash, final long payload) {
        // cocuckoo-concurrency.md, claim 12
        if (sizeClass(region) != LAST_CLASS) {
            return false;
        }
        final Slab own = slab;
        final long base = base(region);
        final long seen = own.getLongAcquire(base + CORE_LOCK_OFFSET);
        final long pattern = own.getLong(base + PATTERN_OFFSET); // loads the depth as well
        if ((seen & CORE_MASK ^ CORE_REGION
            | ((int) hash & (1 << (int) (pattern >>> Integer.SIZE)) - 1) - (int) pattern) != 0) {
            return false;
        }
        final int primary = primaryOfMost(hash);
        final int secondary = secondary(hash, MAX_BUCKETS, primary);
        final long core = own.getLong(base + CORE_OFFSET) | 1; // bucket 0 is in it if any other bucket is
        final int taken0 = own.slotBitsWithout(bucketOffset(base, primary), PRESENT_BIT, hash);
        final int taken1 = own.slotBitsWithout(bucketOffset(base, secondary), PRESENT_BIT, hash);
        if ((taken0 | taken1) < 0 || (core >>> primary & core >>> secondary & 1) == 0) {
            return false;
        }
        if ((taken0 & taken1) == ALL_FOUR) {
            return putByMove(base, hash, payload, primary, secondary, seen);
        }
        if (!own.compareAndSetLong(base + CORE_LOCK_OFFSET, seen, seen | CORE_LOCKED)) {
            return false;
        }
        // The bucket with more room; without an unpredictable branch.
        final int swap = Integer.bitCount(taken1) - Integer.bitCount(taken0) >> Integer.SIZE - 1;
        final int free = (taken0 ^ (taken0 ^ taken1) & swap) ^ ALL_FOUR;
        final int bucket = primary ^ (primary ^ secondary) & swap;
        final long filled = (long) isLast(free) << bucket;
        final long slot = slotOffset(base, bucket, Integer.numberOfTrailingZeros(free));
        place(base, slot, hash, payload, filled, seen);
        return true;
    }

    /** Writes a key to a slot and unlocks the core. A method of its own for the sake of the compiler's limits on inlining. */
    private void place(
        final long base, final long slot, final long hash, final long payload, final long filled, final long seen) {
        final Slab own = slab;
        own.putLong(base + FULL_OFFSET, own.getLong(base + FULL_OFFSET) | filled);
        SubgraphForest.takeVacancy(own, base);
        own.putLongRelease(slot + TAG_OFFSET, hash); // a reader that sees it also sees where the slot's earlier key moved
        own.putLongRelease(slot, payload | PRESENT);
        own.putLongRelease(base + CORE_LOCK_OFFSET, seen + CORE_LOCKED + CORE_UNLOCK); // nobody else has changed it
    }

    /** Adds a key to full buckets, if one of their keys has room in its other bucket. */
    private boolean putByMove(
        final long base, final long hash, final long payload, final int primary, final int secondary, final long seen) {
        final long both = 1L << primary | 1L << secondary;
        final long full = slab.getLong(base + FULL_OFFSET) | both;
        final int movable = movable(base, primary, full) | movable(base, secondary, full) << SLOTS_PER_BUCKET;
        if (movable == 0) {
            return false;
        }
        final int first = Integer.numberOfTrailingZeros(movable);
        final int from = first < SLOTS_PER_BUCKET ? primary : secondary;
        final long slot = slotOffset(base, from, first & SLOTS_PER_BUCKET - 1);
        final int to = alternate(slab.getLong(slot + TAG_OFFSET), from);
        final int free = freeSlots(slab, bucketOffset(base, to));
        if (free == 0 || !slab.compareAndSetLong(base + CORE_LOCK_OFFSET, seen, seen | CORE_LOCKED)) {
            return false;
        }
        KickPath.move(slab, slot, slotOffset(base, to, Integer.numberOfTrailingZeros(free)));
        // A bucket that is not known to be in the core gets no mark: it may leave the core with it.
        final long last = (long) isLast(free) << to & (slab.getLong(base + CORE_OFFSET) | 1);
        place(base, slot, hash, payload, both | last, seen);
        return true;
    }

    /** Returns the keys of a bucket, as bits, whose other buckets are not known to be full. */
    private int movable(final long base, final int bucket, final long full) {
        final long slots = bucketOffset(base, bucket) + TAG_OFFSET;
        long stuck = 0;
        for (int slot = 0; slot < SLOTS_PER_BUCKET; slot++) {
            final int to = alternate(slab.getLong(slots + ((long) slot << SLOT_SHIFT)), bucket);
            stuck |= (full >>> to & 1) << slot;
        }
        return (int) stuck ^ ALL_FOUR;
    }

    /**
     * Returns the other bucket of a key; any bucket if the tag was never in this one, which is possible before the lock is taken.
     */
    static int alternate(final long tag, final int bucket) {
        final int primary = primaryOfMost(tag);
        return primary + secondary(tag, MAX_BUCKETS, primary) - bucket & MAX_BUCKETS - 1;
    }

    /** Returns 1 if only one slot is free, else 0. */
    private static int isLast(final int free) {
        return (free & free - 1) - 1 >>> Integer.SIZE - 1;
    }
}
