/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.jcstress.Blocks;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.offheap.WriteFailure;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

import java.lang.invoke.VarHandle;

/**
 * An entry that is put between two others of a Wormhole leaf: a copy under one even version has the positions of one moment.
 * <p>
 * Weakened: the state does not become odd before the positions change, only the next version behind them.
 */
final class LeafStateStress {
    private static final long BYTES = 64 << 20;
    private static final BlockAllocator ALLOCATOR = new BlockAllocator(
        SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), new EpochReclaimer(), BYTES, WormholeBlockClasses.all());
    private static final Leaves LEAVES = new Leaves(ALLOCATOR, KeySource.NONE, new WriteFailure());
    private static final LeafOrder ORDER = new LeafOrder(LEAVES);
    private static final Slab SLAB = ALLOCATOR.slab();
    private static final Blocks BLOCKS = blocks();
    /* Used by the one thread that reads. */
    private static final LeafSnapshot SNAPSHOT = new LeafSnapshot(LEAVES);

    private static Blocks blocks() {
        ALLOCATOR.requireSpace(Blocks.COUNT + 2, WormholeBlockClasses.LEAF);
        return new Blocks(SLAB, LEAF_BYTES);
    }

    /** A leaf with the payloads 1 and 3. */
    static class Leaf {
        final long leaf = BLOCKS.next();

        Leaf() {
            SLAB.putLong(leaf + STATE_OFFSET, 0);
            SLAB.putInt(leaf + NEXT_OFFSET, 0);
            SLAB.putInt(leaf + PREVIOUS_OFFSET, 0);
            SLAB.clear(leaf + TAKEN_OFFSET, TAKEN_BYTES);
            SLAB.clear(leaf + lineOffset(0), LINE_BYTES);
            ORDER.insert(leaf, 0, 0, LEAVES.place(leaf, PRESENT | 1), 1);
            ORDER.insert(leaf, 1, 1, LEAVES.place(leaf, PRESENT | 3), 3);
            SLAB.putLong(leaf + STATE_OFFSET, 2);
        }

        final void insert() {
            ORDER.insert(leaf, 1, 2, LEAVES.place(leaf, PRESENT | 2), 2);
        }

        final int read() {
            SNAPSHOT.copy(leaf);
            int payloads = 0;
            for (int i = 0; i < SNAPSHOT.count(); i++) {
                payloads = 10 * payloads + (int) SNAPSHOT.payload(i);
            }
            return payloads;
        }
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"13", "123"}, expect = Expect.ACCEPTABLE, desc = "the leaf at one moment")
    @Outcome(expect = Expect.FORBIDDEN, desc = "torn")
    public static class Kept extends Leaf {
        /** Puts the entry. */
        @Actor
        public void writer() {
            final long state = SLAB.getLong(leaf + STATE_OFFSET);
            SLAB.putLongRelease(leaf + STATE_OFFSET, state | REWRITING);
            VarHandle.releaseFence();
            insert();
            SLAB.putLongRelease(leaf + STATE_OFFSET, withCount(nextVersion(state), 3));
        }

        /** Copies the leaf. */
        @Actor
        public void reader(final I_Result r) {
            r.r1 = read();
        }
    }

    /** Without an odd version. */
    @JCStressTest
    @State
    @Outcome(id = {"13", "123"}, expect = Expect.ACCEPTABLE, desc = "the leaf at one moment")
    @Outcome(id = "12", expect = Expect.ACCEPTABLE_INTERESTING, desc = "torn")
    public static class Weakened extends Leaf {
        /** Puts the entry. */
        @Actor
        public void writer() {
            final long state = SLAB.getLong(leaf + STATE_OFFSET);
            insert();
            SLAB.putLongRelease(leaf + STATE_OFFSET, withCount(nextVersion(state), 3));
        }

        /** Copies the leaf. */
        @Actor
        public void reader(final I_Result r) {
            r.r1 = read();
        }
    }
}
