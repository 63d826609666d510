/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.memory.Slab;
import io.nestling.memory.SlabBytes;

/**
 * Reads the anchors of leaves: a leaf holds keys from its anchor up to, and without, the next leaf's anchor. An anchor
 * never changes while its leaf lives.
 * <h2>Thread safety</h2>
 * Any thread that has found the leaf under a guard.
 */
final class Anchor {
    private Anchor() {
    }

    static int length(final Slab slab, final long leaf) {
        return slab.getShort(leaf + ANCHOR_LENGTH_OFFSET) & 0xFFFF;
    }

    /** Offset of the anchor's first byte. */
    static long bytesOffset(final Slab slab, final long leaf) {
        final int block = slab.getInt(leaf + ANCHOR_BLOCK_OFFSET);
        return block == 0 ? leaf + ANCHOR_BYTES_OFFSET : offset(block);
    }

    /** Number of leading bytes that a leaf's anchor shares with a key. */
    static int commonPrefix(final Slab slab, final long leaf, final byte[] key, final int offset, final int length) {
        return SlabBytes.commonPrefix(
            slab, bytesOffset(slab, leaf), key, offset, Math.min(length, length(slab, leaf)));
    }

    /** Whether a leaf's anchor begins with some bytes. */
    static boolean startsWith(
        final Slab slab, final long leaf, final byte[] prefix, final int offset, final int length) {
        return length(slab, leaf) >= length && commonPrefix(slab, leaf, prefix, offset, length) == length;
    }

    /** Whether a key is at or above a leaf's anchor. */
    static boolean admits(final Slab slab, final long leaf, final byte[] key, final int offset, final int length) {
        final int shared = commonPrefix(slab, leaf, key, offset, length);
        if (shared == length(slab, leaf)) {
            return true;
        }
        return shared < length
            && (slab.getByte(bytesOffset(slab, leaf) + shared) & 0xFF) < (key[offset + shared] & 0xFF);
    }

    /** Copies an anchor out; the array must have room for it. */
    static int copy(final Slab slab, final long leaf, final byte[] destination) {
        final int length = length(slab, leaf);
        slab.getBytes(bytesOffset(slab, leaf), destination, 0, length);
        return length;
    }
}
