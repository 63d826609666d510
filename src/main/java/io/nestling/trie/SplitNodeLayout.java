/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

/**
 * Split node: many children, found by the bits of the transition. Little endian.
 * <pre>
 *  head block (may hold a prefix in its first half, see PrefixNodeLayout)
 *  byte  0                       16      20      24      28      32
 *        +-----------------------+-------+-------+-------+-------+
 *        |  prefix, or unused    | mid 0 | mid 1 | mid 2 | mid 3 |   transition bits 7..6
 *        +-----------------------+-------+-------+-------+-------+
 *  mid block                                  tail block
 *        +--------+--------+- -+--------+     +---------+---------+- -+---------+
 *        | tail 0 | tail 1 |   | tail 7 |     | child 0 | child 1 |   | child 7 |
 *        +--------+--------+- -+--------+     +---------+---------+- -+---------+
 *          transition bits 5..3                 transition bits 2..0
 *
 *  field     offset   bytes  access (writer / reader)         constant
 *  mid[i]    16+4i      4    putIntRelease / getIntAcquire    MIDS_OFFSET
 *  tail[i]    0+4i      4    putIntRelease / getIntAcquire    -
 *  child[i]   0+4i      4    putIntRelease / getIntAcquire    -
 * </pre> Pointers to mid and tail blocks are block offsets divided by 4; 0 stands for no block. A block is filled before it is
 * linked.
 * <p> Flat split node: all 32 tail blocks side by side in one region of 1 KiB, so that a child's offset is computed from the
 * transition instead of read. It replaces a split node with {@link #FLAT_TAILS} tail blocks: one dependent miss instead of three.
 * <p>
 * Example: transition 0x61 is mid 1, tail 4, child 1; in a flat split node its pointer stands at byte 388.
 */
final class SplitNodeLayout {
    static final int MIDS_OFFSET = 16;
    static final int MIDS = 4;
    static final int TAILS = 8;
    static final int CHILDREN = 8;
    static final int TRANSITIONS = 256;
    /** A split node with so many tail blocks becomes flat. */
    static final int FLAT_TAILS = 20;
    /** A flat split node with so few non-empty tail blocks becomes a split node. */
    static final int SPLIT_TAILS = 10;
    /** A split node with so few children becomes broad. */
    static final int BROAD_CHILDREN = 12;
    /** A split or broad node with so few children becomes sparse. */
    static final int SPARSE_CHILDREN = 4;
    private static final int MID_SHIFT = 6;
    private static final int TAIL_SHIFT = 3;
    private static final int INDEX_MASK = 7;
    private static final int BLOCK_POINTER_SHIFT = 2;

    private SplitNodeLayout() {
    }

    /** Returns the offset of a mid pointer from the head's start. */
    static long midSlot(final int transition) {
        return MIDS_OFFSET + ((long) (transition >>> MID_SHIFT) << TrieBlockLayout.POINTER_SHIFT);
    }

    /** Returns the offset of a tail pointer from the mid block's start. */
    static long tailSlot(final int transition) {
        return (long) (transition >>> TAIL_SHIFT & INDEX_MASK) << TrieBlockLayout.POINTER_SHIFT;
    }

    /** Returns the offset of a child pointer from the tail block's start. */
    static long childSlot(final int transition) {
        return (long) (transition & INDEX_MASK) << TrieBlockLayout.POINTER_SHIFT;
    }

    /** Returns the offset of a child pointer from a flat split node's start. */
    static long flatSlot(final int transition) {
        return (long) transition << TrieBlockLayout.POINTER_SHIFT;
    }

    static int blockPointer(final long blockOffset) {
        return (int) (blockOffset >>> BLOCK_POINTER_SHIFT);
    }

    static long blockOffset(final int blockPointer) {
        return (blockPointer & 0xFFFF_FFFFL) << BLOCK_POINTER_SHIFT;
    }
}
