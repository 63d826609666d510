/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;
import static io.nestling.trie.SplitNodeLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.EarlyLoad;
import io.nestling.offheap.Slab;

/**
 * Reads the nodes of one trie: what a node is, its transitions, children and content.
 * <h2>Thread safety</h2> Stateless over the slab. Readers beside the writer are inside guards; every pointer is loaded with
 * acquire, so that its block is seen filled.
 */
final class TrieNodes {
    private final Slab slab;
    private final boolean prefetches;

    TrieNodes(final Slab slab) {
        this.slab = slab;
        this.prefetches = slab.address(0) != 0;
    }

    Slab slab() {
        return slab;
    }

    /** Prefetches a line, by an early load where there is no native bridge. */
    void prefetch(final long offset) {
        if (prefetches) {
            slab.prefetch(offset);
        } else {
            EarlyLoad.use(slab.getInt(offset));
        }
    }

    int root() {
        return slab.getIntAcquire(ROOT_OFFSET);
    }

    int pointerAt(final long slot) {
        return slab.getIntAcquire(slot);
    }

    /** Returns the payload of a leaf pointer. */
    long payload(final int leaf) {
        return isInline(leaf) ? leaf & INLINE_MASK : slab.getLong(slotOffset(leaf));
    }

    /** Returns the payload of a key that ends at a node, or {@code PointIndex.NONE}. */
    long payloadAt(final int node) {
        if (isLeaf(node)) {
            return payload(node);
        }
        return node != NONE && type(node) == PREFIX ? payload(prefixContent(node)) : PointIndex.NONE;
    }

    /** Returns the content of a prefix node: a leaf pointer. */
    int prefixContent(final int node) {
        return slab.getIntAcquire(offset(node) + PrefixNodeLayout.CONTENT_OFFSET);
    }

    int prefixForm(final int node) {
        return slab.getByte(offset(node) + PrefixNodeLayout.FORM_OFFSET) & 0xFF;
    }

    /** Returns whether a node is a chain, of its own or embedded in a prefix node. */
    boolean isChainLike(final int node) {
        final int type = type(node);
        return ChainNodeLayout.isChain(type) || type == PREFIX
            && prefixForm(node) < PrefixNodeLayout.FORM_SPLIT;
    }

    boolean isStandalonePrefix(final int node) {
        return type(node) == PREFIX && prefixForm(node) == PrefixNodeLayout.FORM_STANDALONE;
    }

    /** Returns the offset of the first transition of a chain-like node. */
    long chainStart(final int node) {
        final int type = type(node);
        if (type == PREFIX) {
            return offset(node) + prefixForm(node);
        }
        final long base = ChainNodeLayout.base(node);
        return base + slab.getByte(base + ChainNodeLayout.START_OFFSET);
    }

    /** Returns the offset of the child pointer of a chain-like or standalone prefix node; the end of the transitions. */
    long chainChildSlot(final int node) {
        final int type = type(node);
        return type >= SHORT_CHAIN_LOW && type <= SHORT_CHAIN_HIGH
            ? ChainNodeLayout.base(node) + ChainNodeLayout.SHORT_CHILD_OFFSET
            : offset(node) + ChainNodeLayout.CHILD_OFFSET;
    }

    int chainLength(final int node) {
        return (int) (chainChildSlot(node) - chainStart(node));
    }

    long sparseMeta(final int node) {
        return slab.getLongAcquire(offset(node) + SparseNodeLayout.META_OFFSET);
    }

    long sparseChildSlot(final int node, final int index) {
        return offset(node) + SparseNodeLayout.CHILDREN_OFFSET + ((long) index << POINTER_SHIFT);
    }

    /**
     * Returns the offset of a branching node's child pointer for a transition, where there may be {@code NONE}; 0 if the node has
     * no slot for it.
     */
    long childSlot(final int node, final int transition) {
        switch (type(node)) {
            case SPARSE: {
                final int index = SparseNodeLayout.indexOf(sparseMeta(node), transition);
                return index < 0 ? 0 : sparseChildSlot(node, index);
            }
            case BROAD: {
                final int index = BroadNodeLayout.indexOf(slab, offset(node), transition);
                return index < 0 ? 0 : BroadNodeLayout.childSlot(offset(node), index);
            }
            case SPLIT:
            case PREFIX:
                return splitChildSlot(node, transition);
            case FLAT:
                return offset(node) + flatSlot(transition);
            default:
                throw new AssertionError("node " + node + " has no branches");
        }
    }

    private long splitChildSlot(final int node, final int transition) {
        final int mid = slab.getIntAcquire(offset(node) + midSlot(transition));
        if (mid == NONE) {
            return 0;
        }
        final int tail = slab.getIntAcquire(blockOffset(mid) + tailSlot(transition));
        return tail == NONE ? 0 : blockOffset(tail) + SplitNodeLayout.childSlot(transition);
    }

    /** Returns the child of a branching node for a transition, or {@code NONE}. */
    int child(final int node, final int transition) {
        final long slot = childSlot(node, transition);
        return slot == 0 ? NONE : slab.getIntAcquire(slot);
    }
}
