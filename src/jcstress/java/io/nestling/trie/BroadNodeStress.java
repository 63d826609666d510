/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.BroadNodeLayout.*;

import io.nestling.jcstress.Blocks;
import io.nestling.offheap.Slab;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A child that is appended to a broad node: the release of the count covers its transition and its pointer, and readers use
 * nothing beyond the count.
 * <p>
 * Weakened: the reader does not look at the count, but takes the transition as soon as it is there.
 */
final class BroadNodeStress {
    private static final int ABSENT = -1;
    private static final int CHILD = 42;
    private static final int CHILDREN = 5;
    private static final int NEW = 'x';
    private static final Blocks BLOCKS = new Blocks(TrieBlockLayout.BROAD_BYTES);
    private static final Slab SLAB = BLOCKS.slab();

    /** A node with five children. */
    static class Node {
        final long block = BLOCKS.next();

        Node() {
            SLAB.putLong(block, 0);
            SLAB.putInt(block + COUNT_OFFSET, 0);
            for (int i = 0; i < CHILDREN; i++) {
                append(SLAB, block, 'a' + i, 1);
            }
            SLAB.putInt(childSlot(block, CHILDREN), TrieBlockLayout.NONE);
        }
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"-1", "42"}, expect = Expect.ACCEPTABLE, desc = "absent or whole")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a transition without child")
    public static class Kept extends Node {
        /** Adds the child. */
        @Actor
        public void writer() {
            append(SLAB, block, NEW, CHILD);
        }

        /** Looks it up. */
        @Actor
        public void reader(final I_Result r) {
            final int index = indexOf(SLAB, block, NEW);
            r.r1 = index < 0 ? ABSENT : SLAB.getIntAcquire(childSlot(block, index));
        }
    }

    /** Without a look at the count. */
    @JCStressTest
    @State
    @Outcome(id = {"-1", "42"}, expect = Expect.ACCEPTABLE, desc = "absent or whole")
    @Outcome(id = "0", expect = Expect.ACCEPTABLE_INTERESTING, desc = "a transition without child")
    public static class Weakened extends Node {
        /** Adds the child. */
        @Actor
        public void writer() {
            append(SLAB, block, NEW, CHILD);
        }

        /** Looks it up. */
        @Actor
        public void reader(final I_Result r) {
            r.r1 = transition(SLAB, block, CHILDREN) != NEW ? ABSENT : SLAB.getIntAcquire(childSlot(block, CHILDREN));
        }
    }
}
