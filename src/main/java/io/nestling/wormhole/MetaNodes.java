/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.NodeLayout.*;

import io.nestling.offheap.Slab;

/**
 * Reads the nodes of the meta trie ({@link NodeLayout}), each named by its item word.
 * <h2>Thread safety</h2>
 * Any thread, inside a guard. While a writer changes the node a result may be any leaf, or 0; validate it by the structure
 * version or by what is found in the leaf.
 */
final class MetaNodes {
    /* Nodes up to this class have their tokens in four bytes. */
    private static final int LAST_INT_CLASS = 1;
    /* Up to so many tokens are all compared; with more, a binary search narrows them first. */
    private static final int COUNTED_TOKENS = 32;
    private static final long LOW_HALF = 0xFFFF_FFFFL;
    private static final long EACH_SHORT = 0x0001_0001_0001_0001L;
    private static final long LOW_BYTES = 0xFF * EACH_SHORT;
    /* Remains in a difference if nothing was borrowed. */
    private static final long TOKEN_CARRY = 1L << Byte.SIZE;

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

    /** Returns the bits of the prefix's hash that choose a bucket. */
    int hashBits(final long node, final int sizeClass) {
        return slab.getInt(node + hashOffset(sizeClass)) >>> Integer.SIZE - HASH_BITS;
    }

    int token(final long node, final int sizeClass, final int i) {
        return slab.getByte(node + tokenOffset(sizeClass, i)) & 0xFF;
    }

    int leaf(final long node, final int sizeClass, final int i) {
        return slab.getIntAcquire(node + leafOffset(sizeClass, i));
    }

    /** Returns the number of tokens at or below a given one, without a branch that depends on the tokens. */
    int rank(final long node, final int sizeClass, final int token) {
        final int count = count(node, sizeClass);
        final long tokens = node + tokenOffset(sizeClass, 0);
        if (sizeClass <= LAST_INT_CLASS) {
            return countUpTo(slab.getInt(tokens), token, count);
        }
        if (count == MAX_TOKENS) {
            return token + 1;
        }
        int low = 0;
        int size = count;
        while (size > COUNTED_TOKENS) {
            final int half = size >>> 1;
            low += (slab.getByte(tokens + low + half - 1) & 0xFF) - token - 1 >> Integer.SIZE - 1 & half;
            size -= half;
        }
        final long end = node + bytes(sizeClass) - Long.BYTES;
        int rank = low;
        for (; size > 0; size -= Long.BYTES, low += Long.BYTES) {
            final long at = Math.min(tokens + low, end); // not beyond the block
            rank += countUpTo(slab.getLong(at) >>> (int) (tokens + low - at << 3), token, size);
        }
        return rank;
    }

    /** Returns how many of the first {@code bytes} bytes of a word are at or below a token. */
    static int countUpTo(final long word, final int token, final int bytes) {
        final long limits = (token | TOKEN_CARRY) * EACH_SHORT;
        final long even = limits - (word & LOW_BYTES) >>> Byte.SIZE & EACH_SHORT;
        final long odd = limits - (word >>> Byte.SIZE & LOW_BYTES) & EACH_SHORT << Byte.SIZE;
        final long counted = bytes >= Long.BYTES ? -1L : (1L << (bytes << 3)) - 1;
        return Long.bitCount((even | odd) & counted);
    }

    /**
     * Returns, in the lower half, the leaf of a key that leaves the trie at a node with a token; -1 stands for the key's end. The
     * upper half is 1 if the node has the token, so that there may be a deeper node for the key; else 0.
     */
    long route(final long item, final int token) {
        final long node = TableLayout.target(item);
        if (token < 0) {
            return floor(node) & LOW_HALF;
        }
        final int sizeClass = TableLayout.sizeClass(item);
        final int rank = rank(node, sizeClass, token);
        if (rank == 0) {
            return floor(node) & LOW_HALF;
        }
        final long isToken = (token(node, sizeClass, rank - 1) ^ token) - 1L >>> Long.SIZE - 1;
        return isToken << Integer.SIZE | leaf(node, sizeClass, rank - 1) & LOW_HALF;
    }

    /** Returns a leaf whose anchor begins with the prefix of a node; 0 for a root without tokens. */
    int witness(final long item) {
        final long node = TableLayout.target(item);
        final int sizeClass = TableLayout.sizeClass(item);
        return count(node, sizeClass) == 0 ? 0 : leaf(node, sizeClass, 0);
    }

    /** Returns whether a node is that of a given prefix, judged by its depth and the anchor of a leaf below. */
    boolean isOf(final long item, final byte[] key, final int offset, final int prefixLength) {
        return isOf(item, witness(item), key, offset, prefixLength);
    }

    /** As {@link #isOf(long, byte[], int, int)}, given a leaf that is below the node if the node is that one. */
    boolean isOf(final long item, final int witness, final byte[] key, final int offset, final int prefixLength) {
        if (depth(TableLayout.target(item)) != prefixLength) {
            return false;
        }
        return prefixLength == 0
            || witness != 0 && Anchor.startsWith(slab, LeafLayout.offset(witness), key, offset, prefixLength);
    }
}
