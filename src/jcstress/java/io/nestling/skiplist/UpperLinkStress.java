/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.jcstress.Blocks;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PaddedCounters;
import io.nestling.offheap.Slab;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A node of the skip list whose writer brings its link of an upper level up to date and then sets LINKED: who sees the flag sees
 * the link.
 * <p>
 * Weakened: the reader loads the link before the flag, as plain loads would allow.
 */
final class UpperLinkStress {
    private static final int NOT_LINKED = -1;
    private static final int STALE = 8;
    private static final int BEHIND = 16;
    private static final Blocks BLOCKS = new Blocks(LINE_UNITS * UNIT_BYTES);
    private static final Slab SLAB = BLOCKS.slab();
    private static final Nodes NODES =
        new Nodes(SLAB, KeySource.NONE, KeyHash.ofSeed(1), MemoryBudget.ofBytes(1 << 20), new PaddedCounters(1));

    /** A node of height 2 whose upper link was found before it was put. */
    static class Node {
        final int node = (int) (BLOCKS.next() >>> UNIT_SHIFT);

        Node() {
            SLAB.putInt(offset(node) + META_OFFSET, meta(2, 0, 1));
            SLAB.putInt(linkOffset(node, 1), STALE);
        }

        final void link() {
            NODES.compareAndSetLink(node, 1, STALE, BEHIND);
            NODES.addFlag(node, LINKED);
        }
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"-1", "16"}, expect = Expect.ACCEPTABLE, desc = "not linked, or the link as it is")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a stale link")
    public static class Kept extends Node {
        /** Links the node. */
        @Actor
        public void writer() {
            link();
        }

        /** Follows the link. */
        @Actor
        public void reader(final I_Result r) {
            r.r1 = (NODES.metaAcquire(node) & LINKED) == 0 ? NOT_LINKED : NODES.next(node, 1);
        }
    }

    /** In the other order. */
    @JCStressTest
    @State
    @Outcome(id = {"-1", "16"}, expect = Expect.ACCEPTABLE, desc = "not linked, or the link as it is")
    @Outcome(id = "8", expect = Expect.ACCEPTABLE_INTERESTING, desc = "a stale link")
    public static class Weakened extends Node {
        /** Links the node. */
        @Actor
        public void writer() {
            link();
        }

        /** Follows the link. */
        @Actor
        public void reader(final I_Result r) {
            final int next = NODES.next(node, 1);
            r.r1 = (NODES.metaAcquire(node) & LINKED) == 0 ? NOT_LINKED : next;
        }
    }
}
