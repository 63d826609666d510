/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.SparseNodeLayout.*;

import io.nestling.jcstress.Blocks;
import io.nestling.offheap.Slab;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A third child of a sparse node: the release of the meta word covers the child's pointer and its payload.
 * <p>
 * Weakened: the meta word is written before the pointer, as plain stores would allow.
 */
final class SparseNodeStress {
    private static final int ABSENT = -1;
    private static final int NO_CHILD = -2;
    private static final int PAYLOAD = 42;
    private static final int PAYLOAD_OFFSET = TrieBlockLayout.BLOCK_BYTES;
    private static final int NEW = 'c';
    private static final Blocks BLOCKS = new Blocks(64);
    private static final Slab SLAB = BLOCKS.slab();
    private static final TrieNodes NODES = new TrieNodes(SLAB);

    /** A node with two children. */
    static class Node {
        final long block = BLOCKS.next();

        Node() {
            SLAB.putInt(block, TrieBlockLayout.inlineLeaf(1));
            SLAB.putInt(block + Integer.BYTES, TrieBlockLayout.inlineLeaf(1));
            SLAB.putInt(block + 2 * Integer.BYTES, TrieBlockLayout.NONE);
            SLAB.putLong(block + META_OFFSET, withChild(firstChild('a'), 1, 'b'));
            SLAB.putLong(block + PAYLOAD_OFFSET, 0);
        }

        final void putChild() {
            SLAB.putLong(block + PAYLOAD_OFFSET, PAYLOAD);
            SLAB.putInt(block + 2 * Integer.BYTES, TrieBlockLayout.slotLeaf(block + PAYLOAD_OFFSET));
        }

        final void putMeta() {
            final long meta = SLAB.getLong(block + META_OFFSET);
            SLAB.putLongRelease(block + META_OFFSET, withChild(meta, 2, NEW));
        }

        final int read() {
            final long slot = NODES.childSlot(TrieBlockLayout.pointer(block, TrieBlockLayout.SPARSE), NEW);
            if (slot == 0) {
                return ABSENT;
            }
            final int child = NODES.pointerAt(slot);
            return child == TrieBlockLayout.NONE ? NO_CHILD : (int) NODES.payload(child);
        }
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"-1", "42"}, expect = Expect.ACCEPTABLE, desc = "absent or whole")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a child without pointer or payload")
    public static class Kept extends Node {
        /** Adds the child. */
        @Actor
        public void writer() {
            putChild();
            putMeta();
        }

        /** Looks it up. */
        @Actor
        public void reader(final I_Result r) {
            r.r1 = read();
        }
    }

    /** In the other order. */
    @JCStressTest
    @State
    @Outcome(id = {"-1", "42"}, expect = Expect.ACCEPTABLE, desc = "absent or whole")
    @Outcome(id = {"-2", "0"}, expect = Expect.ACCEPTABLE_INTERESTING, desc = "a child without pointer or payload")
    public static class Weakened extends Node {
        /** Adds the child. */
        @Actor
        public void writer() {
            putMeta();
            putChild();
        }

        /** Looks it up. */
        @Actor
        public void reader(final I_Result r) {
            r.r1 = read();
        }
    }
}
