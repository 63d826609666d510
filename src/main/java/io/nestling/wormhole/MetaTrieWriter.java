/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.WormholeNodeLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.Slab;

import java.lang.invoke.VarHandle;

/**
 * Adds anchors to the meta trie and removes them (Wormhole, algorithm 4), from the longest prefix upward, as far as something
 * changes. It uses only memory that is not reserved for puts: without it, an anchor stays unindexed.
 * <h2>Thread safety</h2>
 * The writer only, which keeps the structure version odd during {@link #add} and {@link #remove}. Their heap objects exist
 * before: after a failure nothing could make the version even again.
 */
final class MetaTrieWriter {
    private static final int FEW_NODES = 4;
    /* A node, and half a link, as the table may have been too small to grow. */
    private static final int NODE_AND_LINK_BYTES = 48;

    private final MetaTrieHashTable table;
    private final MetaNodes nodes;
    private final MetaSearch search;
    private final BlockAllocator blocks;
    private final Slab slab;
    private final PrefixHasher hasher;
    private byte[] following = {};
    private long spareLink;

    MetaTrieWriter(
        final MetaTrieHashTable table, final MetaNodes nodes, final MetaSearch search, final BlockAllocator blocks,
        final KeyHash keyHash) {
        this.table = table;
        this.nodes = nodes;
        this.search = search;
        this.blocks = blocks;
        this.slab = blocks.slab();
        this.hasher = new PrefixHasher(keyHash);
    }

    /** Allocates heap for keys up to a length. */
    void expectKeys(final int length) {
        following = new byte[length];
    }

    /** Allocates heap for an anchor of a length, and for all present anchors, which end a byte below the deepest node. */
    void expect(final int length) {
        final int longest = Math.max(length, slab.getInt(TableLayout.MAX_DEPTH_OFFSET) + 1);
        hasher.expect(longest);
        blocks.expectRetired(longest + FEW_NODES);
    }

    /** Makes the root of a trie with only the empty anchor of the first leaf. */
    void makeRoot(final int firstLeaf) {
        final long root = blocks.allocate(SINGLE_CLASS);
        slab.putIntRelease(root + FLOOR_OFFSET, firstLeaf);
        putCount(root, 0, true);
        slab.putLongRelease(TableLayout.ROOT_OFFSET, TableLayout.nodeItem(0, SINGLE_CLASS, root));
    }

    /**
     * Adds the anchor of a leaf, with which the array begins, between the indexed leaves before and behind it (0 for none). If
     * there is no memory, it returns false, and nothing has changed.
     */
    boolean add(final byte[] anchor, final int length, final int leaf, final int before, final int after) {
        final long found = search.find(anchor, 0, length);
        final long place = search.verified(found, search.route(found, anchor, 0, length), anchor, 0, length);
        final int depth = MetaSearch.depth(place);
        hasher.reset(anchor, 0, length);
        if (depth == length) {
            final long node = TableLayout.target(place);
            putCount(node, count(node), true);
            slab.putIntRelease(node + FLOOR_OFFSET, leaf);
        } else if (!addBelow(item(depth), depth, leaf, before)) {
            return false;
        } else {
            slab.putIntRelease(TableLayout.MAX_DEPTH_OFFSET,
                Math.max(slab.getInt(TableLayout.MAX_DEPTH_OFFSET), length - 1));
        }
        moveFloors(after, before, leaf);
        return true;
    }

    /** Adds the missing nodes below the deepest existing one for the hasher's anchor. */
    private boolean addBelow(final long item, final int depth, final int leaf, final int before) {
        final byte[] anchor = hasher.array();
        final int token = anchor[depth] & 0xFF;
        final boolean extendsAnchor = indexOf(item, token) >= 0;
        final int missing = hasher.length() - depth - 1;
        // Blocks freed after a failure cannot become a leaf any more: a long chain without memory is not begun.
        if (missing > FEW_NODES && !blocks.hasUnreserved((long) missing * NODE_AND_LINK_BYTES)) {
            return false;
        }
        for (int i = depth + 1; i < hasher.length(); i++) {
            if (!addNode(i, leaf, before, extendsAnchor && i == depth + 1)) {
                removeNodes(depth + 1, i);
                return false;
            }
        }
        if (!extendsAnchor && !addToken(item, depth, token, leaf)) {
            removeNodes(depth + 1, hasher.length());
            return false;
        }
        moveLast(extendsAnchor ? depth : depth - 1, before, leaf);
        return true;
    }

    private boolean addNode(final int depth, final int leaf, final int floor, final boolean terminal) {
        final long node = blocks.tryAllocateUnreserved(SINGLE_CLASS);
        if (spareLink == 0) {
            spareLink = blocks.tryAllocateUnreserved(WormholeBlockClasses.LINK);
        }
        if (node == 0 || spareLink == 0) {
            if (node != 0) {
                blocks.free(node, SINGLE_CLASS);
            }
            return false;
        }
        final long hash = hasher.hash(depth);
        slab.putInt(node + hashOffset(SINGLE_CLASS), (int) hash << Integer.SIZE - HASH_BITS); // released with the item
        slab.putShort(node + DEPTH_OFFSET, (short) depth);
        slab.putIntRelease(node + FLOOR_OFFSET, floor);
        slab.putIntRelease(node + leafOffset(SINGLE_CLASS, 0), leaf);
        slab.putByte(node + tokenOffset(SINGLE_CLASS, 0), hasher.array()[depth]);
        putCount(node, 1, terminal);
        if (table.insert(hash, TableLayout.nodeItem(hash, SINGLE_CLASS, node), spareLink)) {
            spareLink = 0;
        }
        table.grow();
        return true;
    }

    private void removeNodes(final int from, final int to) {
        for (int i = from; i < to; i++) {
            removeNode(item(i), i);
        }
    }

    private void removeNode(final long item, final int depth) {
        table.replace(hasher.hash(depth), item, 0);
        blocks.retire(TableLayout.target(item), TableLayout.sizeClass(item));
    }

    private boolean addToken(final long item, final int depth, final int token, final int leaf) {
        final int count = nodes.count(TableLayout.target(item), TableLayout.sizeClass(item));
        long grown = item;
        if (count == capacity(TableLayout.sizeClass(item))) {
            grown = resize(item, depth, TableLayout.sizeClass(item) + 1);
            if (grown == 0) {
                return false;
            }
        }
        final long node = TableLayout.target(grown);
        final int sizeClass = TableLayout.sizeClass(grown);
        final int at = nodes.rank(node, sizeClass, token);
        for (int i = count; i > at; i--) {
            moveToken(node, sizeClass, i - 1, i);
        }
        putToken(node, sizeClass, at, token, leaf);
        VarHandle.releaseFence(); // a reader that sees the count finds a leaf for each token
        putCount(node, count + 1, nodes.isTerminal(node));
        return true;
    }

    /** Copies a node to a block of another class; returns its new item, or 0. */
    private long resize(final long item, final int depth, final int sizeClass) {
        final long copy = blocks.tryAllocateUnreserved(sizeClass);
        if (copy == 0) {
            return 0;
        }
        final long node = TableLayout.target(item);
        final int oldClass = TableLayout.sizeClass(item);
        final int count = nodes.count(node, oldClass);
        slab.putIntRelease(copy + FLOOR_OFFSET, nodes.floor(node));
        slab.putShort(copy + DEPTH_OFFSET, (short) depth);
        slab.putInt(copy + hashOffset(sizeClass), nodes.hashBits(node, oldClass) << Integer.SIZE - HASH_BITS);
        for (int i = 0; i < count; i++) {
            putToken(copy, sizeClass, i, nodes.token(node, oldClass, i), nodes.leaf(node, oldClass, i));
        }
        putCount(copy, count, nodes.isTerminal(node));
        final long hash = depth == 0 ? 0 : hasher.hash(depth);
        final long moved = TableLayout.nodeItem(hash, sizeClass, copy);
        if (depth == 0) {
            slab.putLongRelease(TableLayout.ROOT_OFFSET, moved);
        } else {
            table.replace(hash, item, moved);
        }
        blocks.retire(node, oldClass);
        return moved;
    }

    /** Replaces a leaf as the last one below the hasher's prefixes, from a depth upward. */
    private void moveLast(final int depth, final int from, final int to) {
        for (int i = depth; i >= 0; i--) {
            final long item = item(i);
            final int at = indexOf(item, hasher.array()[i] & 0xFF);
            final long slot = TableLayout.target(item) + leafOffset(TableLayout.sizeClass(item), at);
            if (slab.getInt(slot) != from) {
                return;
            }
            slab.putIntRelease(slot, to);
        }
    }

    /** Replaces a leaf as the one before all below the prefixes of the following leaf's anchor. */
    private void moveFloors(final int following, final int from, final int to) {
        if (following == 0) {
            return;
        }
        final int length = Anchor.copy(slab, LeafLayout.offset(following), this.following);
        final int shared = Anchor.commonPrefix(
            slab, LeafLayout.offset(following), hasher.array(), hasher.offset(), hasher.length());
        hasher.reset(this.following, 0, length);
        for (int i = length - 1; i > shared; i--) {
            final long node = TableLayout.target(item(i));
            if (nodes.isTerminal(node) || nodes.floor(node) != from) {
                return;
            }
            slab.putIntRelease(node + FLOOR_OFFSET, to);
        }
    }

    /**
     * Removes the anchor of a leaf, with which the array begins, between the indexed leaves before and behind it (0 for none).
     */
    void remove(final byte[] anchor, final int length, final int leaf, final int before, final int after) {
        hasher.reset(anchor, 0, length);
        final long own = table.findExact(hasher.hash(length), anchor, 0, length);
        if (own != 0) {
            final long node = TableLayout.target(own);
            putCount(node, count(node), false);
            slab.putIntRelease(node + FLOOR_OFFSET, before);
        } else {
            int depth = length - 1;
            while (removeToken(item(depth), depth)) {
                depth--;
            }
            moveLast(depth - 1, leaf, before);
        }
        moveFloors(after, leaf, before);
    }

    /**
     * Removes the hasher's token from its node of a depth, and the node if nothing is left; returns whether the token above leads
     * nowhere now.
     */
    private boolean removeToken(final long item, final int depth) {
        final long node = TableLayout.target(item);
        final int sizeClass = TableLayout.sizeClass(item);
        final int count = nodes.count(node, sizeClass) - 1;
        final boolean terminal = nodes.isTerminal(node);
        final int token = hasher.array()[depth] & 0xFF;
        final int at = indexOf(item, token);
        if (isWide(sizeClass)) {
            flip(node, sizeClass, token);
        }
        for (int i = at; i < count; i++) {
            moveToken(node, sizeClass, i + 1, i);
        }
        putCount(node, count, terminal);
        // A reader with the earlier count finds no leaf there, and none that is freed later.
        slab.putIntRelease(node + leafOffset(sizeClass, count), 0);
        if (count == 0 && depth > 0) {
            // Without a witness the node is found by its item alone.
            removeNode(item, depth);
            return !terminal;
        }
        final int smaller = classOf(Math.min(MAX_TOKENS, 2 * count));
        if (smaller < sizeClass - 1) {
            resize(item, depth, smaller);
        }
        return false;
    }

    /** Returns the item of the hasher's prefix of a depth, which has a node. */
    private long item(final int depth) {
        final long item = depth == 0 ? slab.getLong(TableLayout.ROOT_OFFSET)
            : table.findExact(hasher.hash(depth), hasher.array(), hasher.offset(), depth);
        if (item == 0) {
            throw new IllegalStateException("prefix of " + depth + " bytes of an anchor has no node");
        }
        return item;
    }

    /** Returns the index of a token in a node, or -1. */
    private int indexOf(final long item, final int token) {
        final long node = TableLayout.target(item);
        final int sizeClass = TableLayout.sizeClass(item);
        final int at = nodes.rank(node, sizeClass, token) - 1;
        return at >= 0 && nodes.token(node, sizeClass, at) == token ? at : -1;
    }

    private int count(final long node) {
        return slab.getShort(node + COUNT_OFFSET) & COUNT_MASK;
    }

    private void putCount(final long node, final int count, final boolean terminal) {
        slab.putShort(node + COUNT_OFFSET, (short) (terminal ? count | TERMINAL : count));
    }

    private void putToken(final long node, final int sizeClass, final int i, final int token, final int leaf) {
        slab.putIntRelease(node + leafOffset(sizeClass, i), leaf);
        if (isWide(sizeClass)) {
            flip(node, sizeClass, token);
        } else {
            slab.putByte(node + tokenOffset(sizeClass, i), (byte) token);
        }
    }

    /** Moves a leaf, with its token unless that is a bit. */
    private void moveToken(final long node, final int sizeClass, final int from, final int to) {
        if (!isWide(sizeClass)) {
            slab.putByte(node + tokenOffset(sizeClass, to), (byte) nodes.token(node, sizeClass, from));
        }
        slab.putIntRelease(node + leafOffset(sizeClass, to), nodes.leaf(node, sizeClass, from));
    }

    /** Sets or clears the bit of a token of a wide node. */
    private void flip(final long node, final int sizeClass, final int token) {
        final long at = node + bitmapOffset(sizeClass, wordOf(token));
        slab.putLong(at, slab.getLong(at) ^ 1L << token);
    }

    /** Returns the block kept for a link, or 0. */
    long spareLink() {
        return spareLink;
    }
}
