/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;
import static io.nestling.trie.SplitNodeLayout.*;

import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.Slab;

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
    /* The children of the node to build. */
    private final ChildStack children;
    private final byte[] embedded = new byte[ChainNodeLayout.MAX_TRANSITIONS];

    TrieNodeWriter(final TrieNodes nodes, final BlockAllocator blocks) {
        this.nodes = nodes;
        this.slab = nodes.slab();
        this.blocks = blocks;
        this.children = new ChildStack(nodes, TRANSITIONS); // a write that has begun allocates nothing on the heap
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
        final boolean half = ChainNodeLayout.typeFor(length) == SHORT_CHAIN_LOW;
        final long base = blocks.allocate(half ? HALF_CLASS : BLOCK_CLASS);
        final long end = base + (half ? ChainNodeLayout.SHORT_CHILD_OFFSET : ChainNodeLayout.CHILD_OFFSET);
        for (int i = 0; i < length; i++) {
            slab.putByte(end - length + i, bytes[from + i]);
        }
        slab.putByte(base + ChainNodeLayout.START_OFFSET, (byte) (end - length - base));
        slab.putInt(end, child);
        return !half ? pointer(base, CHAIN)
            : pointer(base & -BLOCK_BYTES, (base & HALF_BYTES) == 0 ? SHORT_CHAIN_LOW : SHORT_CHAIN_HIGH);
    }

    /** Returns a sparse node with two children. */
    int sparse(final int transition0, final int child0, final int transition1, final int child1) {
        final boolean ascending = transition0 < transition1;
        children.cut(0);
        children.add(ascending ? transition0 : transition1, ascending ? child0 : child1);
        children.add(ascending ? transition1 : transition0, ascending ? child1 : child0);
        return sparseExcept(-1);
    }

    /** Returns a sparse node with the children of a branching node except one; two to six must remain. */
    int sparseWithout(final int node, final int except) {
        children.set(node);
        return sparseExcept(except);
    }

    /** Returns the smallest node for the children of a full sparse or broad node and one more. */
    int grown(final int full, final int transition, final int child) {
        children.set(full);
        children.add(transition, child);
        int node = children.size() <= BroadNodeLayout.MAX_CHILDREN ? broad() : NONE;
        if (node == NONE && Integer.bitCount(children.tails()) >= FLAT_TAILS) {
            node = flat();
        }
        return node != NONE ? node : split();
    }

    /**
     * Returns a broad node with the children of a branching node, at most 24; {@code NONE} if there is no space for it.
     */
    int broadOf(final int node) {
        children.set(node);
        return broad();
    }

    /** Returns a flat copy of a split node, or {@code NONE} if there is no space for it. */
    int flatOf(final int split) {
        children.set(split);
        return flat();
    }

    /** Returns a split copy of a flat split node. */
    int splitOf(final int flat) {
        children.set(flat);
        return split();
    }

    /** Returns a sparse node with the collected children, which are in order, except one. */
    private int sparseExcept(final int except) {
        final long block = blocks.allocate(BLOCK_CLASS);
        long meta = 0;
        int count = 0;
        for (int i = 0; i < children.size(); i++) {
            final int transition = children.transition(i);
            if (transition != except) {
                slab.putInt(block + ((long) count << POINTER_SHIFT), children.child(i));
                meta = count == 0
                    ? SparseNodeLayout.firstChild(transition) : SparseNodeLayout.withChild(meta, count, transition);
                count++;
            }
        }
        slab.putLong(block + SparseNodeLayout.META_OFFSET, meta);
        return pointer(block, SPARSE);
    }

    private int broad() {
        // Only for speed and density: never uses space that is reserved for other writes.
        final long base = blocks.tryAllocateUnreserved(BROAD_CLASS);
        if (base == 0) {
            return NONE;
        }
        for (int i = 0; i < children.size(); i++) {
            BroadNodeLayout.append(slab, base, children.transition(i), children.child(i));
        }
        return pointer(base, BROAD);
    }

    private int flat() {
        // Only for speed: never uses space that is reserved for other writes.
        final long base = blocks.tryAllocateUnreserved(FLAT_CLASS);
        if (base == 0) {
            return NONE;
        }
        for (int i = 0; i < children.size(); i++) {
            slab.putInt(base + flatSlot(children.transition(i)), children.child(i));
        }
        return pointer(base, FLAT);
    }

    private int split() {
        final long head = blocks.allocate(BLOCK_CLASS);
        for (int i = 0; i < children.size(); i++) {
            slab.putInt(linkedSplitSlot(head, children.transition(i)), children.child(i));
        }
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
            children.cut(0);
            children.add(flat, row, row + CHILDREN - 1);
            tails += children.size() > 0 ? 1 : 0;
        }
        return tails > limit;
    }

    /** Returns a prefix node of a content and a node; chains that fit and split nodes are embedded as copies. */
    int prefix(final int content, final int node) {
        // trie-concurrency.md, claim 5
        final long block = blocks.allocate(BLOCK_CLASS);
        slab.putInt(block + PrefixNodeLayout.CONTENT_OFFSET, content);
        int form = PrefixNodeLayout.FORM_STANDALONE;
        int child = node;
        if (embeds(node)) {
            if (type(node) == SPLIT) {
                slab.putByte(block + PrefixNodeLayout.FORM_OFFSET, (byte) PrefixNodeLayout.FORM_SPLIT);
                copyMids(node, block);
                return pointer(block, PREFIX);
            }
            final int length = copyChain(node, embedded, 0);
            form = PrefixNodeLayout.CHILD_OFFSET - length;
            slab.putBytes(block + form, embedded, 0, length);
            child = nodes.pointerAt(nodes.chainChildSlot(node));
        }
        slab.putByte(block + PrefixNodeLayout.FORM_OFFSET, (byte) form);
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
        blocks.retire(ChainNodeLayout.base(node), blockClass(node));
    }

    /** Frees a node that was never published. */
    void free(final int node) {
        blocks.free(ChainNodeLayout.base(node), blockClass(node));
    }

    /** Retires the mid and tail blocks of a split node. */
    void retireMidsAndTails(final int split) {
        for (int t = 0; t < TRANSITIONS; t += TAILS * CHILDREN) {
            final int mid = slab.getInt(offset(split) + midSlot(t));
            if (mid != NONE) {
                for (int i = 0; i < TAILS; i++) {
                    final int tail = slab.getInt(blockOffset(mid) + tailSlot(i * CHILDREN));
                    if (tail != NONE) {
                        blocks.retire(blockOffset(tail), BLOCK_CLASS);
                    }
                }
                blocks.retire(blockOffset(mid), BLOCK_CLASS);
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
