/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.NodeLayout.*;

import io.nestling.memory.Slab;

/**
 * Reads the nodes of the meta trie ({@link NodeLayout}), each named by its item word.
 * <h2>Thread safety</h2>
 * Any thread under a guard. Beside a writer that changes the node an answer may be any leaf, or 0, and has to be
 * validated by the structure version or by what is found in the leaf.
 */
final class MetaNodes {
    private final Slab slab;

    MetaNodes(final Slab slab) {
        this.slab = slab;
    }

    Slab slab() {
        return slab;
    }

    int floor(final long node) {
        return slab.getIntAcquire(node + FLOOR_OFFSET);
    }

    boolean isTerminal(final long node) {
        return (slab.getShort(node + COUNT_OFFSET) & TERMINAL) != 0;
    }

    int depth(final long node) {
        return slab.getShort(node + DEPTH_OFFSET) & 0xFFFF;
    }

    int count(final long node, final int sizeClass) {
        return Math.min(slab.getShort(node + COUNT_OFFSET) & COUNT_MASK, capacity(sizeClass));
    }

    /** The bits of the prefix's hash that choose a bucket. */
    int hashBits(final long node, final int sizeClass) {
        return slab.getInt(node + hashOffset(sizeClass)) >>> Integer.SIZE - HASH_BITS;
    }

    int token(final long node, final int sizeClass, final int i) {
        return slab.getByte(node + tokenOffset(sizeClass, i)) & 0xFF;
    }

    int leaf(final long node, final int sizeClass, final int i) {
        return slab.getIntAcquire(node + leafOffset(sizeClass, i));
    }

    /** Number of tokens that are not greater than a given one. */
    int rank(final long node, final int sizeClass, final int token) {
        final int count = count(node, sizeClass);
        final long tokens = node + tokenOffset(sizeClass, 0);
        if (count == MAX_TOKENS) {
            return token + 1;
        }
        int low = 0;
        int high = count;
        while (low < high) {
            final int middle = low + high >>> 1;
            if ((slab.getByte(tokens + middle) & 0xFF) <= token) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The leaf that a key belongs to which leaves the trie at a node with a token; -1 stands for the key's end. */
    int route(final long item, final int token) {
        final long node = TableLayout.target(item);
        if (token < 0) {
            return floor(node);
        }
        final int sizeClass = TableLayout.sizeClass(item);
        final int rank = rank(node, sizeClass, token);
        return rank == 0 ? floor(node) : leaf(node, sizeClass, rank - 1);
    }

    /** A leaf whose anchor begins with the prefix of a node; 0 in a root without tokens. */
    int witness(final long item) {
        final long node = TableLayout.target(item);
        final int sizeClass = TableLayout.sizeClass(item);
        return count(node, sizeClass) == 0 ? 0 : leaf(node, sizeClass, 0);
    }

    /** Whether a node is that of a given prefix, told by its depth and the anchor of a leaf below. */
    boolean isOf(final long item, final byte[] key, final int offset, final int prefixLength) {
        return isOf(item, witness(item), key, offset, prefixLength);
    }

    /** As above, with a leaf given that is below the node if the node is what it should be. */
    boolean isOf(final long item, final int witness, final byte[] key, final int offset, final int prefixLength) {
        if (depth(TableLayout.target(item)) != prefixLength) {
            return false;
        }
        return prefixLength == 0
            || witness != 0 && Anchor.startsWith(slab, LeafLayout.offset(witness), key, offset, prefixLength);
    }
}
