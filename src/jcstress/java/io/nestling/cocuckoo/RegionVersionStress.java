/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.jcstress.Blocks;
import io.nestling.offheap.Slab;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

import java.lang.invoke.VarHandle;

/**
 * A key of CoCuckoo that moves to its other bucket: a reader that met it in neither finds another version in the region's header.
 * <p>
 * Weakened: the mover does not count the version up.
 */
final class RegionVersionStress {
    private static final int MISSED = -1;
    private static final int AGAIN = -2;
    private static final long TAG = 7;
    private static final long PAYLOAD = 42;
    private static final int FROM_OFFSET = LINE_BYTES;
    private static final int TO_OFFSET = 2 * LINE_BYTES;
    private static final Blocks BLOCKS = new Blocks(4 * LINE_BYTES);
    private static final Slab SLAB = BLOCKS.slab();

    /** A header, and two slots of which one has a key. */
    static class Region {
        final long base = BLOCKS.next();

        Region() {
            SLAB.putLong(base + VERSION_OFFSET, 0);
            SLAB.putLong(base + FROM_OFFSET, PAYLOAD | PRESENT);
            SLAB.putLong(base + FROM_OFFSET + TAG_OFFSET, TAG);
            SLAB.putLong(base + TO_OFFSET, 0);
            SLAB.putLong(base + TO_OFFSET + TAG_OFFSET, 0);
        }

        /* As RegionReader: each bucket once, and the version before and after. The new place is the first one. */
        final int read() {
            final long version = SLAB.getLongAcquire(base + VERSION_OFFSET);
            long payload = payloadIn(base + TO_OFFSET);
            if (payload == 0) {
                payload = payloadIn(base + FROM_OFFSET);
            }
            if (payload != 0) {
                return (int) payload;
            }
            VarHandle.acquireFence();
            return SLAB.getLongAcquire(base + VERSION_OFFSET) == version ? MISSED : AGAIN;
        }

        private static long payloadIn(final long slot) {
            final long word = SLAB.getLongAcquire(slot);
            return isPresent(word) && SLAB.getLong(slot + TAG_OFFSET) == TAG ? payload(word) : 0;
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
            KickPath.move(SLAB, base, base + FROM_OFFSET, base + TO_OFFSET);
        }

        /** Looks it up. */
        @Actor
        public void reader(final I_Result r) {
            r.r1 = read();
        }
    }

    /** Without a new version. */
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
