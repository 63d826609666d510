/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;

import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.Slab;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.function.Supplier;

/**
 * Checks a whole trie. No writer may work meanwhile.
 * <ol>
 * <li>Every pointer leads into the used part of the slab.
 * <li>Each block belongs to exactly one of these: a node, the content of a leaf, a free list, the retired blocks. Together they
 * are the used part of the slab.
 * <li>A chain has 1 to 27 transitions in the smallest layout that holds them, and its child exists.
 * <li>A sparse node has 2 to 6 children with distinct transitions, in the order of its order word; unused
 * transitions repeat the first.
 * <li>A split node has more children than a sparse one keeps, and no empty mid or tail block.
 * <li>A flat split node has more non-empty tails than a split node keeps.
 * <li>Content of a prefix node is a leaf; an inner node that is no prefix node continues it.
 * <li>The number of leaves and contents is the entry count.
 * <li>A broad node lists at most 24 distinct transitions, finds each where it is listed, has more children than a sparse node
 * keeps, and nothing behind the last one.
 * </ol>
 */
final class TrieVerifier {
    private final TrieNodes nodes;
    private final BlockAllocator blocks;
    private final long entryCount;
    private final Deque<Integer> pending = new ArrayDeque<>();
    private final BlockMap map;
    private long found;

    TrieVerifier(final TrieNodes nodes, final BlockAllocator blocks, final long entryCount) {
        this.nodes = nodes;
        this.blocks = blocks;
        this.entryCount = entryCount;
        this.map = new BlockMap(blocks.bytesUsed() + blocks.bytesFree() + blocks.bytesRetired());
    }

    void verify() {
        map.claim(0, BlockAllocator.RESERVED_BYTES);
        if (nodes.root() != NONE) {
            pending.push(nodes.root());
        }
        while (!pending.isEmpty()) {
            visit(pending.pop());
        }
        check(found == entryCount, 8, () -> found + " entries found, entry count is " + entryCount);
        for (int sizeClass = HALF_CLASS; sizeClass <= FLAT_CLASS; sizeClass++) {
            final int bytes = InMemoryTrie.BLOCK_CLASSES[sizeClass];
            for (final long block : blocks.freeBlocks(sizeClass)) {
                map.claim(block, bytes);
            }
        }
        final long missing = map.unclaimed();
        check(missing == blocks.bytesRetired(), 2,
            () -> missing + " bytes belong to nothing, " + blocks.bytesRetired() + " are retired");
    }

    private void visit(final int node) {
        if (isLeaf(node)) {
            visitLeaf(node);
            return;
        }
        map.claim(ChainNodeLayout.base(node), InMemoryTrie.BLOCK_CLASSES[blockClass(node)]);
        switch (type(node)) {
            case SPARSE:
                visitSparse(node);
                break;
            case BROAD:
                visitBroad(node);
                break;
            case SPLIT:
                visitSplit(node);
                break;
            case FLAT:
                visitFlat(node);
                break;
            case PREFIX:
                visitPrefix(node);
                break;
            default:
                visitChain(node);
                break;
        }
    }

    private void visitLeaf(final int leaf) {
        found++;
        if (!isInline(leaf)) {
            map.claim(slotOffset(leaf), HALF_BYTES);
            final long payload = nodes.payload(leaf);
            check(payload >= INLINE_LIMIT, 2,
                () -> "leaf " + leaf + " keeps the small payload " + payload + " in a slot");
        }
    }

    private void visitChain(final int node) {
        final boolean half = type(node) != CHAIN;
        final int length = nodes.chainLength(node);
        check(length >= 1 && half == (ChainNodeLayout.typeFor(length) == SHORT_CHAIN_LOW), 3,
            () -> node + " holds " + length + " transitions");
        visitChild(node, nodes.pointerAt(nodes.chainChildSlot(node)));
    }

    private void visitChild(final int parent, final int child) {
        check(child != NONE, 3, () -> "child of " + parent + " is missing");
        pending.push(child);
    }

    private void visitSparse(final int node) {
        final long meta = nodes.sparseMeta(node);
        final int count = SparseNodeLayout.count(meta);
        check(count >= 2 && count <= SparseNodeLayout.MAX_CHILDREN, 4, () -> node + " has " + count + " children");
        int seen = 0;
        int last = -1;
        for (int order = SparseNodeLayout.order(meta); order != 0; order /= SparseNodeLayout.ORDER_BASE) {
            final int index = order % SparseNodeLayout.ORDER_BASE;
            final int transition = SparseNodeLayout.transition(meta, index);
            check(index < count && (seen & 1 << index) == 0, 4, () -> node + " lists child " + index + " wrongly");
            check(transition > last, 4, () -> node + " lists transition " + transition + " out of order");
            check(SparseNodeLayout.indexOf(meta, transition) == index, 4,
                () -> node + " does not find " + transition);
            seen |= 1 << index;
            last = transition;
            visitChild(node, nodes.pointerAt(nodes.sparseChildSlot(node, index)));
        }
        for (int index = count; index < SparseNodeLayout.MAX_CHILDREN; index++) {
            check(SparseNodeLayout.transition(meta, index) == SparseNodeLayout.transition(meta, 0), 4,
                () -> node + " has a stray transition");
            check(nodes.pointerAt(nodes.sparseChildSlot(node, index)) == NONE, 4,
                () -> node + " has a stray child");
        }
    }

    private void visitBroad(final int node) {
        final Slab slab = nodes.slab();
        final long base = offset(node);
        final int count = BroadNodeLayout.count(slab, base);
        check(count <= BroadNodeLayout.MAX_CHILDREN, 9, () -> node + " lists " + count + " transitions");
        int children = 0;
        for (int i = 0; i < count; i++) {
            final int index = i;
            final int transition = BroadNodeLayout.transition(slab, base, i);
            check(BroadNodeLayout.indexOf(slab, base, transition) == i, 9,
                () -> node + " does not find " + transition + " at " + index);
            final int child = nodes.pointerAt(BroadNodeLayout.childSlot(base, i));
            if (child != NONE) {
                children++;
                pending.push(child);
            }
        }
        final int live = children;
        check(live > SplitNodeLayout.SPARSE_CHILDREN, 9, () -> node + " has " + live + " children, too few for a broad node");
        for (int i = count; i < BroadNodeLayout.MAX_CHILDREN; i++) {
            check(BroadNodeLayout.transition(slab, base, i) == 0
                && nodes.pointerAt(BroadNodeLayout.childSlot(base, i)) == NONE, 9, () -> node + " has a stray child");
        }
    }

    private void visitSplit(final int node) {
        int children = 0;
        for (int mid = 0; mid < SplitNodeLayout.MIDS; mid++) {
            final int midTransition = mid * SplitNodeLayout.TAILS * SplitNodeLayout.CHILDREN;
            final int midPointer = nodes.pointerAt(offset(node) + SplitNodeLayout.midSlot(midTransition));
            if (midPointer == NONE) {
                continue;
            }
            final long midBlock = SplitNodeLayout.blockOffset(midPointer);
            map.claim(midBlock, BLOCK_BYTES);
            int tails = 0;
            for (int tail = 0; tail < SplitNodeLayout.TAILS; tail++) {
                final int tailPointer = nodes.pointerAt(midBlock + ((long) tail << POINTER_SHIFT));
                if (tailPointer != NONE) {
                    tails++;
                    map.claim(SplitNodeLayout.blockOffset(tailPointer), BLOCK_BYTES);
                    final int inTail = visitTail(SplitNodeLayout.blockOffset(tailPointer));
                    check(inTail > 0, 5, () -> node + " has an empty tail block");
                    children += inTail;
                }
            }
            check(tails > 0, 5, () -> node + " has an empty mid block");
        }
        check(children > SplitNodeLayout.SPARSE_CHILDREN, 5, () -> node + " has too few children for a split node");
    }

    private int visitTail(final long tail) {
        int children = 0;
        for (int i = 0; i < SplitNodeLayout.CHILDREN; i++) {
            final int child = nodes.pointerAt(tail + ((long) i << POINTER_SHIFT));
            if (child != NONE) {
                children++;
                pending.push(child);
            }
        }
        return children;
    }

    private void visitFlat(final int node) {
        int tails = 0;
        for (int tail = 0; tail < SplitNodeLayout.MIDS * SplitNodeLayout.TAILS; tail++) {
            tails += visitTail(offset(node) + (long) tail * BLOCK_BYTES) > 0 ? 1 : 0;
        }
        check(tails > SplitNodeLayout.SPLIT_TAILS, 6, () -> node + " has too few tails for a flat split node");
    }

    private void visitPrefix(final int node) {
        final int content = nodes.prefixContent(node);
        check(isLeaf(content), 7, () -> "content of " + node + " is " + content);
        visitLeaf(content);
        if (nodes.prefixForm(node) == PrefixNodeLayout.FORM_SPLIT) {
            visitSplit(node);
            return;
        }
        final int child = nodes.pointerAt(nodes.chainChildSlot(node));
        if (nodes.isStandalonePrefix(node)) {
            check(child > NONE && type(child) != PREFIX, 7, () -> node + " is continued by " + child);
        } else {
            final int length = nodes.chainLength(node);
            check(length >= 1 && length <= PrefixNodeLayout.MAX_CHAIN_TRANSITIONS, 3,
                () -> node + " embeds a chain of " + length);
        }
        visitChild(node, child);
    }

    private static void check(final boolean holds, final int invariant, final Supplier<String> what) {
        if (!holds) {
            throw new IllegalStateException("trie invariant " + invariant + " is broken: " + what.get());
        }
    }

    /** The half blocks that belong to something. */
    private static final class BlockMap {
        private final BitSet claimed = new BitSet();
        private final long bytes;

        BlockMap(final long bytes) {
            this.bytes = bytes;
        }

        void claim(final long offset, final long length) {
            check(offset >= 0 && offset + length <= bytes, 1,
                () -> offset + " lies outside the " + bytes + " bytes in use");
            final int from = (int) (offset >>> HALF_SHIFT);
            final int to = (int) (offset + length >>> HALF_SHIFT);
            check(claimed.get(from, to).isEmpty(), 2, () -> "the block at " + offset + " belongs to two");
            claimed.set(from, to);
        }

        long unclaimed() {
            return bytes - ((long) claimed.cardinality() << HALF_SHIFT);
        }
    }
}
