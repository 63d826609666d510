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
 * Adds keys to one trie. Every change is built aside and published by one release store, of a pointer in its parent's slot or of
 * a sparse node's meta word. So no stack of parents is needed, and readers see all of a change or nothing.
 * <h2>Thread safety</h2>
 * One writer.
 */
final class TrieInserter {
    /* Most blocks that a put takes besides its path: 30 of a split node that replaces a broad one, parts of a chain, prefix,
       content. */
    private static final int PUT_BLOCKS = 42;
    /* The same without a split node in place of a node of fewer children: leaf, end of a chain, two parts of a divided chain or a
       mid and a tail block, prefix, sparse node. */
    private static final int PATH_BLOCKS = 6;
    /* Most blocks of a split node that replaces a broad one: head, 4 mid blocks, a tail block for each of 25 children. */
    private static final int SPLIT_BLOCKS = 30;
    /* Most blocks of split nodes that puts make, for each key of the trie then: one of 7 children, a twelfth of them, comes in
       place of a sparse one, and a trie of n keys has at most n / 6 nodes of 7 children; one of 25 in place of a broad one. */
    private static final int SPLIT_BLOCKS_PER_KEY = 2;
    /* Blocks that puts leave free, so that keys can be removed from a full trie. */
    private static final int SPARE_BLOCKS = 2 * TrieRemover.REMOVE_BLOCKS;

    private final TrieNodes nodes;
    private final TrieNodeWriter writer;
    private final Slab slab;
    private final BlockAllocator blocks;
    private final byte[] chainBytes = new byte[ChainNodeLayout.MAX_TRANSITIONS];

    TrieInserter(final TrieNodes nodes, final TrieNodeWriter writer, final BlockAllocator blocks) {
        this.nodes = nodes;
        this.writer = writer;
        this.slab = nodes.slab();
        this.blocks = blocks;
    }

    /** Returns the number of blocks that puts of some keys take at most, given how many keys the trie has. */
    static long blocksFor(final long entries, final long keyBytes, final long present) {
        final long splits = Math.min(entries * SPLIT_BLOCKS, (present + entries) * SPLIT_BLOCKS_PER_KEY);
        return SPARE_BLOCKS + Math.min(entries * PUT_BLOCKS, PUT_BLOCKS + entries * PATH_BLOCKS + splits)
            + keyBytes / ChainNodeLayout.MAX_TRANSITIONS;
    }

    /**
     * Puts a key, in place of an earlier payload only if {@code replaces}; returns the earlier payload or {@code
     * PointIndex.NONE}. Throws before anything changes.
     */
    long put(final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        blocks.requireSpace(SPARE_BLOCKS + PUT_BLOCKS + length / ChainNodeLayout.MAX_TRANSITIONS, BLOCK_CLASS);
        final int end = offset + length;
        long slot = ROOT_OFFSET;
        int position = offset;
        while (true) {
            final int node = slab.getInt(slot);
            if (node == NONE) {
                slab.putIntRelease(slot, writer.chain(key, position, end, writer.leaf(payload)));
                return PointIndex.NONE;
            }
            if (position == end) {
                return putHere(slot, node, payload, replaces);
            }
            if (isLeaf(node)) {
                slab.putIntRelease(slot,
                    prefixed(node, writer.chain(key, position, end, writer.leaf(payload))));
                return PointIndex.NONE;
            }
            if (nodes.isChainLike(node)) {
                final int chainLength = nodes.chainLength(node);
                final int matched = SlabBytes.commonPrefix(
                    slab, nodes.chainStart(node), key, position, Math.min(chainLength, end - position));
                if (matched < chainLength) {
                    final int below = diverge(node, matched, key, position + matched, end, payload);
                    replace(slot, node, joinHead(node, matched, below));
                    return PointIndex.NONE;
                }
                position += chainLength;
                slot = nodes.chainChildSlot(node);
            } else if (nodes.isStandalonePrefix(node)) {
                slot = nodes.chainChildSlot(node);
            } else {
                final long childSlot = nodes.childSlot(node, key[position] & 0xFF);
                if (childSlot == 0) {
                    addChild(slot, node, key, position, end, payload);
                    return PointIndex.NONE;
                }
                position++;
                slot = childSlot;
            }
        }
    }

    /** Puts where the key ends: the node is a leaf, has content, or gets content. */
    private long putHere(final long slot, final int node, final long payload, final boolean replaces) {
        if (isLeaf(node) || type(node) == PREFIX) {
            final int leaf = isLeaf(node) ? node : nodes.prefixContent(node);
            final long before = nodes.payload(leaf);
            if (replaces) {
                slab.putIntRelease(
                    isLeaf(node) ? slot : offset(node) + PrefixNodeLayout.CONTENT_OFFSET, writer.leaf(payload));
                writer.retireLeaf(leaf);
            }
            return before;
        }
        slab.putIntRelease(slot, writer.prefix(writer.leaf(payload), node));
        if (writer.embeds(node)) {
            writer.retire(node);
        }
        return PointIndex.NONE;
    }

    /** Returns a prefix node of a content and a node that was just built. */
    private int prefixed(final int content, final int node) {
        final int prefix = writer.prefix(content, node);
        if (writer.embeds(node)) {
            writer.free(node);
        }
        return prefix;
    }

    /** Returns what follows the matched part of a chain: both continuations, or the new content before the old one. */
    private int diverge(
        final int chain, final int matched, final byte[] key, final int position, final int end,
        final long payload) {
        final int length = writer.copyChain(chain, chainBytes, 0);
        final int child = nodes.pointerAt(nodes.chainChildSlot(chain));
        if (position == end) {
            return prefixed(writer.leaf(payload), writer.chain(chainBytes, matched, length, child));
        }
        final int oldChild = writer.chain(chainBytes, matched + 1, length, child);
        final int newChild = writer.chain(key, position + 1, end, writer.leaf(payload));
        return writer.sparse(chainBytes[matched] & 0xFF, oldChild, key[position] & 0xFF, newChild);
    }

    /** Returns the matched part of a chain-like node, as left in the scratch by {@link #diverge}, before what follows it now. */
    private int joinHead(final int chain, final int matched, final int below) {
        final int head = writer.chain(chainBytes, 0, matched, below);
        return type(chain) == PREFIX ? prefixed(nodes.prefixContent(chain), head) : head;
    }

    private void replace(final long slot, final int before, final int after) {
        slab.putIntRelease(slot, after);
        writer.retire(before);
    }

    private void addChild(
        final long slot, final int node, final byte[] key, final int position, final int end,
        final long payload) {
        // trie-concurrency.md, claim 2
        final int transition = key[position] & 0xFF;
        final int child = writer.chain(key, position + 1, end, writer.leaf(payload));
        if (type(node) == SPARSE) {
            final long meta = nodes.sparseMeta(node);
            final int count = SparseNodeLayout.count(meta);
            if (count < SparseNodeLayout.MAX_CHILDREN) {
                // No transition names this child yet: the release of the meta word publishes the plain store.
                slab.putInt(nodes.sparseChildSlot(node, count), child);
                slab.putLongRelease(
                    offset(node) + SparseNodeLayout.META_OFFSET, SparseNodeLayout.withChild(meta, count, transition));
                return;
            }
        } else if (type(node) == BROAD) {
            if (BroadNodeLayout.count(slab, offset(node)) < BroadNodeLayout.MAX_CHILDREN) {
                BroadNodeLayout.append(slab, offset(node), transition, child);
                return;
            }
        } else {
            slab.putIntRelease(writer.linkedSplitSlot(offset(node), transition), child);
            if (writer.splitTails(node) >= SplitNodeLayout.FLAT_TAILS) {
                flatten(slot, node);
            }
            return;
        }
        replace(slot, node, writer.grown(node, transition, child));
    }

    private void flatten(final long slot, final int split) {
        final int flat = writer.flatOf(split);
        if (flat != NONE) {
            slab.putIntRelease(slot,
                type(split) == PREFIX ? writer.prefix(nodes.prefixContent(split), flat) : flat);
            writer.retireMidsAndTails(split);
            writer.retire(split);
        }
    }
}
