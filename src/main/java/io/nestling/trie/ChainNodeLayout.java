/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;

/**
 * Chain node: a sequence of 1 to 27 transitions. They are aligned to the right, so that the child pointer has a fixed offset.
 * <pre>
 *  chain: one block
 *  byte  0       1       start                            28      32
 *        +-------+- - - -+--------------------------------+-------+
 *        | start | unused|  transitions                   | child |
 *        +-------+- - - -+--------------------------------+-------+
 *  short chain: half a block
 *  byte  0       1       start              12      16
 *        +-------+- - - -+------------------+-------+
 *        | start | unused|  transitions     | child |
 *        +-------+- - - -+------------------+-------+
 *
 *  field         offset  bytes  access (writer / reader)                constant
 *  start         0       1      plain, before publication               START_OFFSET
 *  transitions   start   1..27  plain, before publication               -
 *  child         28, 12  4      putIntRelease / getIntAcquire           CHILD_OFFSET, SHORT_CHILD_OFFSET
 * </pre> Only the child changes after publication.
 * <p>
 * Example: the short chain "abc" to leaf 5 is {@code 09 00 00 00 00 00 00 00 00 61 62 63 05 00 00 80}.
 */
final class ChainNodeLayout {
    static final int START_OFFSET = 0;
    static final int CHILD_OFFSET = 28;
    static final int SHORT_CHILD_OFFSET = 12;
    static final int MAX_TRANSITIONS = 27;
    static final int MAX_SHORT_TRANSITIONS = 11;

    private ChainNodeLayout() {
    }

    static boolean isChain(final int type) {
        return type <= SHORT_CHAIN_HIGH;
    }

    /** Returns the type for a number of transitions; the offset of a short chain decides its half. */
    static int typeFor(final int transitions) {
        return transitions <= MAX_SHORT_TRANSITIONS ? SHORT_CHAIN_LOW : CHAIN;
    }

    /** Returns the offset of an inner node's first byte, for a chain also in the second half of its block. */
    static long base(final int node) {
        return offset(node) + (type(node) == SHORT_CHAIN_HIGH ? HALF_BYTES : 0);
    }
}
