/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.jcstress.Blocks;
import io.nestling.offheap.Slab;
import io.nestling.offheap.WriteFailure;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Two writes that complete at the same time: who sees the number of the first one sees what it wrote, and when both are complete
 * both are visible, since at least one of them sees the other.
 * <p>
 * Weakened: the numbers are stored by release instead of volatile stores, so that each may look at the other's before its own
 * is seen.
 */
final class SequenceGateStress {
    private static final Blocks BLOCKS = new Blocks(64);
    private static final Slab SLAB = BLOCKS.slab();

    /** As SequenceGate for two writes, but for its stores. */
    private static final class LooseGate {
        private final AtomicLong visible = new AtomicLong();
        private final AtomicLong slot = new AtomicLong();

        void completeFirst() {
            visible.lazySet(1);
            advance();
        }

        void completeSecond() {
            slot.lazySet(2);
            advance();
        }

        private void advance() {
            if (visible.get() == 1 && slot.get() == 2) {
                visible.compareAndSet(1, 2);
            }
        }
    }

    /** The state that the first write writes. */
    static class Written {
        final long block = BLOCKS.next();

        Written() {
            SLAB.putLong(block, 0);
        }
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"0, 0, 2", "0, 1, 2", "1, 1, 2", "2, 1, 2"}, expect = Expect.ACCEPTABLE, desc = "in order")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a number without its write, or a write that never becomes visible")
    public static class Kept extends Written {
        private final SequenceGate gate = new SequenceGate(1, new WriteFailure());
        private final long first = gate.claim(2);

        /** Completes the first write. */
        @Actor
        public void first() {
            SLAB.putLong(block, 1);
            gate.complete(first, first);
        }

        /** Completes the second write and reads. */
        @Actor
        public void second(final III_Result r) {
            gate.complete(first + 1, first + 1);
            r.r1 = (int) gate.visible();
            r.r2 = (int) SLAB.getLong(block);
        }

        /** Looks at the end. */
        @Arbiter
        public void end(final III_Result r) {
            r.r3 = (int) gate.visible();
        }
    }

    /** With release stores. */
    @JCStressTest
    @State
    @Outcome(id = {"0, 0, 2", "0, 1, 2", "1, 1, 2", "2, 1, 2"}, expect = Expect.ACCEPTABLE, desc = "in order")
    @Outcome(id = {"0, 0, 1", "0, 1, 1", "1, 1, 1"}, expect = Expect.ACCEPTABLE_INTERESTING, desc = "never becomes visible")
    public static class Weakened extends Written {
        private final LooseGate gate = new LooseGate();

        /** Completes the first write. */
        @Actor
        public void first() {
            SLAB.putLong(block, 1);
            gate.completeFirst();
        }

        /** Completes the second write and reads. */
        @Actor
        public void second(final III_Result r) {
            gate.completeSecond();
            r.r1 = (int) gate.visible.get();
            r.r2 = (int) SLAB.getLong(block);
        }

        /** Looks at the end. */
        @Arbiter
        public void end(final III_Result r) {
            r.r3 = (int) gate.visible.get();
        }
    }
}
