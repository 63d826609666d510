/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.WormholeNodeLayout.*;

import io.nestling.offheap.Slab;

/**
 * Reads the nodes of the meta trie ({@link WormholeNodeLayout}), each named by its item word.
 * <h2>Thread safety</h2>
 * Any thread, inside a guard. While a writer changes the node a result may be any leaf, or 0; validate it by the structure
 * version or by what is found in the leaf.
 */
final class MetaNodes {
    private static final int WORD_MASK = Long.BYTES - 1;
    private static final long LOWS = 0x0101_0101_0101_0101L;
    private static final long HIGHS = 0x8080_8080_8080_8080L;

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
        return isWide(sizeClass) ? tokenInBitmap(node, sizeClass, i) : slab.getByte(node + tokenOffset(sizeClass, i)) & 0xFF;
    }

    private int tokenInBitmap(final long node, final int sizeClass, final int i) {
        int word = 0;
        int left = i; // tokens below the wanted one, from this word on
        long bits = slab.getLong(node + bitmapOffset(sizeClass, word));
        while (left >= Long.bitCount(bits) && word < BITMAP_WORDS - 1) {
            left -= Long.bitCount(bits);
            bits = slab.getLong(node + bitmapOffset(sizeClass, ++word));
        }
        for (; left > 0; left--) {
            bits &= bits - 1;
        }
        return Math.min(word * Long.SIZE + Long.numberOfTrailingZeros(bits), MAX_TOKENS - 1);
    }

    int leaf(final long node, final int sizeClass, final int i) {
        return slab.getIntAcquire(node + leafOffset(sizeClass, i));
    }

    /** Returns the number of tokens at or below a given one; none is at or below -1. */
    int rank(final long node, final int sizeClass, final int token) {
        if (token < 0) {
            return 0;
        }
        return isWide(sizeClass) ? rankInBitmap(node, sizeClass, token) : rankAmongBytes(node, sizeClass, token);
    }

    private int rankInBitmap(final long node, final int sizeClass, final int token) {
        int rank = 0;
        for (int i = 0; i < BITMAP_WORDS; i++) {
            // All bits of the words in front of the token's, none of those behind it; without a branch.
            final int last = token - Long.SIZE * i;
            final long counted = -1L >>> Math.max(0, Long.SIZE - 1 - last) & ~((long) last >> Long.SIZE - 1);
            rank += Long.bitCount(slab.getLong(node + bitmapOffset(sizeClass, i)) & counted);
        }
        return Math.min(rank, capacity(sizeClass)); // words of several moments may have more bits
    }

    private int rankAmongBytes(final long node, final int sizeClass, final int token) {
        // Whole words: bytes in front of the first token count as tokens at or below, and are subtracted.
        final int inFront = tokenOffset(sizeClass, 0) & WORD_MASK;
        long at = node + tokenOffset(sizeClass, 0) - inFront;
        int rank = -inFront;
        long alwaysBelow = (1L << (inFront << 3)) - 1 & HIGHS;
        for (int size = inFront + count(node, sizeClass); size > 0; size -= Long.BYTES, at += Long.BYTES) {
            final long there = size >= Long.BYTES ? HIGHS : HIGHS >>> (Long.BYTES - size << 3);
            rank += Long.bitCount((atOrBelow(slab.getLong(at), token) | alwaysBelow) & there);
            alwaysBelow = 0;
        }
        return rank;
    }

    /** Returns a word with the highest bit of each byte set that is at or below a given one. */
    private static long atOrBelow(final long bytes, final int byteValue) {
        final long others = byteValue * LOWS;
        final long lowBits = (others | HIGHS) - (bytes & ~HIGHS);
        return (~bytes & others | ~(bytes ^ others) & lowBits) & HIGHS;
    }

    /** Returns the leaf of a key that leaves the trie at a node with a token; -1 stands for the key's end. */
    int route(final long item, final int token) {
        final long node = TableLayout.target(item);
        final int sizeClass = TableLayout.sizeClass(item);
        final int rank = rank(node, sizeClass, token);
        return rank == 0 ? floor(node) : leaf(node, sizeClass, rank - 1);
    }

    /** Returns a leaf whose anchor begins with the prefix of a node; 0 for a root without tokens. */
    int witness(final long item) {
        final long node = TableLayout.target(item);
        final int sizeClass = TableLayout.sizeClass(item);
        return count(node, sizeClass) == 0 ? 0 : leaf(node, sizeClass, 0);
    }

    /** Returns whether a node is that of a given prefix, judged by its depth and the anchor of a leaf that is below it then. */
    boolean isOf(final long item, final int witness, final byte[] key, final int offset, final int prefixLength) {
        if (depth(TableLayout.target(item)) != prefixLength) {
            return false;
        }
        return prefixLength == 0
            || witness != 0 && Anchor.startsWith(slab, LeafLayout.offset(witness), key, offset, prefixLength);
    }
}
