/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.BlockLayout.*;
import static io.nestling.trie.SplitNodeLayout.*;

import io.nestling.memory.Slab;

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

    /**
     * Prefetches a line, by an early load where there is no native bridge.
     *
     * @return what was loaded, to be used so that the compiler keeps the load; 0 if nothing was
     */
    int prefetch(final long offset) {
        if (prefetches) {
            slab.prefetch(offset);
            return 0;
        }
        return slab.getInt(offset);
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
     * Returns the offset of a branching node's child pointer for a transition.
     *
     * @return the offset, or 0 if the node has no slot for this transition; the pointer there may be {@code NONE}
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

    /** Returns the number of children of a branching node. */
    int childCount(final int node) {
        int count = 0;
        for (int t = transitionFrom(node, 0); t >= 0; t = transitionFrom(node, t + 1)) {
            count++;
        }
        return count;
    }

    /** Returns the number of blocks of a split node: its head, mid and tail blocks. */
    int splitBlocks(final int node) {
        int count = 1;
        for (int mid = 0; mid < MIDS; mid++) {
            final int midPointer = slab.getIntAcquire(offset(node) + midSlot(mid * TAILS * CHILDREN));
            if (midPointer != NONE) {
                count++;
                for (int tail = 0; tail < TAILS; tail++) {
                    final long slot = blockOffset(midPointer) + tailSlot(tail * CHILDREN);
                    count += slab.getIntAcquire(slot) != NONE ? 1 : 0;
                }
            }
        }
        return count;
    }

    /**
     * Returns the smallest transition of a branching node at or above a given one.
     *
     * @return the transition, or -1
     */
    int transitionFrom(final int node, final int from) {
        switch (type(node)) {
            case SPARSE:
                return sparseTransitionFrom(node, from);
            default:
                return branchTransition(wideBranchFrom(node, from));
        }
    }

    /**
     * Returns the greatest transition of a branching node at or below a given one.
     *
     * @return the transition, or -1
     */
    int transitionDownFrom(final int node, final int from) {
        switch (type(node)) {
            case SPARSE:
                return sparseTransitionDownFrom(node, from);
            default:
                return branchTransition(wideBranchDownFrom(node, from));
        }
    }

    /**
     * Returns the first branch of a broad, split or flat split node at or above a transition, found and read at once.
     *
     * @return transition and child, see {@link #branchTransition} and {@link #branchChild}; or -1
     */
    long wideBranchFrom(final int node, final int from) {
        switch (type(node)) {
            case BROAD:
                return broadBranchFrom(node, from);
            case FLAT:
                return flatBranchFrom(node, from);
            default:
                return splitBranchFrom(node, from);
        }
    }

    /**
     * Returns the last branch of a broad, split or flat split node at or below a transition, found and read at once.
     *
     * @return transition and child, see {@link #branchTransition} and {@link #branchChild}; or -1
     */
    long wideBranchDownFrom(final int node, final int from) {
        switch (type(node)) {
            case BROAD:
                return broadBranchDownFrom(node, from);
            case FLAT:
                return flatBranchDownFrom(node, from);
            default:
                return splitBranchDownFrom(node, from);
        }
    }

    static int branchTransition(final long branch) {
        return (int) (branch >> Integer.SIZE);
    }

    static int branchChild(final long branch) {
        return (int) branch;
    }

    private static long branch(final int transition, final int child) {
        return (long) transition << Integer.SIZE | child & 0xFFFF_FFFFL;
    }

    private int sparseTransitionFrom(final int node, final int from) {
        final long meta = sparseMeta(node);
        int order = SparseNodeLayout.order(meta);
        while (true) {
            final int transition = SparseNodeLayout.transition(meta, order % SparseNodeLayout.ORDER_BASE);
            if (transition >= from) {
                return transition;
            }
            order /= SparseNodeLayout.ORDER_BASE;
            if (order == 0) {
                return -1;
            }
        }
    }

    private int sparseTransitionDownFrom(final int node, final int from) {
        final long meta = sparseMeta(node);
        int order = SparseNodeLayout.order(meta);
        int best = -1;
        while (order != 0) {
            final int transition = SparseNodeLayout.transition(meta, order % SparseNodeLayout.ORDER_BASE);
            if (transition > from) {
                break;
            }
            best = transition;
            order /= SparseNodeLayout.ORDER_BASE;
        }
        return best;
    }

    private long broadBranchFrom(final int node, final int from) {
        final long base = offset(node);
        int transition = from;
        while (true) {
            final int next = BroadNodeLayout.orderedFrom(slab, base, transition);
            if (next == Integer.MAX_VALUE) {
                return -1;
            }
            transition = next >>> Byte.SIZE;
            final int child = slab.getIntAcquire(BroadNodeLayout.childSlot(base, next & Byte.MAX_VALUE));
            if (child != NONE) {
                return branch(transition, child);
            }
            transition++;
        }
    }

    private long broadBranchDownFrom(final int node, final int from) {
        final long base = offset(node);
        int transition = from;
        while (true) {
            final int next = BroadNodeLayout.orderedDownFrom(slab, base, transition);
            if (next < 0) {
                return -1;
            }
            transition = next >>> Byte.SIZE;
            final int child = slab.getIntAcquire(BroadNodeLayout.childSlot(base, next & Byte.MAX_VALUE));
            if (child != NONE) {
                return branch(transition, child);
            }
            transition--;
        }
    }

    private long flatBranchFrom(final int node, final int from) {
        final long base = offset(node);
        int transition = from;
        while (transition < TRANSITIONS) {
            if ((transition & 1) == 0 && slab.getLong(base + flatSlot(transition)) == 0) {
                transition += 2;
                continue;
            }
            final int child = slab.getIntAcquire(base + flatSlot(transition));
            if (child != NONE) {
                return branch(transition, child);
            }
            transition++;
        }
        return -1;
    }

    private long flatBranchDownFrom(final int node, final int from) {
        final long base = offset(node);
        for (int transition = from; transition >= 0; transition--) {
            final int child = slab.getIntAcquire(base + flatSlot(transition));
            if (child != NONE) {
                return branch(transition, child);
            }
        }
        return -1;
    }

    private long splitBranchFrom(final int node, final int from) {
        final long head = offset(node);
        int transition = from;
        while (transition < TRANSITIONS) {
            final int mid = slab.getIntAcquire(head + midSlot(transition));
            if (mid == NONE) {
                transition = (transition | TAILS * CHILDREN - 1) + 1;
                continue;
            }
            final int tail = slab.getIntAcquire(blockOffset(mid) + tailSlot(transition));
            if (tail == NONE) {
                transition = (transition | CHILDREN - 1) + 1;
                continue;
            }
            final long children = blockOffset(tail);
            do {
                final int child = slab.getIntAcquire(children + SplitNodeLayout.childSlot(transition));
                if (child != NONE) {
                    return branch(transition, child);
                }
                transition++;
            } while ((transition & CHILDREN - 1) != 0);
        }
        return -1;
    }

    private long splitBranchDownFrom(final int node, final int from) {
        final long head = offset(node);
        int transition = from;
        while (transition >= 0) {
            final int mid = slab.getIntAcquire(head + midSlot(transition));
            if (mid == NONE) {
                transition = (transition & -(TAILS * CHILDREN)) - 1;
                continue;
            }
            final int tail = slab.getIntAcquire(blockOffset(mid) + tailSlot(transition));
            if (tail == NONE) {
                transition = (transition & -CHILDREN) - 1;
                continue;
            }
            final long children = blockOffset(tail);
            do {
                final int child = slab.getIntAcquire(children + SplitNodeLayout.childSlot(transition));
                if (child != NONE) {
                    return branch(transition, child);
                }
                transition--;
            } while ((transition & CHILDREN - 1) != CHILDREN - 1);
        }
        return -1;
    }
}
