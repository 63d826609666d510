/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

/**
 * Node of the meta trie for one proper prefix of anchors: sorted tokens, each with the last leaf below it, in a block of 16 to
 * 2048 bytes by the number of tokens, little endian.
 * <pre>
 *  byte  0       4      6      8       12            16
 *        +-------+------+------+-------+-------+------+
 *        | floor | count| depth| leaf 0| token | hash |     16 bytes: one token
 *        +-------+------+------+-------+-------+------+
 *  byte  0       4      6      8       12               12 + 4 c             12 + 5 c
 *        +-------+------+------+-------+--------...------+--------...---------+
 *        | floor | count| depth| -|hash| leaf 0 ... c-1  | token 0 ... c - 1  |
 *        +-------+------+------+-------+--------...------+--------...---------+
 *  byte  0       4      6      8       12               a multiple of 8, then 32 bytes
 *        +-------+------+------+-------+--------...------+--------...---------+
 *        | floor | count| depth| -|hash| leaf 0 ... c-1  | bit for each token |     wide: more than 23 tokens
 *        +-------+------+------+-------+--------...------+--------...---------+
 *
 *  field        offset       bytes  access (writer / reader)          constant
 *  floor leaf   0              4    putIntRelease / getIntAcquire     FLOOR_OFFSET
 *  count        4              2    plain; bit 15: is an anchor       COUNT_OFFSET, TERMINAL
 *  depth        6              2    plain, before the node is linked  DEPTH_OFFSET
 *  hash         13 or 9        3    plain, before the node is linked  low 24 bits of the prefix's hash
 *  leaves       8 or 12       4 c   putIntRelease / getIntAcquire     leafOffset
 *  tokens       after leaves    c   plain                             tokenOffset
 *  bitmap       after leaves   32   plain                             bitmapOffset
 * </pre>
 * A node for a prefix P gives the leaf of a key that begins with P and leaves the trie there: the last leaf of the greatest token
 * that is at or below the key's next byte; without such a token, the floor: the leaf with anchor P if there is one (then the node
 * is <em>terminal</em>), else the leaf left of all below P. Tokens are the paper's bitmap, and so wide nodes keep them; the last
 * token's leaf is its rightmost leaf; the floor replaces its leftmost one.
 * <p>
 * Example: capacity 4 in 32 bytes: leaves at 12 to 27, tokens at 28 to 31. Tokens 'b', 'd': a key with next byte 'a' goes
 * to the floor, 'b' and 'c' to leaf 0, 'd' and above to leaf 1. A wide node counts the bits up to a token instead.
 */
final class WormholeNodeLayout {
    static final int FLOOR_OFFSET = 0;
    static final int COUNT_OFFSET = 4;
    static final int DEPTH_OFFSET = 6;
    static final int TERMINAL = 1 << 15;
    static final int COUNT_MASK = 0x1FF;
    static final int HASH_BITS = 24;

    static final int MAX_TOKENS = 256;
    /** Size class of the smallest node, whose one token shares a word with the hash. */
    static final int SINGLE_CLASS = 0;
    static final int MAX_CLASS = 7;
    private static final int SINGLE_LEAF_OFFSET = 8;
    private static final int LEAVES_OFFSET = 12;
    private static final int[] CAPACITIES = {1, 4, 10, 23, 53, 117, 245, MAX_TOKENS};
    private static final int FIRST_WIDE_CLASS = 4;
    static final int BITMAP_WORDS = MAX_TOKENS / Long.SIZE;

    private WormholeNodeLayout() {
    }

    /** Returns the greatest number of tokens of a node of a size class. */
    static int capacity(final int sizeClass) {
        return CAPACITIES[sizeClass];
    }

    /** Returns the size class for a number of tokens. */
    static int classOf(final int tokens) {
        int sizeClass = 0;
        while (CAPACITIES[sizeClass] < tokens) {
            sizeClass++;
        }
        return sizeClass;
    }

    static int leafOffset(final int sizeClass, final int i) {
        return (sizeClass == SINGLE_CLASS ? SINGLE_LEAF_OFFSET : LEAVES_OFFSET) + (i << 2);
    }

    static int tokenOffset(final int sizeClass, final int i) {
        return leafOffset(sizeClass, CAPACITIES[sizeClass]) + i;
    }

    /** Returns whether nodes of a size class have a bitmap in place of tokens. */
    static boolean isWide(final int sizeClass) {
        return sizeClass >= FIRST_WIDE_CLASS;
    }

    /** Returns the offset of a word of the bitmap of a wide node. */
    static int bitmapOffset(final int sizeClass, final int word) {
        return (leafOffset(sizeClass, CAPACITIES[sizeClass]) + Integer.BYTES & -Long.BYTES) + (word << 3);
    }

    /** Returns the word of a bitmap that has the bit of a token. */
    static int wordOf(final int token) {
        return token >>> 6;
    }

    /** Returns the offset of the word whose upper 24 bits are those of the hash. */
    static int hashOffset(final int sizeClass) {
        return sizeClass == SINGLE_CLASS ? LEAVES_OFFSET : SINGLE_LEAF_OFFSET;
    }
}
