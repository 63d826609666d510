/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabBytes;

/**
 * Reads the anchors of leaves. A leaf holds the keys from its anchor up to, but without, the next leaf's anchor. An anchor never
 * changes while its leaf lives.
 * <h2>Thread safety</h2>
 * Any thread that has found the leaf inside a guard.
 */
final class Anchor {
    private Anchor() {
    }

    static int length(final Slab slab, final long leaf) {
        return slab.getShort(leaf + ANCHOR_LENGTH_OFFSET) & 0xFFFF;
    }

    /** Returns whether an anchor of a length needs a block. */
    static boolean needsBlock(final int length) {
        return length > ANCHOR_BYTES;
    }

    /** Returns the size class of an anchor's block. */
    static int blockClass(final int length) {
        return WormholeBlockClasses.classOf(length - ANCHOR_BYTES);
    }

    private static long block(final Slab slab, final long leaf) {
        return offset(slab.getInt(leaf + ANCHOR_BLOCK_OFFSET));
    }

    /** Returns a byte of a leaf's anchor, at an index below its length. */
    static int byteAt(final Slab slab, final long leaf, final int index) {
        return 0xFF & slab.getByte(
            index < ANCHOR_BYTES ? leaf + ANCHOR_BYTES_OFFSET + index : block(slab, leaf) + index - ANCHOR_BYTES);
    }

    /** Returns the number of leading bytes that a leaf's anchor shares with a key. */
    static int commonPrefix(final Slab slab, final long leaf, final byte[] key, final int offset, final int length) {
        final int compared = Math.min(length, length(slab, leaf));
        final int inLeaf = Math.min(compared, ANCHOR_BYTES);
        final int shared = SlabBytes.commonPrefix(slab, leaf + ANCHOR_BYTES_OFFSET, key, offset, inLeaf);
        if (shared < inLeaf || compared == inLeaf) {
            return shared;
        }
        return inLeaf + SlabBytes.commonPrefix(slab, block(slab, leaf), key, offset + inLeaf, compared - inLeaf);
    }

    /** Returns whether a leaf's anchor begins with some bytes. */
    static boolean startsWith(
        final Slab slab, final long leaf, final byte[] prefix, final int offset, final int length) {
        return length(slab, leaf) >= length && commonPrefix(slab, leaf, prefix, offset, length) == length;
    }

    /** Returns whether a key is at or above a leaf's anchor. */
    static boolean admits(final Slab slab, final long leaf, final byte[] key, final int offset, final int length) {
        final int shared = commonPrefix(slab, leaf, key, offset, length);
        if (shared == length(slab, leaf)) {
            return true;
        }
        return shared < length
            && byteAt(slab, leaf, shared) < (key[offset + shared] & 0xFF);
    }

    /** Copies an anchor to an array that has room for it; returns its length. */
    static int copy(final Slab slab, final long leaf, final byte[] destination) {
        final int length = length(slab, leaf);
        slab.getBytes(leaf + ANCHOR_BYTES_OFFSET, destination, 0, Math.min(length, ANCHOR_BYTES));
        if (needsBlock(length)) {
            slab.getBytes(block(slab, leaf), destination, ANCHOR_BYTES, length - ANCHOR_BYTES);
        }
        return length;
    }

    /** Writes the anchor of a leaf that no reader can reach yet, and that has its block if it needs one. */
    static void put(final Slab slab, final long leaf, final byte[] anchor, final int length) {
        slab.putShort(leaf + ANCHOR_LENGTH_OFFSET, (short) length);
        slab.putBytes(leaf + ANCHOR_BYTES_OFFSET, anchor, 0, Math.min(length, ANCHOR_BYTES));
        if (needsBlock(length)) {
            slab.putBytes(block(slab, leaf), anchor, ANCHOR_BYTES, length - ANCHOR_BYTES);
        }
    }
}
