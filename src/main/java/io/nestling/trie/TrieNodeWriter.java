/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.BlockLayout.*;
import static io.nestling.trie.SplitNodeLayout.*;

import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.Slab;

import java.util.function.LongConsumer;

/**
 * Builds the nodes of one trie and takes replaced ones apart. A node is filled by plain stores; the caller's later putIntRelease
 * of its pointer publishes them, and readers load pointers with acquire.
 * <h2>Thread safety</h2>
 * One writer. The caller has reserved the space for everything built here.
 */
final class TrieNodeWriter {
    private final TrieNodes nodes;
    private final Slab slab;
    private final BlockAllocator blocks;
    /* The children of the node that another one is made from. */
    private final ChildStack read;
    private final byte[] embedded = new byte[ChainNodeLayout.MAX_TRANSITIONS];
    private final byte[] transitions = new byte[BroadNodeLayout.MAX_CHILDREN];
    private final int[] children = new int[BroadNodeLayout.MAX_CHILDREN];

    TrieNodeWriter(final TrieNodes nodes, final BlockAllocator blocks) {
        this.nodes = nodes;
        this.slab = nodes.slab();
        this.blocks = blocks;
        this.read = new ChildStack(nodes, TRANSITIONS); // a write that has begun allocates nothing on the heap
    }

    /** Returns a leaf pointer for a payload. */
    int leaf(final long payload) {
        if (payload < INLINE_LIMIT) {
            return inlineLeaf(payload);
        }
        final long slot = blocks.allocate(HALF_CLASS);
        slab.putLong(slot, payload);
        return slotLeaf(slot);
    }

    void retireLeaf(final int leaf) {
        if (!isInline(leaf)) {
            blocks.retire(slotOffset(leaf), HALF_CLASS);
        }
    }

    /** Returns chain nodes that spell bytes and end at a child; the child itself if there are no bytes. */
    int chain(final byte[] bytes, final int from, final int to, final int child) {
        int node = child;
        int end = to;
        while (end > from) {
            // The part that fills no block goes to the end of the path, where it costs least.
            final int rest = (end - from) % ChainNodeLayout.MAX_TRANSITIONS;
            final int length = rest == 0 ? ChainNodeLayout.MAX_TRANSITIONS : rest;
            node = oneChain(bytes, end - length, length, node);
            end -= length;
        }
        return node;
    }

    private int oneChain(final byte[] bytes, final int from, final int length, final int child) {
        final int type = ChainNodeLayout.typeFor(length);
        if (type == SHORT_CHAIN_LOW) {
            final long half = blocks.allocate(HALF_CLASS);
            fillChain(half, ChainNodeLayout.SHORT_CHILD_OFFSET, bytes, from, length);
            slab.putInt(half + ChainNodeLayout.SHORT_CHILD_OFFSET, child);
            return pointer(half & -BLOCK_BYTES,
                (half & HALF_BYTES) == 0 ? SHORT_CHAIN_LOW : SHORT_CHAIN_HIGH);
        }
        final long block = blocks.allocate(BLOCK_CLASS);
        fillChain(block, ChainNodeLayout.CHILD_OFFSET, bytes, from, length);
        slab.putInt(block + ChainNodeLayout.CHILD_OFFSET, child);
        return pointer(block, type);
    }

    private void fillChain(final long base, final int end, final byte[] bytes, final int from,
        final int length) {
        final int start = end - length;
        for (int i = 0; i < length; i++) {
            slab.putByte(base + start + i, bytes[from + i]);
        }
        if (start > 0) {
            slab.putByte(base + ChainNodeLayout.START_OFFSET, (byte) start);
        }
    }

    /** Returns a sparse node with two children. */
    int sparse(final int transition0, final int child0, final int transition1, final int child1) {
        final boolean ascending = transition0 < transition1;
        transitions[0] = (byte) (ascending ? transition0 : transition1);
        transitions[1] = (byte) (ascending ? transition1 : transition0);
        children[0] = ascending ? child0 : child1;
        children[1] = ascending ? child1 : child0;
        return sortedSparse(2);
    }

    private int sortedSparse(final int count) {
        final long block = blocks.allocate(BLOCK_CLASS);
        for (int i = 0; i < count; i++) {
            slab.putInt(block + ((long) i << POINTER_SHIFT), children[i]);
        }
        slab.putLong(block + SparseNodeLayout.META_OFFSET, SparseNodeLayout.sortedMeta(transitions, count));
        return pointer(block, SPARSE);
    }

    /** Collects up to 24 children of a branching node in order; returns their number. */
    private int collect(final int node, final int except) {
        read.set(node);
        int count = 0;
        for (int i = 0; i < read.size(); i++) {
            if (read.transition(i) != except) {
                transitions[count] = (byte) read.transition(i);
                children[count++] = read.child(i);
            }
        }
        return count;
    }

    /** Returns a sparse node with the children of a branching node except one; two to six must remain. */
    int sparseWithout(final int node, final int except) {
        return sortedSparse(collect(node, except));
    }

    /** Returns the smallest node for the children of a full sparse or broad node and one more. */
    int grown(final int full, final int transition, final int child) {
        final int count = collect(full, -1);
        if (count < BroadNodeLayout.MAX_CHILDREN) {
            final int broad = broad(count);
            if (broad != NONE) {
                BroadNodeLayout.append(slab, offset(broad), transition, child);
                return broad;
            }
        }
        final int split = splitWith(count, transition, child);
        if (splitTails(split) < FLAT_TAILS) {
            return split;
        }
        final int flat = flat(split);
        if (flat == NONE) {
            return split;
        }
        freeMidsAndTails(split);
        free(split);
        return flat;
    }

    /**
     * Returns a broad node with the children of a branching node, at most 24; {@code NONE} if there is no space for it.
     */
    int broadOf(final int node) {
        return broad(collect(node, -1));
    }

    private int broad(final int count) {
        // Only for speed and density: never uses space that is reserved for other writes.
        final long base = blocks.tryAllocateUnreserved(BROAD_CLASS);
        if (base == 0) {
            return NONE;
        }
        for (int i = 0; i < count; i++) {
            BroadNodeLayout.append(slab, base, transitions[i] & 0xFF, children[i]);
        }
        return pointer(base, BROAD);
    }

    private int splitWith(final int count, final int transition, final int child) {
        final long head = blocks.allocate(BLOCK_CLASS);
        for (int i = 0; i < count; i++) {
            slab.putInt(linkedSplitSlot(head, transitions[i] & 0xFF), children[i]);
        }
        slab.putInt(linkedSplitSlot(head, transition), child);
        return pointer(head, SPLIT);
    }

    /**
     * Returns the slot for a child of a split node. Links missing blocks on the way; they are empty, so that readers find no
     * child there.
     */
    long linkedSplitSlot(final long head, final int transition) {
        final long midSlot = head + midSlot(transition);
        int mid = slab.getInt(midSlot);
        if (mid == NONE) {
            mid = blockPointer(blocks.allocate(BLOCK_CLASS));
            slab.putIntRelease(midSlot, mid);
        }
        final long tailSlot = blockOffset(mid) + tailSlot(transition);
        int tail = slab.getInt(tailSlot);
        if (tail == NONE) {
            tail = blockPointer(blocks.allocate(BLOCK_CLASS));
            slab.putIntRelease(tailSlot, tail);
        }
        return blockOffset(tail) + SplitNodeLayout.childSlot(transition);
    }

    /** Returns the number of tail blocks of a split node. */
    int splitTails(final int node) {
        int tails = 0;
        for (int t = 0; t < TRANSITIONS; t += CHILDREN) {
            final int mid = slab.getInt(offset(node) + midSlot(t));
            if (mid != NONE && slab.getInt(blockOffset(mid) + tailSlot(t)) != NONE) {
                tails++;
            }
        }
        return tails;
    }

    /** Returns whether a flat split node would have more tail blocks than so many as a split one. */
    boolean hasMoreTailsThan(final int limit, final int flat) {
        int tails = 0;
        for (int row = 0; row < TRANSITIONS && tails <= limit; row += CHILDREN) {
            read.cut(0);
            read.add(flat, row, row + CHILDREN - 1);
            tails += read.size() > 0 ? 1 : 0;
        }
        return tails > limit;
    }

    /** Returns a flat copy of a split node, or {@code NONE} if there is no space for it. */
    int flat(final int split) {
        // Only for speed: never uses space that is reserved for other writes.
        final long base = blocks.tryAllocateUnreserved(FLAT_CLASS);
        if (base == 0) {
            return NONE;
        }
        read.set(split);
        for (int i = 0; i < read.size(); i++) {
            slab.putInt(base + flatSlot(read.transition(i)), read.child(i));
        }
        return pointer(base, FLAT);
    }

    /** Returns a split copy of a flat split node. */
    int split(final int flat) {
        final long head = blocks.allocate(BLOCK_CLASS);
        read.set(flat);
        for (int i = 0; i < read.size(); i++) {
            slab.putInt(linkedSplitSlot(head, read.transition(i)), read.child(i));
        }
        return pointer(head, SPLIT);
    }

    /** Returns a prefix node of a content and a node; chains that fit and split nodes are embedded as copies. */
    int prefix(final int content, final int node) {
        final int type = isLeaf(node) ? PREFIX : type(node);
        if (ChainNodeLayout.isChain(type)
            && nodes.chainLength(node) <= PrefixNodeLayout.MAX_CHAIN_TRANSITIONS) {
            final int length = copyChain(node, embedded, 0);
            return prefixedChain(content, length, nodes.pointerAt(nodes.chainChildSlot(node)));
        }
        final long block = blocks.allocate(BLOCK_CLASS);
        slab.putInt(block + PrefixNodeLayout.CONTENT_OFFSET, content);
        if (type == SPLIT) {
            slab.putByte(block + PrefixNodeLayout.FORM_OFFSET, (byte) PrefixNodeLayout.FORM_SPLIT);
            copyMids(node, block);
        } else {
            slab.putByte(block + PrefixNodeLayout.FORM_OFFSET, (byte) PrefixNodeLayout.FORM_STANDALONE);
            slab.putInt(block + PrefixNodeLayout.CHILD_OFFSET, node);
        }
        return pointer(block, PREFIX);
    }

    private int prefixedChain(final int content, final int length, final int child) {
        final long block = blocks.allocate(BLOCK_CLASS);
        slab.putInt(block + PrefixNodeLayout.CONTENT_OFFSET, content);
        final int start = PrefixNodeLayout.CHILD_OFFSET - length;
        slab.putByte(block + PrefixNodeLayout.FORM_OFFSET, (byte) start);
        slab.putBytes(block + start, embedded, 0, length);
        slab.putInt(block + PrefixNodeLayout.CHILD_OFFSET, child);
        return pointer(block, PREFIX);
    }

    /** Returns whether {@link #prefix} copies a node, so that the node itself is unused afterwards. */
    boolean embeds(final int node) {
        return !isLeaf(node) && (type(node) == SPLIT
            || ChainNodeLayout.isChain(type(node))
                && nodes.chainLength(node) <= PrefixNodeLayout.MAX_CHAIN_TRANSITIONS);
    }

    /** Returns the node that continues a prefix node, as a node of its own: a copy if it was embedded. */
    int withoutContent(final int prefix) {
        if (nodes.isStandalonePrefix(prefix)) {
            return nodes.pointerAt(nodes.chainChildSlot(prefix));
        }
        if (nodes.isChainLike(prefix)) {
            final int length = copyChain(prefix, embedded, 0);
            return chain(embedded, 0, length, nodes.pointerAt(nodes.chainChildSlot(prefix)));
        }
        final long head = blocks.allocate(BLOCK_CLASS);
        copyMids(prefix, head);
        return pointer(head, SPLIT);
    }

    private void copyMids(final int split, final long head) {
        for (int i = 0; i < MIDS; i++) {
            final long slot = MIDS_OFFSET + ((long) i << POINTER_SHIFT);
            slab.putInt(head + slot, slab.getInt(offset(split) + slot));
        }
    }

    /** Copies the transitions of a chain-like node; returns their number. */
    int copyChain(final int node, final byte[] destination, final int at) {
        final int length = nodes.chainLength(node);
        slab.getBytes(nodes.chainStart(node), destination, at, length);
        return length;
    }

    /** Retires a node's block; of a split node, not its mid and tail blocks. */
    void retire(final int node) {
        switch (type(node)) {
            case SHORT_CHAIN_LOW:
            case SHORT_CHAIN_HIGH:
                blocks.retire(ChainNodeLayout.base(node), HALF_CLASS);
                break;
            case BROAD:
                blocks.retire(offset(node), BROAD_CLASS);
                break;
            case FLAT:
                blocks.retire(offset(node), FLAT_CLASS);
                break;
            default:
                blocks.retire(offset(node), BLOCK_CLASS);
                break;
        }
    }

    /** Frees a node that was never published. */
    void free(final int node) {
        final int type = type(node);
        final boolean half = type == SHORT_CHAIN_LOW || type == SHORT_CHAIN_HIGH;
        blocks.free(half ? ChainNodeLayout.base(node) : offset(node), half ? HALF_CLASS : BLOCK_CLASS);
    }

    /** Retires the mid and tail blocks of a split node. */
    void retireMidsAndTails(final int split) {
        forMidsAndTails(split, block -> blocks.retire(block, BLOCK_CLASS));
    }

    /** Frees the mid and tail blocks of a split node that was never published. */
    private void freeMidsAndTails(final int split) {
        forMidsAndTails(split, block -> blocks.free(block, BLOCK_CLASS));
    }

    private void forMidsAndTails(final int split, final LongConsumer action) {
        for (int t = 0; t < TRANSITIONS; t += TAILS * CHILDREN) {
            final int mid = slab.getInt(offset(split) + midSlot(t));
            if (mid != NONE) {
                for (int i = 0; i < TAILS; i++) {
                    final int tail = slab.getInt(blockOffset(mid) + tailSlot(i * CHILDREN));
                    if (tail != NONE) {
                        action.accept(blockOffset(tail));
                    }
                }
                action.accept(blockOffset(mid));
            }
        }
    }

    /** Unlinks and retires the tail block of a transition, and its mid block, if no pointer is left in them. */
    void trimSplit(final int split, final int transition) {
        final long midSlot = offset(split) + midSlot(transition);
        final long mid = blockOffset(slab.getInt(midSlot));
        final long tailSlot = mid + tailSlot(transition);
        final long tail = blockOffset(slab.getInt(tailSlot));
        if (isEmpty(tail)) {
            slab.putIntRelease(tailSlot, NONE);
            blocks.retire(tail, BLOCK_CLASS);
            if (isEmpty(mid)) {
                slab.putIntRelease(midSlot, NONE);
                blocks.retire(mid, BLOCK_CLASS);
            }
        }
    }

    private boolean isEmpty(final long block) {
        return (slab.getLong(block) | slab.getLong(block + 8) | slab.getLong(block + 16) | slab.getLong(
            block + 24)) == 0;
    }
}
