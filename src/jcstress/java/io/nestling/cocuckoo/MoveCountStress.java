/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.jcstress.Blocks;
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
 * A key of CoCuckoo that moves to its other bucket: a reader that met it in neither finds another count of its moves.
 * <p>
 * Weakened: the mover does not count.
 */
final class MoveCountStress {
    private static final int MISSED = -1;
    private static final int AGAIN = -2;
    private static final long PAYLOAD = 42;
    private static final int FROM_OFFSET = LINE_BYTES;
    private static final int TO_OFFSET = 2 * LINE_BYTES;
    private static final int BLOCK_BYTES = 4 * LINE_BYTES;
    private static final Slab SLAB =
        SlabAllocator.direct().allocate(RegionArena.FIRST_REGION + (Blocks.COUNT + 1L) * BLOCK_BYTES);
    private static final Blocks BLOCKS = new Blocks(SLAB, BLOCK_BYTES);

    /** Two slots of which one has a key. Its tag chooses a word for its moves, which few states share at a time. */
    static class Region {
        private final long block = BLOCKS.next();
        final long base = RegionArena.FIRST_REGION + block;
        private final long tag = block / BLOCK_BYTES * 0x9E37_79B9_7F4A_7C15L;

        Region() {
            SLAB.putLong(base + FROM_OFFSET, PAYLOAD | PRESENT);
            SLAB.putLong(base + FROM_OFFSET + TAG_OFFSET, tag);
            SLAB.putLong(base + TO_OFFSET, 0);
            SLAB.putLong(base + TO_OFFSET + TAG_OFFSET, ~tag);
        }

        /* As RegionReader: each bucket once, and the count before and after. The new place is the first one. */
        final int read() {
            final long moves = MoveCounts.of(SLAB, tag);
            long payload = payloadIn(base + TO_OFFSET);
            if (payload == 0) {
                payload = payloadIn(base + FROM_OFFSET);
            }
            if (payload != 0) {
                return (int) payload;
            }
            VarHandle.acquireFence();
            return MoveCounts.of(SLAB, tag) == moves ? MISSED : AGAIN;
        }

        private long payloadIn(final long slot) {
            final long word = SLAB.getLongAcquire(slot);
            return isPresent(word) && SLAB.getLong(slot + TAG_OFFSET) == tag ? payload(word) : 0;
        }
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"42", "-2"}, expect = Expect.ACCEPTABLE, desc = "found, or looked up anew")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a key that is there is missed")
    public static class Kept extends Region {
        /** Moves the key. */
        @Actor
        public void writer() {
            KickPath.move(SLAB, base + FROM_OFFSET, base + TO_OFFSET);
        }

        /** Looks it up. */
        @Actor
        public void reader(final I_Result r) {
            r.r1 = read();
        }
    }

    /** Without a count. */
    @JCStressTest
    @State
    @Outcome(id = {"42", "-2"}, expect = Expect.ACCEPTABLE, desc = "found, or looked up anew")
    @Outcome(id = "-1", expect = Expect.ACCEPTABLE_INTERESTING, desc = "a key that is there is missed")
    public static class Weakened extends Region {
        /** Moves the key. */
        @Actor
        public void writer() {
            final long from = base + FROM_OFFSET;
            final long to = base + TO_OFFSET;
            final long word = KickPath.freeze(SLAB, from);
            SLAB.putLongRelease(to + TAG_OFFSET, SLAB.getLong(from + TAG_OFFSET));
            SLAB.putLongRelease(to, word);
            SLAB.putLongRelease(from, 0);
            SLAB.putLongRelease(to, word & ~MOVING);
        }

        /** Looks it up. */
        @Actor
        public void reader(final I_Result r) {
            r.r1 = read();
        }
    }
}
