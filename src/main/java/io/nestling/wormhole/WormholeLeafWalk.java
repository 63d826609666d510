/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.Backoff;
import io.nestling.offheap.Slab;

import java.lang.invoke.VarHandle;

/**
 * Finds the leaf of a key by the list of leaves alone, from a leaf near it: for readers that meet a change of the meta trie, and
 * for unindexed leaves.
 * <h2>Thread safety</h2>
 * Any thread, inside a guard.
 */
final class WormholeLeafWalk {

    private final Leaves leaves;
    private final Slab slab;

    WormholeLeafWalk(final Leaves leaves) {
        this.leaves = leaves;
        this.slab = leaves.slab();
    }

    /** Returns the leaf to which a key belonged at some moment of the call; begins at a given leaf, dead or alive. */
    long find(final long start, final byte[] key, final int offset, final int length) {
        long leaf = start;
        while (true) {
            if ((leaves.state(leaf) & DEAD) != 0 || !Anchor.admits(slab, leaf, key, offset, length)) {
                // The leaf before a dead leaf took its keys; the first leaf never dies and admits every key.
                leaf = offset(leaves.previous(leaf));
                continue;
            }
            final int next = leaves.next(leaf);
            if (next == 0 || !Anchor.admits(slab, offset(next), key, offset, length)) {
                return leaf;
            }
            leaf = offset(next);
        }
    }

    /** Returns the payload of a key, or {@code PointIndex.NONE}; walks from a given leaf. */
    long get(final long start, final long hash, final byte[] key, final int offset, final int length) {
        // wormhole-concurrency.md, claim 3
        long leaf = start;
        for (int round = 0;; round++) {
            leaf = find(leaf, key, offset, length);
            final long state = leaves.state(leaf);
            final int next = leaves.next(leaf);
            final long payload = leaves.payloadOf(leaf, hash, key, offset, length);
            if (payload != PointIndex.NONE) {
                return payload;
            }
            VarHandle.acquireFence();
            final boolean covers = next == 0 || !Anchor.admits(slab, offset(next), key, offset, length);
            if (covers && (state & DEAD) == 0 && isUnchanged(leaf, state)) {
                return PointIndex.NONE;
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    /** Returns whether a leaf's entries have kept their slots since its state was read. */
    boolean isUnchanged(final long leaf, final long state) {
        VarHandle.acquireFence();
        return sameVersion(state, leaves.state(leaf));
    }
}
