/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.jcstress.Blocks;
import io.nestling.offheap.Slab;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two keys that are put into one bucket of CoCuckoo: what a put has read of the bucket holds if its CAS finds the lock word of
 * the region's header as it was before.
 * <p>
 * Weakened: the lock word is compared and then stored, instead of the CAS.
 */
final class CoreLockStress {
    /* Of a header and two buckets: nothing else of a region is used. */
    private static final Blocks BLOCKS = new Blocks(HEADER_BYTES + 3 * LINE_BYTES);
    private static final Slab SLAB = BLOCKS.slab();
    private static final CoreInserter INSERTER = new CoreInserter(SLAB);
    /* Both lead to the first two buckets. */
    private static final long HASH_0 = 2;
    private static final long HASH_1 = 4;

    /** An empty region whose buckets are all in the core. */
    static class Region {
        final long base = BLOCKS.next();
        final long region = RegionLayout.region(base, LAST_CLASS);

        Region() {
            SLAB.clear(base, LINE_BYTES);
            SLAB.clear(bucket(0), 2 * LINE_BYTES);
            SLAB.putInt(base + DEPTH_OFFSET, MIN_DEPTH);
            SLAB.putLong(base + CORE_OFFSET, -1);
            SLAB.putLong(base + CORE_LOCK_OFFSET, CORE_REGION);
        }

        final long bucket(final int number) {
            return base + HEADER_BYTES + (long) number * LINE_BYTES;
        }

        /** A put as that of CoreInserter, but for the CAS. */
        final boolean put(final long hash) {
            final long seen = SLAB.getLongAcquire(base + CORE_LOCK_OFFSET);
            final int taken = SLAB.slotBitsWithout(bucket(0), PRESENT_BIT, hash);
            if ((seen & CORE_MASK) != CORE_REGION || SLAB.getLongAcquire(base + CORE_LOCK_OFFSET) != seen) {
                return false;
            }
            SLAB.putLongRelease(base + CORE_LOCK_OFFSET, seen | CORE_LOCKED);
            final long slot = bucket(0) + ((long) Integer.numberOfTrailingZeros(~taken) << SLOT_SHIFT);
            SLAB.putLongRelease(slot + TAG_OFFSET, hash);
            SLAB.putLongRelease(slot, hash | PRESENT);
            SLAB.putLongRelease(base + CORE_LOCK_OFFSET, seen + CORE_LOCKED + CORE_UNLOCK);
            return true;
        }

        final int keys() {
            return Integer.bitCount(SLAB.slotBits(bucket(0), PRESENT_BIT))
                + Integer.bitCount(SLAB.slotBits(bucket(1), PRESENT_BIT));
        }
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"1, 1, 2", "1, 0, 1", "0, 1, 1"}, expect = Expect.ACCEPTABLE, desc = "nothing lost")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a key is lost")
    public static class Kept extends Region {
        /** Puts a key. */
        @Actor
        public void writer0(final III_Result r) {
            r.r1 = INSERTER.put(region, HASH_0, 1) ? 1 : 0;
        }

        /** Puts another one. */
        @Actor
        public void writer1(final III_Result r) {
            r.r2 = INSERTER.put(region, HASH_1, 2) ? 1 : 0;
        }

        /** Counts them. */
        @Arbiter
        public void count(final III_Result r) {
            r.r3 = keys();
        }
    }

    /** Without a CAS. */
    @JCStressTest
    @State
    @Outcome(id = {"1, 1, 2", "1, 0, 1", "0, 1, 1"}, expect = Expect.ACCEPTABLE, desc = "nothing lost")
    @Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE_INTERESTING, desc = "a key is lost")
    public static class Weakened extends Region {
        /** Puts a key. */
        @Actor
        public void writer0(final III_Result r) {
            r.r1 = put(HASH_0) ? 1 : 0;
        }

        /** Puts another one. */
        @Actor
        public void writer1(final III_Result r) {
            r.r2 = put(HASH_1) ? 1 : 0;
        }

        /** Counts them. */
        @Arbiter
        public void count(final III_Result r) {
            r.r3 = keys();
        }
    }
}
