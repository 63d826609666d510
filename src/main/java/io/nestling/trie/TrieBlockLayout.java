/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

/**
 * Blocks of a trie and the pointers to nodes in them. A node pointer is a 32-bit number; bit 0 is the least
 * significant.
 * <pre>
 *  bit  31      30                                         3 2    0
 *      +---+---------------------------------------------------+------+
 *      | 0 |  block number (offset / 32)                       | type |   inner node; all zero: NONE
 *      +---+---------------------------------------------------+------+
 *      | 1 | 0 |  payload, 30 bits                                    |   leaf, payload inline
 *      +---+---+------------------------------------------------------+
 *      | 1 | 1 |  offset / 16 of a content slot                       |   leaf, payload in a slot of 16 bytes
 *      +---+---+------------------------------------------------------+
 *
 *  type  node          layout               blocks
 *  0     chain         ChainNodeLayout      1, 12 to 27 transitions
 *  1     short chain   ChainNodeLayout      first half of a block, 1 to 11 transitions
 *  2     short chain   ChainNodeLayout      second half of a block, 1 to 11 transitions
 *  3     broad         BroadNodeLayout      4 side by side, 5 to 24 children
 *  4     sparse        SparseNodeLayout     1, 2 to 6 children
 *  5     split         SplitNodeLayout      3 to 37, more children
 *  6     flat split    SplitNodeLayout      32 side by side, most of 256 children
 *  7     prefix        PrefixNodeLayout     1, content before further transitions
 * </pre> Pointers are aligned words: the writer publishes them with putIntRelease, readers load them with getIntAcquire.
 * <p> Example: the sparse node in the block at offset 96 has pointer 3 * 8 + 4 = 28; the leaf with payload 5
 * is 0x80000005.
 */
final class TrieBlockLayout {
    static final int BLOCK_BYTES = 32;
    static final int BLOCK_SHIFT = 5;
    static final int HALF_BYTES = 16;
    static final int HALF_SHIFT = 4;
    static final int BROAD_BYTES = 128;
    static final int FLAT_BYTES = 1024;
    static final int POINTER_SHIFT = 2;

    static final int NONE = 0;
    static final int TYPE_BITS = 3;
    static final int TYPE_MASK = 7;
    static final int CHAIN = 0;
    static final int SHORT_CHAIN_LOW = 1;
    static final int SHORT_CHAIN_HIGH = 2;
    static final int BROAD = 3;
    static final int SPARSE = 4;
    static final int SPLIT = 5;
    static final int FLAT = 6;
    static final int PREFIX = 7;

    static final int LEAF_FLAG = 1 << 31;
    static final int SLOT_FLAG = 1 << 30;
    static final int INLINE_MASK = SLOT_FLAG - 1;
    /** Smaller payloads stand in the leaf pointer itself. */
    static final long INLINE_LIMIT = 1L << 30;

    /** Block classes of the allocator. */
    static final int HALF_CLASS = 0;
    static final int BLOCK_CLASS = 1;
    static final int BROAD_CLASS = 2;
    static final int FLAT_CLASS = 3;

    /** Offset of the root's pointer. */
    static final long ROOT_OFFSET = 0;
    /** Greatest size that block numbers can address. */
    static final long MAX_BYTES = 1L << 31 - TYPE_BITS + BLOCK_SHIFT;

    private TrieBlockLayout() {
    }

    static boolean isLeaf(final int node) {
        return node < 0;
    }

    static int type(final int node) {
        return node & TYPE_MASK;
    }

    /** Returns the offset of an inner node's block. */
    static long offset(final int node) {
        return ((long) node & ~TYPE_MASK) << BLOCK_SHIFT - TYPE_BITS;
    }

    /** Returns the class of an inner node's first block. */
    static int blockClass(final int node) {
        switch (type(node)) {
            case SHORT_CHAIN_LOW:
            case SHORT_CHAIN_HIGH:
                return HALF_CLASS;
            case BROAD:
                return BROAD_CLASS;
            case FLAT:
                return FLAT_CLASS;
            default:
                return BLOCK_CLASS;
        }
    }

    static int pointer(final long blockOffset, final int type) {
        return (int) (blockOffset >>> BLOCK_SHIFT - TYPE_BITS) & ~TYPE_MASK | type;
    }

    static boolean isInline(final int leaf) {
        return (leaf & SLOT_FLAG) == 0;
    }

    static int inlineLeaf(final long payload) {
        return LEAF_FLAG | (int) payload;
    }

    static int slotLeaf(final long slotOffset) {
        return LEAF_FLAG | SLOT_FLAG | (int) (slotOffset >>> HALF_SHIFT);
    }

    static long slotOffset(final int leaf) {
        return (long) (leaf & INLINE_MASK) << HALF_SHIFT;
    }
}
