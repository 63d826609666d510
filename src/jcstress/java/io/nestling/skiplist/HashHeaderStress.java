/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeHashLayout.*;

import io.nestling.jcstress.Blocks;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

import java.lang.invoke.VarHandle;

/**
 * A node that leaves a bucket of the skip list's hash, so that another one takes its slot: a reader whose header is the same
 * before and after has seen all slots as they stood at one moment.
 * <p>
 * Weakened: the reader does not look at the header a second time.
 */
final class HashHeaderStress {
    private static final int LEAVING = 5;
    private static final int STAYING = 6;
    private static final int MISSED = 0;
    private static final int UNKNOWN = -1;
    private static final Blocks BLOCKS = new Blocks(1 << BUCKET_SHIFT);
    private static final Slab SLAB = BLOCKS.slab();
    private static final HashBuckets BUCKETS = new HashBuckets(SLAB,
        new NodeArena(SlabAllocator.direct(), MemoryBudget.ofBytes(1 << 20), new EpochReclaimer(), 1 << 20));

    /** A bucket with two nodes. */
    static class Bucket {
        final long line = BLOCKS.next();

        Bucket() {
            SLAB.clear(line, 1 << BUCKET_SHIFT);
            BUCKETS.add(line, LEAVING);
            BUCKETS.add(line, STAYING);
        }

        final void remove() {
            while (!BUCKETS.tryLock(line)) {
                Thread.onSpinWait();
            }
            BUCKETS.remove(line, LEAVING);
            BUCKETS.unlock(line);
        }

        final int find(final int header) {
            int found = MISSED;
            for (int slot = 1; slot <= taken(header); slot++) {
                found = SLAB.getInt(HashBuckets.slotOffset(line, slot)) == STAYING ? STAYING : found;
            }
            return found;
        }
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"6", "-1"}, expect = Expect.ACCEPTABLE, desc = "found, or to be sought in the list")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a node that is there is missed")
    public static class Kept extends Bucket {
        /** Takes the other node out. */
        @Actor
        public void writer() {
            remove();
        }

        /** Looks for the one that stays, as NodeHash does. */
        @Actor
        public void reader(final I_Result r) {
            final int header = SLAB.getIntAcquire(line);
            final int found = find(header);
            VarHandle.acquireFence();
            r.r1 = (header & LOCKED) != 0 || SLAB.getInt(line) != header ? UNKNOWN : found;
        }
    }

    /** Without a second look. */
    @JCStressTest
    @State
    @Outcome(id = {"6", "-1"}, expect = Expect.ACCEPTABLE, desc = "found, or to be sought in the list")
    @Outcome(id = "0", expect = Expect.ACCEPTABLE_INTERESTING, desc = "a node that is there is missed")
    public static class Weakened extends Bucket {
        /** Takes the other node out. */
        @Actor
        public void writer() {
            remove();
        }

        /** Looks for the one that stays. */
        @Actor
        public void reader(final I_Result r) {
            final int header = SLAB.getIntAcquire(line);
            r.r1 = (header & LOCKED) != 0 ? UNKNOWN : find(header);
        }
    }
}
