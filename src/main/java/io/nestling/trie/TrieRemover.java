/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabBytes;

/**
 * Removes keys from one trie: removes the path that led to nothing else, shrinks the node where it branched off, and joins chains
 * that meet then.
 * <h2>Thread safety</h2>
 * One writer.
 */
final class TrieRemover {
    /* Most blocks that a removal builds: a split node that replaces a flat one, and a prefix node before it. */
    static final int REMOVE_BLOCKS = 2 + SplitNodeLayout.MIDS + SplitNodeLayout.SPLIT_TAILS + 2;

    private final TrieNodes nodes;
    private final TrieNodeWriter writer;
    private final Slab slab;
    private final BlockAllocator blocks;
    private final ChildStack children;
    private final byte[] joined = new byte[2 * ChainNodeLayout.MAX_TRANSITIONS + 1];

    /* The plain chain that ends at the current node, and the slot that leads to it; NONE if there is none. */
    private long aboveSlot;
    private int above;
    /* The last node on the path that also leads elsewhere, and the chain above it. */
    private long cutSlot;
    private int cut;
    private int cutTransition;
    private long cutAboveSlot;
    private int cutAbove;

    TrieRemover(final TrieNodes nodes, final TrieNodeWriter writer, final BlockAllocator blocks) {
        this.nodes = nodes;
        this.writer = writer;
        this.slab = nodes.slab();
        this.blocks = blocks;
        this.children = new ChildStack(nodes, SplitNodeLayout.TRANSITIONS);
    }

    /** Removes a key; returns its payload or {@code PointIndex.NONE}. Throws before anything changes. */
    long remove(final byte[] key, final int offset, final int length) {
        // trie-concurrency.md, claim 6
        blocks.requireSpace(REMOVE_BLOCKS, BLOCK_CLASS);
        above = NONE;
        cut = NONE;
        final int end = offset + length;
        long slot = ROOT_OFFSET;
        int position = offset;
        while (true) {
            final int node = slab.getInt(slot);
            if (node == NONE) {
                return PointIndex.NONE;
            }
            if (isLeaf(node)) {
                return position == end ? removeLeaf(node) : PointIndex.NONE;
            }
            if (position == end) {
                return type(node) == PREFIX ? removeContent(slot, node) : PointIndex.NONE;
            }
            if (nodes.isChainLike(node)) {
                final int chainLength = nodes.chainLength(node);
                if (chainLength > end - position
                    || SlabBytes.commonPrefix(slab, nodes.chainStart(node), key, position,
                    chainLength) < chainLength) {
                    return PointIndex.NONE;
                }
                passChain(slot, node);
                position += chainLength;
                slot = nodes.chainChildSlot(node);
            } else if (nodes.isStandalonePrefix(node)) {
                markCut(slot, node, -1);
                slot = nodes.chainChildSlot(node);
            } else {
                final int transition = key[position++] & 0xFF;
                markCut(slot, node, transition);
                slot = nodes.childSlot(node, transition);
                if (slot == 0) {
                    return PointIndex.NONE;
                }
            }
        }
    }

    private void passChain(final long slot, final int node) {
        if (type(node) == PREFIX) {
            markCut(slot, node, -1);
        } else {
            aboveSlot = slot;
            above = node;
        }
    }

    private void markCut(final long slot, final int node, final int transition) {
        cutSlot = slot;
        cut = node;
        cutTransition = transition;
        cutAboveSlot = aboveSlot;
        cutAbove = above;
        above = NONE;
    }

    private long removeLeaf(final int leaf) {
        final long payload = nodes.payload(leaf);
        if (cut == NONE) {
            final int root = slab.getInt(ROOT_OFFSET);
            slab.putIntRelease(ROOT_OFFSET, NONE);
            retirePath(root);
        } else if (cutTransition < 0) {
            // Nothing follows the prefix any more: its content becomes a leaf.
            final int below = nodes.pointerAt(nodes.chainChildSlot(cut));
            slab.putIntRelease(cutSlot, nodes.prefixContent(cut));
            writer.retire(cut);
            retirePath(below);
        } else {
            final int below = nodes.child(cut, cutTransition);
            removeChild();
            retirePath(below);
        }
        writer.retireLeaf(leaf);
        return payload;
    }

    private long removeContent(final long slot, final int prefix) {
        final int content = nodes.prefixContent(prefix);
        final long payload = nodes.payload(content);
        final boolean standalone = nodes.isStandalonePrefix(prefix);
        final int below = standalone ? nodes.pointerAt(nodes.chainChildSlot(prefix)) : prefix;
        if (above != NONE && nodes.isChainLike(below) && (!standalone || type(below) != PREFIX)) {
            cutSlot = slot;
            cutAboveSlot = aboveSlot;
            cutAbove = above;
            join(-1, below);
            if (below != prefix) {
                writer.retire(below);
            }
        } else {
            slab.putIntRelease(slot, writer.withoutContent(prefix));
        }
        writer.retire(prefix);
        writer.retireLeaf(content);
        return payload;
    }

    /** Retires the chain nodes from a node to a leaf. */
    private void retirePath(final int first) {
        int node = first;
        while (!isLeaf(node)) {
            final int child = nodes.pointerAt(nodes.chainChildSlot(node));
            writer.retire(node);
            node = child;
        }
    }

    private void removeChild() {
        switch (type(cut)) {
            case SPARSE:
                removeFromSparse();
                break;
            case BROAD:
                removeFromBroad();
                break;
            case FLAT:
                removeFromFlat();
                break;
            default:
                removeFromSplit();
                break;
        }
    }

    private void removeFromSparse() {
        final int count = SparseNodeLayout.count(nodes.sparseMeta(cut));
        if (count > 2) {
            slab.putIntRelease(cutSlot, writer.sparseWithout(cut, cutTransition));
        } else {
            children.set(cut);
            final int remaining = children.transition(0) == cutTransition ? 1 : 0;
            final int child = children.child(remaining);
            join(children.transition(remaining), child);
            if (!isLeaf(child) && ChainNodeLayout.isChain(type(child))) {
                writer.retire(child);
            }
        }
        writer.retire(cut);
    }

    /** Replaces the chain above the cut, a transition and a node by one chain; a chain node's transitions are included. */
    private void join(final int transition, final int below) {
        int length = 0;
        if (cutAbove != NONE) {
            length = writer.copyChain(cutAbove, joined, 0);
        }
        if (transition >= 0) {
            joined[length++] = (byte) transition;
        }
        int child = below;
        if (!isLeaf(below) && (ChainNodeLayout.isChain(type(below)) || transition < 0)) {
            length += writer.copyChain(below, joined, length);
            child = nodes.pointerAt(nodes.chainChildSlot(below));
        }
        slab.putIntRelease(cutAbove != NONE ? cutAboveSlot : cutSlot, writer.chain(joined, 0, length, child));
        if (cutAbove != NONE) {
            writer.retire(cutAbove);
        }
    }

    private void removeFromBroad() {
        slab.putIntRelease(nodes.childSlot(cut, cutTransition), NONE);
        if (!hasMoreChildrenThan(SplitNodeLayout.SPARSE_CHILDREN)) {
            slab.putIntRelease(cutSlot, writer.sparseWithout(cut, -1));
            writer.retire(cut);
        }
    }

    private void removeFromSplit() {
        slab.putIntRelease(nodes.childSlot(cut, cutTransition), NONE);
        writer.trimSplit(cut, cutTransition);
        if (hasMoreChildrenThan(SplitNodeLayout.BROAD_CHILDREN)) {
            return;
        }
        final boolean sparse = children.size() <= SplitNodeLayout.SPARSE_CHILDREN;
        final int fewer = sparse ? writer.sparseWithout(cut, -1) : writer.broadOf(cut);
        if (fewer == NONE) {
            return;
        }
        slab.putIntRelease(cutSlot, type(cut) == PREFIX ? writer.prefix(nodes.prefixContent(cut), fewer) : fewer);
        writer.retireMidsAndTails(cut);
        writer.retire(cut);
    }

    /** Reads the children of the cut, all of them if there are no more than so many. */
    private boolean hasMoreChildrenThan(final int limit) {
        children.cut(0);
        for (int from = 0; from < SplitNodeLayout.TRANSITIONS && children.size() <= limit; from += ChildStack.WINDOW) {
            children.add(cut, from, from + ChildStack.WINDOW - 1);
        }
        return children.size() > limit;
    }

    private void removeFromFlat() {
        slab.putIntRelease(nodes.childSlot(cut, cutTransition), NONE);
        if (!writer.hasMoreTailsThan(SplitNodeLayout.SPLIT_TAILS, cut)) {
            slab.putIntRelease(cutSlot, writer.splitOf(cut));
            writer.retire(cut);
        }
    }
}
